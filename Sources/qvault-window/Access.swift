import Synchronization
import VaultCrypto
import Values

/// Access is the page's alone, which the address opened (Spec/product/window.md, 2). A cookie would not do: browsers send those to every
/// port of this machine, and whoever listens there would have them.
final class Access: Sendable {
    /// 0 until the server has one.
    private let port = Atomic<UInt16>(0)
    /// The page's key, which each request has.
    private let key: [UInt8]
    /// The token of the address; nil once it was used.
    private let token: Mutex<[UInt8]?>

    init() throws {
        var random = SystemRandom()
        key = Array(hexText(try random.bytes(32)).utf8)
        token = Mutex(Array(hexText(try random.bytes(32)).utf8))
    }

    /// From now on requests may come to this port.
    func serve(on port: UInt16) { self.port.store(port, ordering: .relaxed) }

    private var host: String { "127.0.0.1:\(port.load(ordering: .relaxed))" }

    /// The address that opens the window, once. What stands behind `#` no browser sends.
    var address: String { "http://\(host)/#\(token.withLock { String(decoding: $0 ?? [], as: UTF8.self) })" }

    /// Takes the token of an address: the page's key, or nil where it is not the token, or was used.
    func enter(with given: String) -> String? {
        token.withLock { token in
            guard let right = token, Self.areEqual(right, given) else { return nil }
            token = nil
            return String(decoding: key, as: UTF8.self)
        }
    }

    /// True of a request that goes to this server by its own name, and comes from nowhere else than its page.
    func isOwn(_ exchange: Exchange) -> Bool {
        guard exchange.header("Host") == host else { return false }
        if let origin = exchange.header("Origin"), origin != "http://\(host)" { return false }
        let site = exchange.header("Sec-Fetch-Site") ?? "none"
        return site == "same-origin" || site == "none"
    }

    /// True of a request with the page's key.
    func isKnown(_ exchange: Exchange) -> Bool { exchange.header("X-Window").map { Self.areEqual(key, $0) } ?? false }

    private static func areEqual(_ right: [UInt8], _ given: String) -> Bool {
        let given = Array(given.utf8)
        return constantTimeEqual(right.span, given.span)
    }
}
