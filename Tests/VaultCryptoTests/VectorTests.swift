import Foundation
import Testing
import VaultCrypto

/// Published vectors of every primitive.
struct PrimitiveVectorTests {
    /// RFC 7748, 5.2 and 6.1.
    @Test func x25519() throws {
        func key(_ hex: String) throws -> Secret { try Secret(copying: bytes(hex).span) }
        let shared = try X25519.shared(
            key("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"),
            with: bytes("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"))
        let isRight = try shared.isEqual(to: key("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"))
        #expect(isRight)
        let publicKey = try X25519.publicKey(
            of: key("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
        #expect(publicKey == bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
        #expect(throws: CryptoError.authenticationFailed) {
            _ = try X25519.shared(key(String(repeating: "01", count: 32)), with: [UInt8](repeating: 0, count: 32))
                .byteCount
        }
    }

    /// RFC 8032, 7.1, tests 1 to 3.
    @Test func ed25519() throws {
        let vectors = [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
            ),
            (
                "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
            ),
        ]
        for (secret, publicKey, message, signature) in vectors {
            let key = try Secret(copying: bytes(secret).span)
            #expect(try Ed25519.publicKey(of: key) == bytes(publicKey))
            #expect(try Ed25519.signature(of: bytes(message), by: key) == bytes(signature))
            #expect(Ed25519.isSignature(bytes(signature), of: bytes(message), by: bytes(publicKey)))
            for place in [0, 31, 63] {
                var other = bytes(signature)
                other[place] ^= 1
                #expect(!Ed25519.isSignature(other, of: bytes(message), by: bytes(publicKey)))
            }
            #expect(!Ed25519.isSignature(bytes(signature), of: bytes(message) + [0], by: bytes(publicKey)))
            #expect(!Ed25519.isSignature([], of: bytes(message), by: bytes(publicKey)))
        }
    }

    /// RFC 9285, 4.3 and 4.4; what is no base45 is refused.
    @Test func base45() {
        for (plain, text) in [
            ("AB", "BB8"), ("Hello!!", "%69 VD92EX0"), ("base-45", "UJCLQE7W581"), ("ietf!", "QED8WEX0"), ("", ""),
        ] {
            #expect(Base45.text(Array(plain.utf8)) == text)
            #expect(Base45.decoded(text.utf8) == Array(plain.utf8))
            #expect(Base45.characterCount(ofBytes: plain.utf8.count) == text.utf8.count)
        }
        for wrong in [":::", "GGW", "A", "AAAA", "bb8", "BB\n", "::"] {
            #expect(Base45.decoded(wrong.utf8) == nil, "\(wrong)")
        }
        #expect(Base45.decoded("FGW".utf8) == [0xFF, 0xFF])
    }

