import Synchronization
import VaultCrypto
import Values

/// Who may ask: the page of this server, in the browser that opened the address, and nobody else (Spec/product/window.md, 2).
final class Access: Sendable {
    /// 0 until the server has one.
    private let port = Atomic<UInt16>(0)
    /// What the browser shows with each request.
    private let cookie: [UInt8]
    /// What the address shows once; nil after that.
    private let token: Mutex<[UInt8]?>

    init() throws {
        var random = SystemRandom()
        cookie = Array(hexText(try random.bytes(32)).utf8)
        token = Mutex(Array(hexText(try random.bytes(32)).utf8))
    }

    /// From now on requests may come to this port.
    func serve(on port: UInt16) { self.port.store(port, ordering: .relaxed) }

    private var host: String { "127.0.0.1:\(port.load(ordering: .relaxed))" }

    /// Browsers send the cookies of all servers of this machine to each of them.
    private var cookieName: String { "qvault-\(port.load(ordering: .relaxed))" }

    /// The address that opens the window, once.
    var address: String { "http://\(host)/?token=\(token.withLock { String(decoding: $0 ?? [], as: UTF8.self) })" }

    /// Takes the token of an address: the header that gives the cookie, or nil where it is not the token, or was used.
    func takeToken(_ given: String) -> String? {
        let isRight = token.withLock { token in
            guard let right = token, Self.areEqual(right, given) else { return false }
            token = nil
            return true
        }
        guard isRight else { return nil }
        return "\(cookieName)=\(String(decoding: cookie, as: UTF8.self)); Path=/; HttpOnly; SameSite=Strict"
    }

    /// True of a request that goes to this server by its own name, and comes from nowhere else than its page. A page of another
    /// port of this machine is of the same site, and its requests have the cookie.
    func isOwn(_ exchange: Exchange) -> Bool {
        guard exchange.header("Host") == host else { return false }
        if let origin = exchange.header("Origin"), origin != "http://\(host)" { return false }
        let site = exchange.header("Sec-Fetch-Site") ?? "none"
        return site == "same-origin" || site == "none"
    }

    /// True of a request with the cookie.
    func isKnown(_ exchange: Exchange) -> Bool {
        exchange.cookie(cookieName).map { Self.areEqual(cookie, $0) } ?? false
    }

    private static func areEqual(_ right: [UInt8], _ given: String) -> Bool {
        let given = Array(given.utf8)
        return constantTimeEqual(right.span, given.span)
    }
}
