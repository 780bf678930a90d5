/// A key that was pressed at a terminal.
enum Key: Equatable {
    case character(Character)
    /// A letter with Alt, or behind Escape.
    case alt(Character)
    case enter, tab, escape, backspace
    case up, down, left, right, home, end, pageUp, pageDown
    /// Ctrl-U: all that was typed is taken away.
    case clear
    /// Ctrl-Z.
    case stop
    /// Ctrl-D, or the terminal is gone.
    case gone

    /// The first key that some bytes are, and how many of them it takes; a key of nil means nothing.
    ///
    /// - Parameter isWhole: no more bytes come: Escape is itself.
    /// - Returns: nil where more bytes are needed.
    static func first(in bytes: ArraySlice<UInt8>, isWhole: Bool) -> (Key?, count: Int)? {
        guard let byte = bytes.first else { return nil }
        switch byte {
        case 0x1B: return afterEscape(bytes.dropFirst(), isWhole)
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x09: return (.tab, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x15: return (.clear, 1)
        case 0x04: return (.gone, 1)
        case 0x1A: return (.stop, 1)
        case 0x0E: return (.down, 1)
        case 0x10: return (.up, 1)
        case ..<0x20: return (nil, 1)
        default: return character(bytes, isWhole).map { ($0.0.map { .character($0) }, $0.count) }
        }
    }

    private static func afterEscape(_ bytes: ArraySlice<UInt8>, _ isWhole: Bool) -> (Key?, count: Int)? {
        guard let byte = bytes.first else { return isWhole ? (.escape, 1) : nil }
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "O"):
            // Parameters, and the letter that ends the sequence.
            guard let end = bytes.dropFirst().firstIndex(where: { 0x40...0x7E ~= $0 }) else {
                return isWhole ? (.escape, 1) : nil
            }
            let name = String(decoding: bytes.dropFirst()[...end], as: UTF8.self)
            return (named[name], 2 + name.utf8.count)
        case 0x1B: return (.escape, 1)
        default: return character(bytes, isWhole).map { ($0.0.map { .alt($0) }, 1 + $0.count) }
        }
    }

    private static let named: [String: Key] = [
        "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end, "1~": .home, "7~": .home, "4~": .end,
        "8~": .end, "5~": .pageUp, "6~": .pageDown,
    ]

    /// The character that bytes begin with; nil of bytes that are none.
    private static func character(_ bytes: ArraySlice<UInt8>, _ isWhole: Bool) -> (Character?, count: Int)? {
        let first = bytes[bytes.startIndex]
        let count = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard bytes.count >= count else { return isWhole ? (nil, bytes.count) : nil }
        let text = String(validating: bytes.prefix(count), as: UTF8.self)
        return (text?.first, count)
    }
}
