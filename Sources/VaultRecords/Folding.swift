import CUTF8Proc

/// Text as searching compares it: without case, width and accents (Spec/records.md, 5).
enum Folding {
    /// UTF-8 of the compatibility decomposition, case folded, without marks.
    static func fold(_ text: some Collection<UInt8>) -> [UInt8] {
        let bytes = Array(text)
        return isFolded(bytes.span) ? bytes : folded(bytes)
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

    /// Whether a text is folded already: ASCII without capitals, and the unified ideographs U+3400 to U+9FFF. Nearly
    /// every text that is searched is.
    static func isFolded(_ text: Span<UInt8>) -> Bool {
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte < 0x80 {
                if 0x41...0x5A ~= byte { return false }
                index += 1
            } else if 0xE4...0xE9 ~= byte || byte == 0xE3 && index + 1 < text.count && text[index + 1] >= 0x90 {
                index += 3
            } else {
                return false
            }
        }
        return true
    }
}
