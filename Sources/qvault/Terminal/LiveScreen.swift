import CSystem
import Glibc
import VaultFormat
import VaultIO

/// A screen of its own that is drawn anew again and again; a terminal that cannot do that, and `--plain`, get each drawing
/// below the last.
final class LiveScreen {
    /// A key that was pressed.
    enum Key { case quit, refresh, up, down }

    private let isRedrawn: Bool
    private var before: termios?
    /// Bytes of keys that were pressed and not looked at yet.
    private var pending: ArraySlice<UInt8> = []

    init(_ arguments: Arguments) throws {
        let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        isRedrawn = isTerminal && !arguments.has(.plain) && !["dumb", nil].contains(environment("TERM"))
        guard isRedrawn else { return }
        var settings = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw IOError("read", BytePath("the terminal"), code: errno)
        }
        before = settings
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
        unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
        try write("\u{1B}[?1049h\u{1B}[?25l")
    }

    /// Gives the terminal back as it was.
    func close() {
        guard var settings = before else { return }
        before = nil
        try? write("\u{1B}[?25h\u{1B}[?1049l")
        unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    deinit { close() }

    /// Columns and rows.
    var size: (width: Int, height: Int) {
        var size = winsize()
        guard isRedrawn, unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return (isRedrawn ? 80 : .max, isRedrawn ? 24 : .max)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Draws lines, as many as there is room for.
    func draw(_ lines: [String]) throws {
        guard isRedrawn else { return try write(lines.joined(separator: "\n") + "\n\n") }
        let rows = lines.prefix(size.height).map { $0 + "\u{1B}[K" }
        try write("\u{1B}[H" + rows.joined(separator: "\r\n") + "\u{1B}[J")
    }

    private func write(_ text: String) throws {
        try writeAll(Array(text.utf8).span, to: STDOUT_FILENO, named: "standard output")
    }

    /// Waits for a key.
    ///
    /// - Returns: nil when the time is over, or the screen got another size.
    /// - Throws: `VaultError.cancelled` on an interrupt.
    func key(within seconds: Int) throws -> Key? {
        let (end, old) = (ContinuousClock.now + .seconds(seconds), size)
        while ContinuousClock.now < end, old == size {
            try checkInterrupts()
            guard isRedrawn else {
                qv_pause(200)
                continue
            }
            if pending.isEmpty {
                var item = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&item, 1, 200) > 0 else { continue }
                var bytes = [UInt8](repeating: 0, count: 16)
                let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
                // The terminal is gone.
                guard count > 0 else { return .quit }
                pending = bytes[..<count]
            }
            // An arrow is three bytes.
            let length = pending.first == 0x1B ? min(3, pending.count) : 1
            let key = String(decoding: pending.prefix(length), as: UTF8.self)
            pending = pending.dropFirst(length)
            switch key {
            case "q", "Q", "\u{04}": return .quit
            case "r", "R", " ": return .refresh
            case "k", "\u{1B}[A", "\u{1B}OA": return .up
            case "j", "\u{1B}[B", "\u{1B}OB": return .down
            default: continue
            }
        }
        return nil
    }
}
