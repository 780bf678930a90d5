import CUTF8Proc

/// Text as searching compares it: without case, width and accents (Spec/product/records.md, 5).
package enum Folding {
    /// UTF-8 of the compatibility decomposition, case folded, without marks.
    package static func fold(_ text: some Collection<UInt8>) -> [UInt8] {
        let bytes = Array(text)
        return makeup(of: bytes.span).isFolded ? bytes : folded(bytes)
    }

    private static func folded(_ bytes: [UInt8]) -> [UInt8] {
        let options =
            UTF8PROC_DECOMPOSE.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_CASEFOLD.rawValue
            | UTF8PROC_STRIPMARK.rawValue
        var folded: UnsafeMutablePointer<UInt8>?
        let count = unsafe bytes.withUnsafeBufferPointer {
            unsafe utf8proc_map($0.baseAddress, $0.count, &folded, utf8proc_option_t(rawValue: options))
        }
        // Bytes that are no UTF-8 are compared as they are.
        guard count >= 0, let start = unsafe folded else { return bytes }
        defer { unsafe free(start) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// The kinds of characters in a text. They tell quickly which words cannot be in it.
    struct Makeup {
        /// All of it is ASCII without capitals, and unified ideographs, U+3400 to U+9FFF: then it is folded. Nearly every
        /// text that is searched is.
        var isFolded = true
        /// It has letters from `a` to `z`.
        var hasLetters = false
        /// It has unified ideographs.
        var hasIdeographs = false
    }

    /// The kinds of characters in a text, up to the first part that is not folded.
    static func makeup(of text: Span<UInt8>) -> Makeup {
        var makeup = Makeup()
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte < 0x80 {
                if 0x61...0x7A ~= byte { makeup.hasLetters = true }
                if 0x41...0x5A ~= byte {
                    makeup.isFolded = false
                    break
                }
                index += 1
            } else if 0xE3...0xE9 ~= byte, index + 2 < text.count, byte > 0xE3 || text[index + 1] >= 0x90,
                text[index + 1] & 0xC0 == 0x80, text[index + 2] & 0xC0 == 0x80
            {
                makeup.hasIdeographs = true
                index += 3
            } else {
                makeup.isFolded = false
                break
            }
        }
        return makeup
    }
}
