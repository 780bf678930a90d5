import Testing
import VaultCrypto
@Test func speed() throws {
    let k = try Secret(copying: [UInt8](repeating: 1, count: 32).span)
    var h = try HKDF()
    var out = [UInt8](repeating: 0, count: 32)
    let info = [UInt8](repeating: 3, count: 60), salt = [UInt8](repeating: 3, count: 32)
    let c = ContinuousClock()
    let t = try c.measure { for _ in 0..<100_000 { try k.withSpan { var o = out.mutableSpan; try h.derive(from: $0, salt: salt.span, info: info.span, into: &o) } } }
    print("hkdf", t / 100_000)
    let t2 = try c.measure { for _ in 0..<100_000 { _ = try AESGCM(key: k) } }
    print("gcm init", t2 / 100_000)
    var big = [UInt8](repeating: 7, count: 65536), sealed = [UInt8](repeating: 0, count: 65552)
    var g = try AESGCM(key: k)
    let t3 = try c.measure { for i in 0..<10000 { var o = sealed.mutableSpan; try g.seal(big.span, nonce: Nonce(high: 0, low: UInt64(i)), into: &o) } }
    print("gcm GB/s", 655.36 / 1000 / (Double(t3.components.attoseconds) / 1e18 + Double(t3.components.seconds)))
    var tag = [UInt8](repeating: 0, count: 16)
    let t4 = try c.measure { for i in 0..<10000 { var o = tag.mutableSpan; try g.authenticationTag(of: big.span, nonce: Nonce(high: 0, low: UInt64(i)), into: &o) } }
    print("gmac GB/s", 655.36 / 1000 / (Double(t4.components.attoseconds) / 1e18 + Double(t4.components.seconds)))
    var m = try HMACSHA256(key: k)
    let t5 = try c.measure { for _ in 0..<100_000 { _ = try m.tag(of: info.span) } }
    print("hmac", t5 / 100_000)
    big[0] = 1
    let t6 = try c.measure { _ = try PasswordHash.pbkdf2(password: k, salt: salt.span, iterations: 100_000) }
    print("pbkdf2", t6)
}
