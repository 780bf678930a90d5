import CJansson

extension JSON {
    /// Reads a text, by Jansson: at most 2,048 deep, no key twice in an object.
    ///
    /// - Throws: `MalformedText`, with the place.
    package init(parsing text: [UInt8]) throws {
        // A byte order mark is no part of it.
        let text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text[...]
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
            // What stands near the place may be a secret.
            let rule = what.split(separator: " near ", maxSplits: 1).first ?? ""
            throw MalformedText("no JSON: \(printable(rule.utf8))", line: Int(max(1, error.line)))
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
