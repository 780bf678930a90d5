import VaultCrypto

/// The place of the extension area that is in force: bytes that key slots need beside their own (Spec/container.md, 3.8). It stands
/// twice behind the head's copy of some commit.
package struct ExtensionArea: Equatable, Sendable {
    /// The first copy.
    package let place: UInt64
    package let byteCount: Int
    package let hash: Bytes32

    package init(place: UInt64, bytes: [UInt8]) throws {
        (self.place, byteCount) = (place, bytes.count)
        hash = Bytes32(try SHA256.hash(bytes.span))
    }

    /// Reads what a core says; nil where there is no area. Its place is not judged.
    init?(parsing fields: inout FieldReader) {
        let offset: UInt64 = fields.integer()
        byteCount = Int(fields.integer(UInt32.self))
        fields.skip(to: fields.offset + 4)
        (place, hash) = (Layout.place(ofStored: offset), fields.bytes32())
        if byteCount == 0 { return nil }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(Layout.stored(place))
        fields.put(UInt32(byteCount))
        fields.put(UInt32(0))
        fields.put(hash)
    }

    /// Both copies: the second begins at the next multiple of 4,096 behind the first, hence in other sectors.
    package var copies: [UInt64] { [place, Layout.align(place + UInt64(byteCount), to: Layout.alignment)] }

    /// First byte behind both copies.
    package var end: UInt64 { copies[1] + UInt64(byteCount) }

    /// True if both copies can stand in a log that ends at `end`.
    func fits(before end: UInt64) -> Bool {
        byteCount <= Limits.extensionByteCount && Layout.logStart <= place && place < Limits.fileByteCount
            && self.end <= end
    }

    /// The items of an area for slots with these ids, and those of the vault: each is an id, a length and as many bytes. What is no
    /// item falls.
    package static func items(of bytes: [UInt8], for ids: [Bytes16]) -> [UInt8] {
        var (rest, kept) = (bytes[...], [UInt8]())
        while rest.count >= 20 {
            let id = Bytes16(Array(rest.prefix(16)).span)
            let count = rest.dropFirst(16).prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard count <= rest.count - 20 else { break }
            if id == .zero || ids.contains(id) { kept += rest.prefix(20 + count) }
            rest = rest.dropFirst(20 + count)
        }
        return kept
    }
}
