import VaultCrypto

/// The bytes behind the payload area of a commit: its record, the check table, a copy of the manifest's head, padding
/// (Spec/container.md, 3.1 and 3.3). The head's copy stands in other sectors than the head, and masked,
/// so that searching for it does not show where the head is.
package struct CommitTail {
    private let table: [UInt8]
    /// The bytes behind the table. The table's last row is their hash.
    private let rest: [UInt8]

    /// The extension area that stands here; nil if none does.
    package let area: ExtensionArea?

    /// - Parameters:
    ///   - place: where the payload area ends.
    ///   - rows: those of the payload area.
    ///   - head: the head of the manifest segment, sealed.
    ///   - extensions: an extension area.
    package init(
        at place: UInt64, payloadLength: UInt64, rows: [UInt8], head: [UInt8], extensions: [UInt8] = [], _ salt: Salt,
        _ keys: Keys
    ) throws {
        let behindHead = place + Core.tailByteCount(payloadLength, head: UInt64(head.count))
        area =
            extensions.isEmpty
            ? nil
            : try ExtensionArea(place: Layout.align(behindHead, to: Layout.recordAlignment), bytes: extensions)
        let used = (area?.end ?? behindHead) - place
        let front = Core.tailByteCount(payloadLength, head: 0)
        let byteCount = Layout.align(Layout.padme(used), to: Layout.alignment)
        var rest = head + [UInt8](repeating: 0, count: Int(byteCount - front) - head.count)
        try keys.maskRest(&rest, salt)
        for copy in area?.copies ?? [] {
            let start = Int(copy - place - front)
            rest.replaceSubrange(start..<start + extensions.count, with: extensions)
        }
        let index = UInt64(rows.count / CheckTable.rowByteCount)
        table = rows + (try CheckTable.row(index, of: rest.span, salt: salt))
        precondition(CommitRecord.byteCount + table.count == Int(front), "a row for each block")
        self.rest = rest
    }

    /// Length of the tail, a multiple of 4,096.
    package var byteCount: UInt64 { UInt64(CommitRecord.byteCount + table.count + rest.count) }

    /// SHA-256 of the check table.
    package var tableHash: Bytes32 { get throws { Bytes32(try SHA256.hash(table.span)) } }

    /// All bytes of the tail, with the commit's record at the front.
    package func bytes(behind record: CommitRecord) -> [UInt8] { record.bytes + table + rest }
}
