import CWindow
import Glibc
import Values

/// A request, and the answer to it.
@safe struct Exchange {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    private static func text(_ value: UnsafePointer<CChar>?) -> String? {
        unsafe value.flatMap { unsafe String(validatingCString: $0) }
    }

    /// The method in capitals.
    var method: String { unsafe Self.text(qv_exchange_method(pointer)) ?? "" }
    /// The path without its query; empty where it is no text.
    var path: String { unsafe Self.text(qv_exchange_path(pointer)) ?? "" }
    /// The path and the query as they were sent.
    var target: String { unsafe Self.text(qv_exchange_target(pointer)) ?? "" }
    func header(_ name: String) -> String? { unsafe Self.text(qv_exchange_header(pointer, name)) }
    func query(_ name: String) -> String? { unsafe Self.text(qv_exchange_query(pointer, name)) }

    /// True while the other side still listens.
    var isOpen: Bool { unsafe qv_exchange_is_open(pointer) }

    /// Lets the request have a body; false where it says that its is longer.
    func allowBody(upTo byteCount: UInt64) -> Bool {
        let length = unsafe qv_exchange_body_length(pointer)
        unsafe qv_exchange_allow(pointer, byteCount)
        return length <= byteCount || length == .max
    }

    /// The body as a file in memory, which is the caller's to close.
    var body: Int32 {
        let body = unsafe qv_exchange_body(pointer)
        return body >= 0 ? fcntl(body, F_DUPFD_CLOEXEC, 3) : openToRead("/dev/null")
    }

    /// A header of the answer.
    func add(_ name: String, _ value: String) { unsafe qv_exchange_add(pointer, name, value) }

    func reply(_ status: Int, _ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer {
            unsafe qv_exchange_reply(pointer, UInt32(status), $0.baseAddress, $0.count)
        }
    }

    func reply(_ status: Int, _ text: String, type: String = "text/plain; charset=utf-8") {
        add("Content-Type", type)
        let bytes = Array(text.utf8)
        reply(status, bytes.span)
    }

    func reply(_ json: JSON, status: Int = 200) { reply(status, json.line, type: "application/json") }

    /// True where the page, or else the browser, speaks Chinese.
    var isChinese: Bool { query("lang").map { $0 == "zh" } ?? header("Accept-Language")?.hasPrefix("zh") ?? false }

    func refuse(_ refusal: RequestRefusal) { reply(refusal.status, refusal.text(isChinese: isChinese)) }

    /// The same as an error of api.md.
    func refuseCall(_ refusal: RequestRefusal) {
        reply(["status": refusal.status, "detail": refusal.text(isChinese: isChinese)], status: refusal.status)
    }

    /// Answers with a part of a file, whose descriptor is closed then.
    func reply(_ status: Int, file: Int32, offset: UInt64 = 0, length: UInt64) {
        unsafe qv_exchange_reply_file(pointer, UInt32(status), file, offset, length)
    }
}
