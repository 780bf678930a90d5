import CSystem
import Glibc
import VaultFormat

/// The progress of a long piece of work, on a terminal, once it has taken a second: one line that is drawn anew, or with
/// `--plain` and on a dumb terminal a line now and then.
final class Progress {
    private let verb: Phrase
    private let total: UInt64?
    private let start = ContinuousClock.now
    private var last = ContinuousClock.now
    private var isShown = false
    private let isEnabled: Bool
    private let isPlain: Bool

    init(_ verb: Phrase, total: UInt64? = nil, _ arguments: Arguments) {
        (self.verb, self.total) = (verb, total)
        isEnabled = Messages.isRead && !arguments.has(.noProgress)
        isPlain = arguments.has(.plain) || environment("TERM") ?? "dumb" == "dumb"
    }

    /// `done` bytes of the whole are finished.
    func update(_ done: UInt64) {
        guard isEnabled else { return }
        let now = ContinuousClock.now
        let pause: Duration = isPlain ? .seconds(5) : .milliseconds(200)
        guard start.duration(to: now) >= .seconds(1), last.duration(to: now) >= pause else { return }
        last = now
        let line = text(done, after: start.duration(to: now) / .seconds(1))
        guard !isPlain else { return Messages.say(line) }
        isShown = true
        let width = max(20, Int(qv_terminal_columns(STDERR_FILENO))) - 1
        put("\r\u{1B}[K" + clipped(line.line, width))
    }

    private func text(_ done: UInt64, after seconds: Double) -> Phrase {
        let rate = Double(done) / seconds
        let speed = sizeText(UInt64(rate))
        guard let total, rate > 0, done < total else { return "\(verb) \(sizeText(done)), \(speed)/s" }
        let left = Int(min(Double(total - done) / rate, 1e9)) + 1
        return "\(verb) \(sizeText(done)) of \(sizeText(total)), \(speed)/s, \(left) s left"
    }

    private func put(_ text: String) {
        try? writeAll(Array(text.utf8).span, to: STDERR_FILENO, named: "standard error")
    }

    /// Shows the progress of some work while it is done.
    static func showing<R>(
        _ verb: Phrase, total: UInt64? = nil, _ arguments: Arguments, _ work: (@escaping (UInt64) -> Void) throws -> R
    ) rethrows -> R {
        let progress = Progress(verb, total: total, arguments)
        defer { progress.finish() }
        return try work(progress.update)
    }

    /// Takes the line away.
    func finish() { if isShown { put("\r\u{1B}[K") } }
}
