import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore

/// Questions at the terminal whose answers are seen, and can be edited.
extension Terminal {
    /// Asks for a line.
    ///
    /// - Parameters:
    ///   - text: what stands in the line at the start; where it cannot be edited, Enter gives it.
    ///   - completion: what Tab completes there.
    static func ask(_ prompt: Phrase, text: String = "", _ completion: LineCompletion = .none) throws -> String {
        while true {
            let line = try askOnce(prompt, text: text, completion)
            if let text = String(validating: line, as: UTF8.self) { return text }
            try say("'\(printable(line))' is not UTF-8")
        }
    }

    private static func askOnce(_ prompt: Phrase, text: String, _ completion: LineCompletion) throws -> [UInt8] {
        let terminal = try open()
        let input = try openForInput()
        let shown = prompt.line
        if LineEditor.isPossible {
            // A long question stands above the line that is edited.
            let lines = question(shown, Int(qv_terminal_columns(terminal.number)))
            for line in lines.dropLast() { try write(line + "\n") }
            if let line = try LineEditor.line(
                terminal.number, input.number, lines[lines.count - 1], text: text, completion)
            {
                return line
            }
        }
        while true {
            try writeAll(Array(shown.utf8).span, to: terminal.number, named: "/dev/tty")
            let line = try readLine(input.number)
            // Enter keeps what would stand in the line.
            if line.count < longestLine { return line.isEmpty ? Array(text.utf8) : line }
            try say("this terminal cuts lines after \(longestLine) bytes: that line was not taken")
        }
    }

    /// True if keys wait that were typed or pasted ahead.
    static func hasInput() throws -> Bool {
        let terminal = try open()
        return withExtendedLifetime(terminal) {
            var item = pollfd(fd: terminal.number, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&item, 1, 0) == 1 && item.revents & Int16(POLLIN) != 0
        }
    }

    /// The lines of a question, of which the last leaves a third of the terminal for an answer.
    private static func question(_ text: String, _ width: Int) -> [String] {
        guard columns(text) > width * 2 / 3 else { return [text] }
        let lines = wrapped(text, width * 2 / 3, indent: 0)
        return lines.dropLast() + [lines[lines.count - 1] + (text.hasSuffix(" ") ? " " : "")]
    }

    /// Bytes of a line to which a terminal cuts longer ones, without the newline (Linux, N_TTY_BUF_SIZE).
    private static let longestLine = 4095

    /// A line without its newline; the person's Ctrl-D at its beginning ends the work.
    private static func readLine(_ descriptor: Int32) throws -> [UInt8] {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            try waitForInput(descriptor, named: "/dev/tty")
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0 {
                guard errno == EINTR || errno == EAGAIN else { throw IOError("read", path, code: errno) }
                try checkInterrupts()
            } else if count == 0, line.isEmpty {
                throw VaultError.cancelled
            } else if count == 0 || byte == UInt8(ascii: "\n") {
                break
            } else {
                line.append(byte)
            }
        }
        return line
    }

    /// Asks for yes or no until one of them is answered.
    ///
    /// - Parameter standard: the answer of who only presses Enter.
    static func confirm(_ question: Phrase, standard: Bool) throws -> Bool {
        while true {
            let answer = try ask("\(question) \(standard ? "[Y/n]" : "[y/N]") ").lowercased()
            if answer.isEmpty { return standard }
            if ["y", "yes", "j", "是", "好"].contains(answer) { return true }
            if ["n", "no", "否", "不"].contains(answer) { return false }
            try say("y or n")
        }
    }

    /// Shows a secret on a screen of its own, which is gone when the person presses Enter. A terminal that cannot do that, and
    /// `--plain`, print it.
    static func showApart(_ secret: borrowing Secret, _ prompt: Phrase, isPlain: Bool) throws {
        let terminal = try open()
        let isRedrawn = !isPlain && !["dumb", nil].contains(environment("TERM"))
        if isRedrawn { try write("\u{1B}[?1049h\u{1B}[H\u{1B}[2J") }
        defer { if isRedrawn { try? write("\u{1B}[2J\u{1B}[?1049l") } }
        try secret.withSpan { try writeAll($0, to: terminal.number, named: "/dev/tty") }
        try write("\n")
        // The end of input will do.
        do { _ = try ask(prompt) } catch VaultError.cancelled where qv_interrupted() == 0 {}
    }
}
