/// Text for a line of output, from bytes of any kind. Control and format characters (among them those that change the
/// direction of text), line separators and bytes that are not UTF-8 become `\xNN` or `\u{…}`; a backslash is doubled.
public func printable(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    if isPrintable(bytes.span) { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
        return bytes.map { 0x20..<0x7F ~= $0 && $0 != 0x5C ? String(UnicodeScalar($0)) : escape($0) }.joined()
    }
    return escaped(text) { $0 == "\\" ? "\\\\" : escape($0) }
}

/// The same for text that may hold escapes already: a backslash stays as it is, and so do the characters in `keeping`.
///
/// Everything that the command writes to a terminal passes through here or through `printable`.
public func terminalSafe(_ text: String, keeping: Set<UnicodeScalar> = []) -> String {
    if text.unicodeScalars.allSatisfy({ escape($0) == nil || keeping.contains($0) }) { return text }
    return escaped(text) { keeping.contains($0) ? nil : escape($0) }
}

/// Text with escapes. The joiner between two emoji stays: it makes one picture of them.
private func escaped(_ text: String, _ escape: (UnicodeScalar) -> String?) -> String {
    let scalars = Array(text.unicodeScalars)
    return scalars.indices.map { index in
        let isJoiner = scalars[index] == "\u{200D}" && index > 0 && index < scalars.count - 1
        let isJoining =
            isJoiner && isPicture(scalars[index + 1])
            && (isPicture(scalars[index - 1]) || scalars[index - 1] == "\u{FE0F}")
        return isJoining ? String(scalars[index]) : escape(scalars[index]) ?? String(scalars[index])
    }.joined()
}

private func isPicture(_ scalar: UnicodeScalar) -> Bool { scalar.value > 0xFF && scalar.properties.isEmoji }

/// True if bytes are `printable` as they are. Answers without decoding for ASCII and for U+3000 to U+9FFF, the blocks of
/// Chinese and Japanese; false where only a closer look can tell.
public func isPrintable(_ bytes: Span<UInt8>) -> Bool {
    var index = 0
    while index < bytes.count {
        if 0x20..<0x7F ~= bytes[index], bytes[index] != 0x5C {
            index += 1
        } else if 0xE3...0xE9 ~= bytes[index], index + 2 < bytes.count, bytes[index + 1] & 0xC0 == 0x80,
            bytes[index + 2] & 0xC0 == 0x80
        {
            index += 3
        } else {
            return false
        }
    }
    return true
}

/// The escape of a character that must not reach a terminal; nil for all others.
private func escape(_ scalar: UnicodeScalar) -> String? {
    if 0x20..<0x7F ~= scalar.value { return nil }
    switch scalar.properties.generalCategory {
    case .control: return escape(UInt8(scalar.value))
    case .format, .lineSeparator, .paragraphSeparator: return "\\u{\(String(scalar.value, radix: 16))}"
    default: return nil
    }
}

private func escape(_ byte: UInt8) -> String { "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
