import Pictures
import Values

extension MarkedCopy.Limits {
    /// The limits of a copy by where it goes (Spec/product/watermark.md, 4).
    ///
    /// Chats make pictures that are wider than 1,080 pixels smaller, and blur what is longer than they like; a mailbox takes
    /// 10 to 25 MB with all that a letter holds, a third of it for its coding.
    private static let places: [(names: [String], limits: Self)] = [
        (["wechat", "微信"], Self(byteCount: 1_000_000, pictureWidth: 1080)),
        (["email", "邮件"], Self(byteCount: 5_000_000)),
    ]

    init(_ arguments: Arguments) throws {
        let place = try arguments.value(.for, or: "--for takes wechat, email, or a size up to 1GB like 2MB") { text in
            Self.places.first { $0.names.contains(text) }?.limits ?? Self.bytes(text).map { Self(byteCount: $0) }
        }
        self = place ?? Self()
        // `--width` and `--max-bytes` go before it.
        width = try arguments.number(.width, in: 64...30_000) ?? width
        byteCount =
            try arguments.value(
                .maxBytes, or: "--max-bytes takes a size up to 1GB, like 2MB or 500KB", Self.bytes) ?? byteCount
    }

    private static func bytes(_ text: String) -> Int? {
        ByteSize.bytes(text).flatMap { 1...(1 << 30) ~= $0 ? Int($0) : nil }
    }
}
