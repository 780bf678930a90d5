import CWords

/// The command's words in Chinese, by their words in English (Phrase): the entries of `Sources/CWords/zh.po`. The English
/// text is the key: a change of it shows at once, since `Tests/Checks/messages.py` holds the catalogue against the sources.
/// A phrase without Chinese fails the check, and so does an entry that nobody says.
enum Chinese {
    private static let catalogue: [UInt8] = {
        var count = 0
        let start = unsafe qv_words_zh(&count)
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }()
    private static let idMark = Array("\nmsgid \"".utf8)
    private static let textMark = Array("\"\nmsgstr \"".utf8)

    /// The words for an English phrase; nil where the catalogue has none. Entries stand in order, so that a search by halves
    /// reads a dozen of them.
    static func words(_ english: String) -> String? {
        let key = escaped(english)
        var (low, high) = (0, catalogue.count)
        while low < high {
            let middle = (low + high) / 2
            guard let mark = (middle..<high).first(where: { catalogue[$0...].starts(with: idMark) }) else {
                high = middle
                continue
            }
            let id = rest(of: mark + idMark.count)
            if id.elementsEqual(key) { return unescaped(rest(of: id.endIndex + textMark.count)) }
            if id.lexicographicallyPrecedes(key) { low = id.endIndex } else { high = middle }
        }
        return nil
    }

    /// The bytes up to the quote that ends the line.
    private static func rest(of start: Int) -> ArraySlice<UInt8> {
        catalogue[start...].prefix { $0 != UInt8(ascii: "\n") }.dropLast()
    }

    /// A text as a PO file writes it between quotes.
    private static func escaped(_ text: String) -> [UInt8] {
        text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "\""): [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): Array("\\n".utf8)
            default: [byte]
            }
        }
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        var (result, isEscape) = ([UInt8](), false)
        for byte in bytes {
            if byte == UInt8(ascii: "\\"), !isEscape {
                isEscape = true
                continue
            }
            result.append(isEscape && byte == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte)
            isEscape = false
        }
        return String(decoding: result, as: UTF8.self)
    }
}
