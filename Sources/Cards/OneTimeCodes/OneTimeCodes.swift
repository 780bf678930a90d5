import VaultCrypto
import VaultFormat

/// One-time codes as another program hands them out: an `otpauth://` address, or what Google Authenticator shows as a QR code to
/// move its codes, `otpauth-migration://offline?data=…`, which holds several.
///
/// The data is a message of Protocol Buffers in base64. Field 1, repeated, is a code: secret (1), name (2), issuer (3), hash (4: 1
/// SHA-1, 2 SHA-256, 3 SHA-512), digits (5: 1 six, 2 eight), type (6: 1 counter, 2 time), counter (7). Fields 3 and 4 are the
/// number of QR codes and the number of this one, from 0.
public struct OneTimeCodes: Sendable {
    /// One code.
    public struct Code: Equatable, Sendable {
        /// The name of the account, and the site or firm; empty where nobody said.
        public let account: String, issuer: String
        /// The address that a login keeps.
        public let address: String
    }

    /// The codes, in their order.
    public private(set) var codes: [Code] = []
    /// The number of QR codes that belong together, and which this one is, from 1.
    public private(set) var part = (number: 1, count: 1)

    /// - Throws: `OneTimePassword.Problem`.
    public init(_ text: String) throws {
        let text = text.trimmed
        guard text.lowercased().hasPrefix(Self.migration) else {
            _ = try OneTimePassword(text)
            let (issuer, account) = Self.names(in: text)
            codes = [Code(account: account, issuer: issuer, address: text)]
            return
        }
        guard let start = text.firstRange(of: "data="),
            let bytes = Base64.decoded(Array(text[start.upperBound...].prefix { $0 != "&" }.percentDecoded.utf8).span)
        else { throw OneTimePassword.Problem(what: "has no data in base64") }
        var message = ProtocolBuffer(bytes)
        while let field = try message.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let code)): codes.append(try Self.code(code))
            case (3, .number(let count)): part.count = Int(min(count, 1000))
            case (4, .number(let index)): part.number = Int(min(index, 1000)) + 1
            default: break
            }
        }
        guard !codes.isEmpty else { throw OneTimePassword.Problem(what: "holds no code") }
    }

    /// The beginning of the addresses that hold several.
    public static let migration = "otpauth-migration://"

    private static func code(_ bytes: [UInt8]) throws -> Code {
        var (parts, numbers) = ([UInt64: [UInt8]](), [UInt64: UInt64]())
        var message = ProtocolBuffer(bytes)
        while let field = try message.next() {
            switch field.value {
            case .bytes(let bytes): parts[field.number] = bytes
            case .number(let number): numbers[field.number] = number
            }
        }
        func text(_ number: UInt64) -> String { String(decoding: parts[number] ?? [], as: UTF8.self) }
        let (secret, name, issuer) = (parts[1] ?? [], text(2), text(3))
        let hashes: [UInt64: String] = [0: "SHA1", 1: "SHA1", 2: "SHA256", 3: "SHA512"]
        guard let algorithm = hashes[numbers[4] ?? 0] else {
            throw OneTimePassword.Problem(what: "has a code with a hash that is not known")
        }
        let isCounted = numbers[6] == 1
        let label = (issuer.isEmpty || name.hasPrefix(issuer + ":") ? name : "\(issuer):\(name)")
        var address = "otpauth://\(isCounted ? "hotp" : "totp")/\(escaped(label))?secret=\(base32(secret))"
        if !issuer.isEmpty { address += "&issuer=\(escaped(issuer))" }
        address += "&algorithm=\(algorithm)&digits=\(numbers[5] == 2 ? 8 : 6)"
        address += isCounted ? "&counter=\(numbers[7] ?? 0)" : "&period=30"
        _ = try OneTimePassword(address)
        let account =
            name.hasPrefix(issuer + ":") && !issuer.isEmpty ? String(name.dropFirst(issuer.count + 1)).trimmed : name
        return Code(account: account, issuer: issuer, address: address)
    }

    /// Issuer and account of an `otpauth://` address.
    private static func names(in address: String) -> (issuer: String, account: String) {
        let parts = address.split(separator: "?", maxSplits: 1)
        let path =
            parts.first?.split(separator: "/", omittingEmptySubsequences: true).dropFirst(2).joined(separator: "/")
            ?? ""
        let label = path.percentDecoded
        let query = parts.dropFirst().first.map(String.init) ?? ""
        let given = query.split(separator: "&").first { $0.lowercased().hasPrefix("issuer=") }
            .map { $0.dropFirst(7).percentDecoded }
        guard let colon = label.firstIndex(of: ":") else { return (given ?? "", label) }
        return (given ?? String(label[..<colon]).trimmed, String(label[colon...].dropFirst()).trimmed)
    }

    /// As an address has it (RFC 3986, 2.1).
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte) || "-._~:@".utf8.contains(byte)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// Base32 without padding (RFC 4648, 6).
    private static func base32(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (text, bits, count) = ([UInt8](), UInt32(0), UInt32(0))
        for byte in bytes {
            (bits, count) = ((bits << 8 | UInt32(byte)) & 0xFFFF, count + 8)
            while count >= 5 {
                count -= 5
                text.append(alphabet[Int(bits >> count & 31)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << (5 - count) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The fields of a message of Protocol Buffers, one after the other.
private struct ProtocolBuffer {
    enum Value {
        case number(UInt64)
        case bytes([UInt8])
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The next field; nil at the end.
    ///
    /// - Throws: `OneTimePassword.Problem` where the message is cut short, or has a field of another form.
    mutating func next() throws -> (number: UInt64, value: Value)? {
        guard !rest.isEmpty else { return nil }
        let key = try number()
        switch key & 7 {
        case 0: return (key >> 3, .number(try number()))
        case 1: return (key >> 3, .bytes(try bytes(8)))
        case 2: return (key >> 3, .bytes(try bytes(number())))
        case 5: return (key >> 3, .bytes(try bytes(4)))
        default: throw Self.malformed
        }
    }

    private static let malformed = OneTimePassword.Problem(what: "has data that cannot be read")

    private mutating func number() throws -> UInt64 {
        var (value, shift) = (UInt64(0), UInt64(0))
        while let byte = rest.popFirst(), shift < 64 {
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        throw Self.malformed
    }

    private mutating func bytes(_ count: UInt64) throws -> [UInt8] {
        guard count <= UInt64(rest.count) else { throw Self.malformed }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }
}
