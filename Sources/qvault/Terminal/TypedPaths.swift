import Glibc
import VaultFormat
import VaultIO

/// Paths in a line as a person types them, or as a terminal writes files that are dropped on it: with quotes, with a
/// backslash before blanks, or as an address `file://`.
struct TypedPaths {
    /// The paths, one after the other; `file://` is taken off.
    private(set) var words: [[UInt8]] = []
    /// The path at the end of the line; empty behind a blank.
    private(set) var last: [UInt8] = []
    private var quote: UInt8?

    init(_ text: String) {
        var isWord = false
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            switch byte {
            case 0x7E where !isWord && [nil, 0x2F, 0x20].contains(bytes.first):
                // The person's own folder, where no quote stands before it.
                (last, isWord) = (environment("HOME").map { Array($0.utf8) } ?? [byte], true)
            case 0x22, 0x27:
                if quote == nil {
                    (quote, isWord) = (byte, true)
                } else if quote == byte {
                    quote = nil
                } else {
                    last.append(byte)
                }
            case 0x5C where quote != 0x27:
                if let next = bytes.popFirst() { (last, isWord) = (last + [next], true) }
            case 0x20, 0x09, 0x0A, 0x0D:
                if quote != nil {
                    last.append(byte)
                } else if isWord {
                    words.append(Self.plain(last))
                    (last, isWord) = ([], false)
                }
            default: (last, isWord) = (last + [byte], true)
            }
        }
        if isWord { words.append(Self.plain(last)) }
    }

    /// The paths of a line: all of it where that is the name of a file, else its words.
    ///
    /// - Throws: `Failure` where a quote is not closed.
    static func paths(_ line: String) throws -> [BytePath] {
        let whole = BytePath(Array(line.trimmed.utf8))
        if !whole.bytes.isEmpty, (try? Machine.store.files.status(whole)) != nil { return [whole] }
        let typed = TypedPaths(line)
        guard typed.quote == nil else { throw Failure(.invalid, "a quote is not closed") }
        return typed.words.map { BytePath($0) }
    }

    /// The sign that closes a path at the end of the line: its quote, or a blank.
    var end: String { quote.map { String(UnicodeScalar($0)) } ?? " " }

    /// A part of a name as it is typed at the end of the line.
    func escaped(_ text: String) -> String {
        switch quote {
        case 0x27?: text.replacing("'", with: #"'\''"#)
        case nil: text.map { " \t\n'\"\\~".contains($0) ? "\\\($0)" : String($0) }.joined()
        default: text.map { "\"\\".contains($0) ? "\\\($0)" : String($0) }.joined()
        }
    }

    /// A path without `file://` before it, and with the bytes that `%20` and its like stand for.
    private static func plain(_ word: [UInt8]) -> [UInt8] {
        guard word.starts(with: "file://".utf8) else { return word }
        let path = word.dropFirst(7).drop { $0 != 0x2F }
        var (plain, rest) = ([UInt8](), path)
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                plain.append(value)
                rest = rest.dropFirst(2)
            } else {
                plain.append(byte)
            }
        }
        return plain
    }
}
