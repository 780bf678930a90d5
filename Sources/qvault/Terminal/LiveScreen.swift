import CSystem
import Glibc
import VaultFormat
import VaultIO

/// A screen of its own that is drawn anew again and again; a terminal that cannot do that, and `--plain`, get each drawing
/// below the last.
final class LiveScreen {
    private let isRedrawn: Bool
    private var before: termios?
    /// Bytes of keys that were pressed and not looked at yet.
    private var pending: ArraySlice<UInt8> = []
    /// The size for which it was drawn last.
    private var drawnSize: (width: Int, height: Int)?
    /// The number of times that the process was stopped and went on.
    private var continued = qv_continued()

    /// False where each drawing comes below the last.
    static func isPossible(_ arguments: Arguments) -> Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !arguments.has(.plain)
            && !["dumb", "", nil].contains(environment("TERM"))
    }

    init(_ arguments: Arguments) throws {
        isRedrawn = Self.isPossible(arguments)
        guard isRedrawn else { return }
        var settings = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw IOError("read", BytePath("the terminal"), code: errno)
        }
        before = settings
        try open()
    }

    private func open() throws {
        guard var settings = before else { return }
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
        // VSUSP: Ctrl-Z comes as a key, and the screen is given back before the process stops.
        settings.c_cc.10 = 0
        // VTIME and VMIN: a read does not wait. Ctrl-C drops what was typed before, also what poll has seen.
        (settings.c_cc.5, settings.c_cc.6) = (0, 0)
        setTerminal(STDIN_FILENO, TCSADRAIN, settings)
        try write("\u{1B}[?1049h\u{1B}[?25l")
    }

    /// Gives the terminal back as it was.
    func close() {
        giveBack(TCSAFLUSH)
        before = nil
    }

    private func giveBack(_ how: Int32) {
        guard let settings = before else { return }
        try? write("\u{1B}[?25h\u{1B}[?1049l")
        setTerminal(STDIN_FILENO, how, settings)
    }

    /// Gives the terminal back, and stops the process until the shell goes on with it.
    private func stop() throws {
        giveBack(TCSADRAIN)
        kill(getpid(), SIGTSTP)
        continued = qv_continued()
        try open()
    }

    deinit { close() }

    /// Columns and rows; no limits where each drawing comes below the last.
    var size: (width: Int, height: Int) { isRedrawn ? terminalSize() : (.max, .max) }

    /// Draws lines, as many as there is room for.
    ///
    /// - Parameter cursor: row and column from 0 at which the cursor is shown, for input methods; else it is hidden.
    func draw(_ lines: [String], cursor: (row: Int, column: Int)? = nil) throws {
        guard isRedrawn else { return try write(lines.joined(separator: "\n") + "\n\n") }
        drawnSize = size
        let rows = lines.prefix(size.height).map { $0 + "\u{1B}[K" }
        let place = cursor.map { "\u{1B}[\($0.row + 1);\($0.column + 1)H\u{1B}[?25h" } ?? ""
        try write("\u{1B}[?25l\u{1B}[H" + rows.joined(separator: "\r\n") + "\u{1B}[J" + place)
    }

    private func write(_ text: String) throws {
        try writeAll(Array(text.utf8).span, to: STDOUT_FILENO, named: "standard output")
    }

    /// Waits for a key.
    ///
    /// - Returns: nil when the time is over, the screen got another size, or it has to be drawn anew.
    /// - Throws: `VaultError.cancelled` on an interrupt.
    func key(within seconds: Int) throws -> Key? {
        let end = ContinuousClock.now + .seconds(seconds)
        repeat {
            try checkInterrupts()
            guard isRedrawn else {
                qv_pause(200)
                continue
            }
            // Keys come first: a list is not drawn while keys wait.
            if pending.isEmpty, let drawnSize, drawnSize != size { return nil }
            if continued != qv_continued() {
                // The shell has drawn its own lines, and switched its own settings on.
                continued = qv_continued()
                try open()
                return nil
            }
            if let (key, count) = Key.first(in: pending, isWhole: false) {
                pending = pending.dropFirst(count)
                if key == .stop {
                    try stop()
                    return nil
                }
                if let key { return key }
                continue
            }
            // The rest of a key that sends several bytes comes with its first.
            if !readMore(within: pending.isEmpty ? 200 : 150),
                let (key, count) = Key.first(in: pending, isWhole: true)
            {
                pending = pending.dropFirst(count)
                if let key { return key }
            }
        } while ContinuousClock.now < end
        return nil
    }

    /// True while more was typed than was looked at: a paste is drawn once.
    var isBehind: Bool { !pending.isEmpty || readMore(within: 0) }

    /// Reads what is typed, waiting so many milliseconds for it; false if nothing was.
    private func readMore(within milliseconds: Int32) -> Bool {
        var item = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&item, 1, milliseconds) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, [EAGAIN, EINTR].contains(errno) { return false }
        if count == 0, item.revents & Int16(POLLHUP) == 0 { return false }
        // Without a terminal it is as with Ctrl-D.
        pending = pending + (count > 0 ? bytes[..<count] : [0x04])
        return true
    }
}

/// Columns and rows of the terminal that standard output is; 80 and 24 where it does not say.
func terminalSize() -> (width: Int, height: Int) {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
}
