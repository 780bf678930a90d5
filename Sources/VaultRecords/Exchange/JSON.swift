import CJansson
import VaultFormat
import VaultStore

/// A JSON value (RFC 8259).
package indirect enum JSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case unsigned(UInt64)
    case text(String)
    case list([JSON])
    case object([(String, JSON)])

    /// One line, members in the order given.
    package var line: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
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
package func hexText(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { out in
        for (i, byte) in bytes.enumerated() {
            unsafe out[2 * i] = digits[Int(byte >> 4)]
            unsafe out[2 * i + 1] = digits[Int(byte & 15)]
        }
        return bytes.count * 2
    }
}

extension JSON {
    /// The member of an object; nil where there is none, or no object.
    package subscript(_ key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == key }?.1
    }

    /// A text; nil of anything else.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The items of a list; nil of anything else.
    package var items: [JSON]? { if case .list(let items) = self { items } else { nil } }
    /// The members of an object; nil of anything else.
    package var members: [(String, JSON)]? { if case .object(let members) = self { members } else { nil } }
    /// A whole number; nil of anything else.
    package var number: Int64? { if case .integer(let number) = self { number } else { nil } }
    /// True or false; nil of anything else.
    package var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    /// Reads a text, by Jansson: at most 2,048 deep, no key twice in an object.
    ///
    /// - Throws: `ImportError.malformed`, with the place.
    package init(parsing text: [UInt8]) throws {
        var error = json_error_t()
        let flags = Int(JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL)
        let value = unsafe text.withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) {
                unsafe json_loadb($0.baseAddress, $0.count, flags, &error)
            }
        }
        guard let value = unsafe value else {
            let what = unsafe withUnsafeBytes(of: error.text) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw ImportError.malformed("no JSON: \(printable(what.utf8))", line: Int(max(1, error.line)))
        }
        defer { unsafe qv_json_free(value) }
        unsafe self.init(value)
    }

    private init(_ value: UnsafePointer<json_t>) {
        switch unsafe value.pointee.type {
        case JSON_NULL: self = .null
        case JSON_TRUE: self = .bool(true)
        case JSON_FALSE: self = .bool(false)
        case JSON_INTEGER: self = .integer(unsafe json_integer_value(value))
        case JSON_REAL: self = .real(unsafe json_real_value(value))
        case JSON_ARRAY:
            let count = unsafe json_array_size(value)
            self = .list((0..<count).map { unsafe JSON(json_array_get(value, $0)) })
        case JSON_OBJECT:
            var members: [(String, JSON)] = []
            let object = unsafe UnsafeMutablePointer(mutating: value)
            var next = unsafe json_object_iter(object)
            while let place = unsafe next {
                let key = unsafe String(cString: json_object_iter_key(place))
                members.append((key, unsafe JSON(json_object_iter_value(place))))
                unsafe next = json_object_iter_next(object, place)
            }
            self = .object(members)
        default:
            let bytes = unsafe UnsafeRawBufferPointer(
                start: json_string_value(value), count: json_string_length(value))
            self = .text(unsafe String(decoding: bytes, as: UTF8.self))
        }
    }
}
