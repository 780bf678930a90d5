extension StringProtocol {
    /// The text without the percent signs of an address (RFC 3986, 2.1). A percent sign that no two digits follow stays.
    package var percentDecoded: String {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = hexadecimalBytes(digits) {
                bytes += value
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
