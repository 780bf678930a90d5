import Glibc
import VaultCrypto
import VaultFormat
import VaultStore

/// A card that is copied, or one field of it.
struct Copied {
    let title: String
    let field: Phrase?

    init(_ card: Entry, _ field: Phrase? = nil) { (title, self.field) = (printable(card.overview.title), field) }

    fileprivate var said: Phrase { field.map { "'\($0)' of '\(title)'" } ?? "'\(title)'" }
}

/// The clipboard of the person's desktop, or of the terminal. What is copied goes through a pipe, never in an argument.
enum Clipboard {
    /// A program that writes the clipboard, one that reads it, and one that empties it.
    private struct Tool {
        let variable, program, write, read, clear: String

        var isThere: Bool { environment(variable) != nil && isInstalled(program) }
    }

    private static let tools = [
        Tool(
            variable: "WAYLAND_DISPLAY", program: "wl-copy", write: "wl-copy", read: "wl-paste -n",
            clear: "wl-copy --clear"),
        Tool(
            variable: "DISPLAY", program: "xclip", write: "xclip -selection clipboard",
            read: "xclip -selection clipboard -o", clear: "xclip -selection clipboard </dev/null"),
        Tool(variable: "DISPLAY", program: "xsel", write: "xsel -b -i", read: "xsel -b -o", clear: "xsel -b -c"),
    ]

    /// - Throws: `Failure` where there is neither a clipboard nor a terminal, so that nothing is used up in vain.
    static func check(_ arguments: Arguments) throws {
        guard !arguments.has(.stdout), !arguments.has(.json), !Terminal.isPresent, !tools.contains(where: \.isThere)
        else { return }
        throw missing
    }

    private static let missing = Failure(
        .failure, "no clipboard: neither wl-copy, xclip nor xsel is there, nor a terminal", hint: "--stdout prints it")

    /// Copies a text, or with `--stdout` prints it.
    ///
    /// - Parameter what: whose it is, and which of its fields.
    static func copy(_ text: String, _ what: Copied, _ arguments: Arguments) throws -> ExitCode {
        if arguments.has(.stdout) { return try StandardOutput.print(raw: Terminal.shown(text) + "\n") }
        let seconds = try Config.milliseconds(.clipboardTime) / 1000
        let installed = tools.filter(\.isThere)
        if try installed.contains(where: { try copy(text, with: $0, seconds) }) {
            Messages.note("copied \(what.said); the clipboard is emptied in \(seconds) seconds")
            return .done
        }
        guard installed.isEmpty || Terminal.isPresent else {
            throw Failure(.failure, "the clipboard's program failed", hint: "--stdout prints it")
        }
        guard Terminal.isPresent else { throw missing }
        try Terminal.write("\u{1B}]52;c;\(Base64.text(Array(text.utf8)))\u{07}")
        Messages.note(
            "copied \(what.said) to the terminal's clipboard, which keeps it: copy something else afterwards")
        return .done
    }

    /// Writes, and leaves a process behind that empties the clipboard later if it still holds the same. It knows a
    /// salted hash, in its environment: that of a short number is as good as the number.
    /// - Returns: whether the program took it.
    private static func copy(_ text: String, with tool: Tool, _ seconds: UInt64) throws -> Bool {
        var random = SystemRandom()
        let salt = hexText(try random.bytes(16))
        let hash = hexText(try SHA256.hash(Array((salt + text).utf8).span))
        unsafe setenv("QUICKVAULT_SALT", salt, 1)
        unsafe setenv("QUICKVAULT_HASH", "\(hash)  -", 1)
        let same = "[ \"$({ printf %s \"$QUICKVAULT_SALT\"; \(tool.read); } | sha256sum)\" = \"$QUICKVAULT_HASH\" ]"
        let later = "(trap '' HUP; sleep \(seconds); if \(same); then \(tool.clear); fi) >/dev/null 2>&1 </dev/null &"
        return feed("\(tool.write) >/dev/null 2>&1 && { \(later) }", Array(text.utf8))
    }

    /// Runs a shell command with these bytes as its input; whether it took them and did its work.
    private static func feed(_ command: String, _ bytes: [UInt8]) -> Bool {
        guard let pipe = unsafe popen(command, "we") else { return false }
        let count = unsafe bytes.withUnsafeBytes { unsafe fwrite($0.baseAddress, 1, $0.count, pipe) }
        return unsafe pclose(pipe) == 0 && count == bytes.count
    }
}
