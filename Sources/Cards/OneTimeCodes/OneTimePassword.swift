public import VaultCrypto
public import VaultFormat

/// The parameters of one-time codes, as a login keeps them: an `otpauth://` address (the form that QR codes hold),
/// `steam://SECRET`, or the secret alone in base32.
public struct OneTimePassword: Equatable, Sendable {
    /// The source of the next counter.
    public enum Counter: Equatable, Sendable {
        /// Periods of so many seconds since 1970 (RFC 6238).
        case time(period: UInt64)
        /// A number that grows by one with each code (RFC 4226).
        case event(UInt64)
    }

    /// The secret.
    public let secret: [UInt8]
    /// SHA-1 unless the address says otherwise.
    public let hash: HOTP.Hash
    /// Characters of a code: 5 for Steam, else 6 to 8.
    public let digits: Int
    /// True for the letters and digits of Steam.
    public let isSteam: Bool
    /// Time, or the number of the next code.
    public let counter: Counter

    /// An error in an address.
    public struct Problem: Error {
        /// The error.
        public let what: Phrase
    }

    /// - Throws: `Problem`.
    public init(_ text: String) throws {
        let text = text.trimmed
        guard let (scheme, rest) = Self.split(text, "://") else {
            self = try OneTimePassword(secret: text, [:], type: "totp")
            return
        }
        if scheme.lowercased() == "steam" {
            self = try OneTimePassword(secret: rest, ["encoder": "steam"], type: "totp")
            return
        }
        guard scheme.lowercased() == "otpauth" else {
            throw Problem(what: "begins with neither otpauth:// nor steam://")
        }
        let (address, query) = Self.split(rest, "?") ?? (rest, "")
        var values: [String: String] = [:]
        for part in query.split(separator: "&") {
            guard let (key, value) = Self.split(String(part), "=") else { continue }
            values[key.lowercased()] = value.percentDecoded
        }
        let type = address.prefix { $0 != "/" }.lowercased()
        self = try OneTimePassword(secret: values["secret"] ?? "", values, type: type)
    }

    private init(secret: String, _ values: [String: String], type: String) throws {
        guard let bytes = Self.base32(secret), !bytes.isEmpty else { throw Problem(what: "has no secret in base32") }
        let name = values["algorithm"]?.uppercased().replacing("-", with: "").replacing("HMAC", with: "") ?? "SHA1"
        guard let hash = HOTP.Hash(rawValue: name) else {
            throw Problem(what: "wants '\(name)'; SHA1, SHA256 and SHA512 are known")
        }
        isSteam = values["encoder"]?.lowercased() == "steam" || type == "steam"
        digits = isSteam ? 5 : Int(values["digits"] ?? "6") ?? 0
        guard isSteam || 6...8 ~= digits else { throw Problem(what: "asks for codes of other than 6 to 8 digits") }
        switch type {
        case "totp", "steam":
            guard let period = UInt64(values["period"] ?? "30"), 1...3600 ~= period else {
                throw Problem(what: "asks for a period other than 1 to 3600 seconds")
            }
            counter = .time(period: period)
        case "hotp":
            guard let number = UInt64(values["counter"] ?? ""), number < UInt64(Int64.max) else {
                throw Problem(what: "has no counter")
            }
            counter = .event(number)
        default: throw Problem(what: "is of a type other than totp and hotp")
        }
        (self.secret, self.hash) = (bytes, hash)
    }

    /// The code for a counter.
    public func code(counter: UInt64) throws -> String {
        var rest = try HOTP.truncated(secret: secret, counter: counter, hash)
        let symbols = Array((isSteam ? "23456789BCDFGHJKMNPQRTVWXY" : "0123456789").utf8)
        var code: [UInt8] = []
        for _ in 0..<digits {
            code.append(symbols[Int(rest) % symbols.count])
            rest /= UInt32(symbols.count)
        }
        // Steam writes its digits from the last on.
        return String(decoding: isSteam ? code : code.reversed(), as: UTF8.self)
    }

    /// The address with the counter of the next code; nil for codes that come from the time.
    public static func advanced(_ text: String) throws -> String? {
        guard case .event(let number) = try OneTimePassword(text).counter, let (head, query) = split(text, "?") else {
            return nil
        }
        let parts = query.split(separator: "&", omittingEmptySubsequences: false).map { part in
            part.lowercased().hasPrefix("counter=") ? "\(part.prefix(8))\(number + 1)" : String(part)
        }
        return head + "?" + parts.joined(separator: "&")
    }

    private static func split(_ text: String, _ separator: String) -> (String, String)? {
        guard let range = text.firstRange(of: separator) else { return nil }
        return (String(text[..<range.lowerBound]), String(text[range.upperBound...]))
    }

    /// Base32 (RFC 4648, 6) in either case, with the spaces that group it; nil for anything else.
    private static func base32(_ text: String) -> [UInt8]? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (bytes, bits, count) = ([UInt8](), UInt32(0), 0)
        for letter in text.uppercased().utf8 where !" -=".utf8.contains(letter) {
            guard let value = alphabet.firstIndex(of: letter) else { return nil }
            (bits, count) = (bits << 5 | UInt32(value), count + 5)
            guard count >= 8 else { continue }
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count - 8)))
            count -= 8
            bits &= (1 << UInt32(count)) - 1
        }
        return bytes
    }
}
