import Glibc
import VaultFormat
import VaultStore

extension Verb {
    static let cat = Verb.reading(
        name: "cat", summary: "write records to standard output", operands: "NAME…",
        example: "qvault cat -f documents.qvault Documents/notes.txt",
        note: "the file's bytes, each checked before it is written"
    ) { vault, arguments in
        var out = StandardOutput()
        let isTerminal = isatty(STDOUT_FILENO) == 1
        var last: UInt8 = 0
        for entry in try arguments.operands.map({ try content($0, in: vault) }) {
            try vault.read(entry) { piece in
                guard !isTerminal || isPlain(piece, after: &last) else {
                    throw Failure(
                        .refused, "\(printable(entry.overview.title)): has characters that a terminal obeys",
                        hint: "qvault cat NAME > FILE, or qvault cat NAME | less")
                }
                try out.write(piece)
            }
        }
        try out.flush()
        return .done
    }

    /// True of text without control characters besides tabs and the ends of lines.
    ///
    /// - Parameter last: the byte before the first; then the last one.
    private static func isPlain(_ bytes: Span<UInt8>, after last: inout UInt8) -> Bool {
        for index in bytes.indices {
            let byte = bytes[index]
            // U+0080 to U+009F are control characters too.
            let isHigh = last == 0xC2 && 0x80...0x9F ~= byte
            guard byte >= 0x20 && byte != 0x7F && !isHigh || [0x09, 0x0A, 0x0D].contains(byte) else { return false }
            last = byte
        }
        return true
    }
}