    @Test(arguments: ["gcmEncryptExtIV256.rsp", "gcmDecrypt256.rsp"])
    func nistCAVP(_ name: String) throws {
        let path = "/usr/lib/python3/dist-packages/cryptography_vectors/ciphers/AES/GCM/\(name)"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var (count, values, isFailure) = (0, [String: [UInt8]](), false)
        func runCase() throws {
            // Only the suite's nonces of 12 and tags of 16 bytes are used by the format.
            guard let key = values["Key"], let iv = values["IV"], iv.count == 12, let tag = values["Tag"],
                tag.count == 16, let sealed = values["CT"].map({ $0 + tag })
            else { return }
            count += 1
            var cipher = try AESGCM(key: key.span)
            var plain = [UInt8](repeating: 0xAA, count: sealed.count - 16)
            var out = plain.mutableSpan
            let aad = values["AAD"] ?? []
            let nonce = Nonce(prefix: iv.span)
            if isFailure {
                #expect(throws: CryptoError.authenticationFailed) {
                    try cipher.open(sealed.span, nonce: nonce, aad: aad.span, into: &out)
                }
                #expect(plain.allSatisfy { $0 == 0 }, "nothing of an unauthentic message is released")
                return
            }
            try cipher.open(sealed.span, nonce: nonce, aad: aad.span, into: &out)
            #expect(plain == values["PT"])
            var again = [UInt8](repeating: 0, count: sealed.count)
            var span = again.mutableSpan
            try cipher.seal(plain.span, nonce: nonce, aad: aad.span, into: &span)
            #expect(again == sealed)
        }
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if parts[0] == "Count" {
                try runCase()
                (values, isFailure) = ([:], false)
            } else if parts[0] == "FAIL" {
                isFailure = true
            } else if parts.count == 2, !parts[0].hasPrefix("[") {
                values[parts[0]] = bytes(parts[1])
            } else if line.hasSuffix(" =") {
                values[String(line.dropLast(2))] = []
            }
        }
        try runCase()
        #expect(count >= 300)
    }

    @Test(arguments: [
        // RFC 5869, A.1 to A.3.
        (
            "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        ),
        (
            hex(0x00...0x4f), hex(0x60...0xaf), hex(0xb0...0xff),
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
        ),
        (
            "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "", "",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        ),
    ])
    func hkdf(_ material: String, _ salt: String, _ info: String, _ expected: String) throws {
        var hkdf = try HKDF()
        for _ in 0..<2 {  // a context is as good the second time
            var out = [UInt8](repeating: 0, count: expected.count / 2)
            var span = out.mutableSpan
            try hkdf.derive(
                from: bytes(material).span, salt: bytes(salt).span, info: bytes(info).span, into: &span)
            #expect(out == bytes(expected))
        }
    }

    @Test(arguments: [
        // RFC 4231, 4.2 to 4.4, 4.7 and 4.8.
        (
            String(repeating: "0b", count: 20), text("Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            text("Jefe"), text("what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            String(repeating: "aa", count: 131), text("Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            String(repeating: "aa", count: 131),
            text(
                "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
                    + "hashed before being used by the HMAC algorithm."),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ])
    func hmac(_ key: String, _ message: String, _ expected: String) throws {
        var hmac = try HMACSHA256(key: bytes(key).span)
        #expect(try hmac.tag(of: bytes(message).span) == bytes(expected))
        #expect(
            try hmac.isValid(bytes(expected).span, for: bytes(message).span), "a context is as good the second time")
        var wrong = bytes(expected)
        wrong[31] ^= 1
        #expect(try !hmac.isValid(wrong.span, for: bytes(message).span))
    }

    @Test(arguments: [
        // RFC 7914, 11 (the first 32 of 64 bytes: PBKDF2's first block).
        ("passwd", "salt", 1, "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"),
        ("Password", "NaCl", 80_000, "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"),
    ])
    func pbkdf2(_ password: String, _ salt: String, _ iterations: UInt32, _ expected: String) throws {
        let key = try PasswordHash.pbkdf2(
            password: Secret(copying: Array(password.utf8).span), salt: Array(salt.utf8).span, iterations: iterations)
        #expect(key.withSpan { hex($0) } == expected)
    }

    @Test func argon2id() throws {
        // RFC 9106, 5.3.
        let key = try Argon2id.hash(
            password: Secret(copying: [UInt8](repeating: 1, count: 32).span), salt: [UInt8](repeating: 2, count: 16),
            cost: Argon2id.Cost(memory: 32, passes: 3, lanes: 4), key: [UInt8](repeating: 3, count: 8),
            data: [UInt8](repeating: 4, count: 12))
        #expect(key.withSpan { hex($0) } == "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659")
    }

    @Test func argon2idWithoutItsMemory() throws {
        let error = #expect(throws: CryptoError.self) {
            _ = try Argon2id.hash(
                password: Secret(byteCount: 8), salt: [UInt8](repeating: 2, count: 16),
                cost: Argon2id.Cost(memory: 1, passes: 1, lanes: 1))
        }
        #expect(error == .libraryFailure(function: "argon2id_ctx"))
    }

    @Test(arguments: [
        // FIPS 180-4's examples.
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func sha256(_ message: String, _ expected: String) throws {
        #expect(try SHA256.hash(Array(message.utf8).span) == bytes(expected))
    }

    @Test func ctrKeystream() throws {
        // SP 800-38A, F.5.5 has another counter: compare with GCM, whose keystream for a nonce begins at counter 2.
        let key = try Secret(copying: [UInt8](0..<32).span)
        var ctr = try AESCTR(key: key)
        var whole = [UInt8](repeating: 0xFF, count: 1000)
        var span = whole.mutableSpan
        try ctr.keystream(from: 0, into: &span)
        var gcm = try AESGCM(key: key)
        var sealed = [UInt8](repeating: 0, count: 968 + 16)
        var sealedSpan = sealed.mutableSpan
        let zeros = [UInt8](repeating: 0, count: 968)
        try gcm.seal(zeros.span, nonce: Nonce(high: 0, low: 0), into: &sealedSpan)
        #expect(Array(sealed[..<968]) == Array(whole[32...]))
        for (from, count) in [(0, 1), (1, 15), (15, 17), (16, 16), (17, 900), (999, 1)] {
            var part = [UInt8](repeating: 0xFF, count: count)
            var partSpan = part.mutableSpan
            try ctr.keystream(from: UInt64(from), into: &partSpan)
            #expect(part == Array(whole[from..<from + count]), "bytes \(from) to \(from + count)")
        }
        var far = [UInt8](repeating: 0, count: 16)
        var farSpan = far.mutableSpan
        try ctr.keystream(from: 1 << 40, into: &farSpan)
        #expect(far != Array(whole[..<16]), "the counter carries")
    }
}

private func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.utf8.map { UInt8($0 < 58 ? $0 - 48 : $0 - 87) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

private func hex(_ bytes: Span<UInt8>) -> String {
    bytes.indices.map { String(256 + Int(bytes[$0]), radix: 16).dropFirst() }.joined()
}

private func hex(_ range: ClosedRange<Int>) -> String { range.map { String(256 + $0, radix: 16).dropFirst() }.joined() }

private func text(_ text: String) -> String { text.utf8.map { String(256 + Int($0), radix: 16).dropFirst() }.joined() }
