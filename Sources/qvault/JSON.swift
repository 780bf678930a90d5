import VaultFormat
import VaultStore

/// A value to print as JSON (RFC 8259): one line, members in the order given.
indirect enum JSON {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case text(String)
    case list([JSON])
    case object([(String, JSON)])

    /// A path: text, and where it is not UTF-8 its bytes in hexadecimal too.
    static func path(_ path: Path, key: String = "path") -> [(String, JSON)] {
        if let text = String(validating: path.bytes, as: UTF8.self) { return [(key, .text(text))] }
        return [(key, .text(path.description)), (key + "_hex", .text(hexText(path.bytes)))]
    }

    var line: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .text(let value): Self.quoted(value)
        case .list(let items): "[" + items.map(\.line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0) + ":" + $1.line }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default:
                if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                    || scalar.properties.generalCategory == .format
                {
                    result += scalar.utf16.map { "\\u" + String(0x10000 + UInt32($0), radix: 16).dropFirst() }.joined()
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }
}

/// Lower-case hexadecimal digits, two for each byte.
func hexText(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { out in
        for (i, byte) in bytes.enumerated() {
            unsafe out[2 * i] = digits[Int(byte >> 4)]
            unsafe out[2 * i + 1] = digits[Int(byte & 15)]
        }
        return bytes.count * 2
    }
}
