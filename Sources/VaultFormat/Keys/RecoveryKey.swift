public import VaultCrypto

/// A recovery key as people keep it, on paper or in a file (Spec/keys.md, 6): four numbered lines of eight characters,
/// each with a check of its own.
public enum RecoveryKey {
    /// Bytes of the key: 160 bits.
    public static let byteCount = 20
    /// Lines of its text.
    public static let lineCount = 4
    private static let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=U".utf8)
    private static let lineByteCount = 14

    /// Draws a key.
    public static func random(_ random: inout some RandomSource) throws -> Secret {
        try random.secret(byteCount: byteCount)
    }

    /// Its text: 56 bytes.
    public static func text(of key: borrowing Secret) throws -> Secret {
        precondition(key.byteCount == byteCount, "a recovery key has 160 bits")
        return try Secret(byteCount: lineCount * lineByteCount) { out in
            key.withSpan { bytes in
                for line in 0..<lineCount {
                    let value = (0..<5).reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[line * 5 + $1]) }
                    var at = line * lineByteCount
                    func put(_ byte: UInt8, _ out: inout MutableSpan<UInt8>) {
                        out[at] = byte
                        at += 1
                    }
                    put(UInt8(ascii: "1") + UInt8(line), &out)
                    for index in 0..<8 {
                        if index % 4 == 0 { put(0x20, &out) }
                        put(symbols[Int(value >> UInt64(35 - 5 * index) & 31)], &out)
                    }
                    put(0x20, &out)
                    put(symbols[check(value, line)], &out)
                    put(0x0A, &out)
                }
            }
        }
    }

    /// The number of the check character of a line, 0 … 36. It tells one wrong character, two neighbours exchanged,
    /// and a line in the place of another.
    private static func check(_ value: UInt64, _ line: Int) -> Int { Int((value * 5 + UInt64(line)) % 37) }

    /// The four lines of what somebody typed as one, with their numbers or without; nil of anything else.
    public static func unfolded(_ text: borrowing Secret) throws -> Secret? {
        try text.withSpan { text in
            let places = text.indices.filter { !separators.contains(text[$0]) }
            let width = places.count / lineCount
            let isNumbered = width == 10
            guard places.count == lineCount * width, isNumbered || width == 9,
                !isNumbered || (0..<lineCount).allSatisfy({ text[places[$0 * width]] == 0x31 + UInt8($0) })
            else { return nil }
            return try Secret(byteCount: lineCount * 12) { out in
                for line in 0..<lineCount {
                    (out[line * 12], out[line * 12 + 1], out[line * 12 + 11]) = (0x31 + UInt8(line), 0x20, 0x0A)
                    for column in 0..<9 {
                        out[line * 12 + 2 + column] = text[places[line * width + column + (isNumbered ? 1 : 0)]]
                    }
                }
            }
        }
    }

    /// Bytes that stand between characters of a key: blanks, tabs, carriage returns, `-`, `.`, `:` and `)`.
    private static let separators: Set<UInt8> = [0x20, 0x09, 0x0D, 0x2D, 0x2E, 0x3A, 0x29]

    /// Reads the text; other lines than the four are passed over.
    ///
    /// - Throws: `FormatError.invalid`, which names the line.
    public static func parse(_ text: borrowing Secret) throws -> Secret {
        var found: Set<Int> = []
        let key = try Secret(byteCount: byteCount) { out in
            try text.withSpan { text in
                var start = 0
                while start < text.count {
                    var end = start
                    while end < text.count, text[end] != 0x0A { end += 1 }
                    if let line = number(of: text.extracting(start..<end)) {
                        try parse(line: line, text.extracting(start..<end), into: &out)
                        found.insert(line)
                    }
                    start = end + 1
                }
            }
        }
        if let missing = (0..<lineCount).first(where: { !found.contains($0) }) {
            throw FormatError(.invalid, "line \(missing + 1) of the recovery key is missing")
        }
        return key
    }

    /// Checks one line of the text.
    ///
    /// - Parameter line: which it should be, from 1.
    /// - Throws: `FormatError.invalid`.
    public static func check(_ text: borrowing Secret, isLine line: Int) throws {
        var key = try Secret(byteCount: byteCount)
        try text.withSpan { text in
            guard number(of: text) == line - 1 else {
                throw FormatError(.invalid, "line \(line) of the recovery key begins with \(line) and a space")
            }
            try key.withMutableSpan { try parse(line: line - 1, text, into: &$0) }
        }
    }

    /// True if a text looks like that of a recovery key: it has a line of it, right or wrong.
    public static func isText(_ text: borrowing Secret) -> Bool {
        text.withSpan { text in
            var start = 0
            while start < text.count {
                var end = start
                while end < text.count, text[end] != 0x0A { end += 1 }
                if number(of: text.extracting(start..<end)) != nil { return true }
                start = end + 1
            }
            return false
        }
    }

    /// Which line of a key it is: a number 1 … 4 with something behind it that is no digit or letter.
    private static func number(of line: Span<UInt8>) -> Int? {
        guard let first = line.indices.first(where: { line[$0] != 0x20 && line[$0] != 0x09 }),
            first + 1 < line.count, 0x31...0x34 ~= line[first],
            [0x20, 0x09, 0x2E, 0x3A, 0x29].contains(line[first + 1])
        else { return nil }
        return Int(line[first]) - 0x31
    }

    private static func parse(line: Int, _ text: Span<UInt8>, into key: inout MutableSpan<UInt8>) throws {
        var (value, count, isRight) = (UInt64(0), 0, false)
        var isNumber = true
        for index in text.indices where !separators.contains(text[index]) {
            if isNumber {
                isNumber = false
                continue
            }
            guard let digit = digit(text[index]), digit < 32 || count == 8 else {
                throw FormatError(
                    .invalid, "line \(line + 1) of the recovery key: character \(count + 1) is none of such a key")
            }
            if count < 8 { value = value << 5 | UInt64(digit) } else { isRight = digit == check(value, line) }
            count += 1
        }
        guard count == 9 else {
            throw FormatError(
                .invalid, "line \(line + 1) of the recovery key has \(count) characters; it should have 9")
        }
        guard isRight else {
            throw FormatError(.invalid, "line \(line + 1) of the recovery key is mistyped: its check does not hold")
        }
        for index in 0..<5 { key[line * 5 + index] = UInt8(truncatingIfNeeded: value >> UInt64(32 - 8 * index)) }
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x49, 0x69, 0x4C, 0x6C: 1  // I and L
        case 0x4F, 0x6F: 0  // O
        case 0x61...0x7A: symbols.firstIndex(of: byte - 0x20)
        default: symbols.firstIndex(of: byte)
        }
    }
}
