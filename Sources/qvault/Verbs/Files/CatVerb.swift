import Glibc
import VaultFormat
import VaultStore

extension Verb {
    static let cat = Verb.reading(
        name: "cat", summary: "write records to standard output", operands: "NAME…",
        options: [
            Option(.offset, value: "SIZE", help: "from this byte on, counted from 0; of one record"),
            Option(.count, value: "SIZE", help: "no more bytes than this"),
        ],
        example: "qvault cat -f documents.qvault Documents/notes.txt",
        note: "the file's bytes, each checked before it is written"
    ) { vault, arguments in
        var out = StandardOutput()
        let isTerminal = isatty(STDOUT_FILENO) == 1
        var last: UInt8 = 0
        let entries = try arguments.operands.flatMap { try contents($0, in: vault) }
        for (entry, range) in zip(entries, try ranges(of: entries, arguments)) {
            try vault.read(entry, in: range) { piece in
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

    /// The bytes that are asked for: of several records all.
    private static func ranges(of entries: [Entry], _ arguments: Arguments) throws -> [Range<UInt64>] {
        func size(_ name: OptionName) throws -> UInt64? {
            try arguments.value(name, or: "\(name.word) takes a number of bytes, like 500, 64KiB or 2GB") {
                ByteSize.bytes($0)
            }
        }
        let (offset, count) = (try size(.offset), try size(.count))
        guard entries.count == 1 || offset == nil && count == nil else {
            throw Failure(.usage, "cat: --offset and --count go with one record, not several")
        }
        return try entries.map { entry in
            let start = offset ?? 0
            guard start <= entry.length else {
                throw Failure(
                    .invalid,
                    "\(printable(entry.overview.title)): has \(entry.length) bytes, and ends before byte \(start)")
            }
            return start..<start + min(count ?? .max, entry.length - start)
        }
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
