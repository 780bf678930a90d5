package import VaultCrypto

/// The bytes behind the payload area of a commit: its record, the check table, a copy of the manifest's head, padding
/// (Spec/container.md, 3.1 and 3.3). The head's copy stands in other sectors than the head, and masked,
/// so that searching for it does not show where the head is.
package struct CommitTail {
    private let table: [UInt8]
    /// The bytes behind the table, up to the parity. The table's last row is the hash of the whole rest.
    private let rest: [UInt8]

    /// The extension area that stands here; nil if none does.
    package let area: ExtensionArea?
    /// The bytes of the parity in the file; empty if there is none.
    package let parity: Range<UInt64>
    /// The bytes behind the parity.
    package let end: [UInt8]

    /// - Parameters:
    ///   - place: where the payload area ends.
    ///   - rows: those of the payload area.
    ///   - head: the head of the manifest segment, sealed.
    ///   - extensions: an extension area.
    ///   - parityByteCount: bytes of parity.
    ///   - writeParity: writes the parity to the place that it gets, and adds its bytes to the hash; called if there is any.
    package init(
        at place: UInt64, payloadLength: UInt64, rows: [UInt8], head: [UInt8], extensions: [UInt8] = [],
        parityByteCount: UInt64 = 0, _ salt: Salt, _ keys: Keys,
        writeParity: (UInt64, inout SHA256) throws -> Void = { _, _ in }
    ) throws {
        let behindHead = place + Core.tailByteCount(payloadLength, head: UInt64(head.count))
        area =
            extensions.isEmpty
            ? nil
            : try ExtensionArea(place: Layout.align(behindHead, to: Layout.recordAlignment), bytes: extensions)
        let behindArea = area?.end ?? behindHead
        let parityPlace = parityByteCount > 0 ? Layout.align(behindArea, to: Layout.alignment) : behindArea
        parity = parityPlace..<parityPlace + parityByteCount
        let front = Core.tailByteCount(payloadLength, head: 0)
        let byteCount = Layout.align(Layout.padme(parity.upperBound - place), to: Layout.alignment)
        /// The offset in the rest of a place in the file.
        func offset(of other: UInt64) -> UInt64 { other - place - front }
        let isWithParity = parityByteCount > 0
        var rest = [UInt8](repeating: 0, count: Int(isWithParity ? offset(of: parity.lowerBound) : byteCount - front))
        rest.replaceSubrange(..<head.count, with: head)
        try keys.maskRest(&rest, salt)
        for copy in area?.copies ?? [] {
            let start = Int(offset(of: copy))
            rest.replaceSubrange(start..<start + extensions.count, with: extensions)
        }
        var end = [UInt8](
            repeating: 0, count: Int(isWithParity ? byteCount - front - offset(of: parity.upperBound) : 0))
        try keys.maskRest(&end, from: offset(of: parity.upperBound), salt)
        var hash = try CheckTable.hash(UInt64(rows.count / CheckTable.rowByteCount), salt: salt)
        try hash.update(rest.span)
        if isWithParity { try writeParity(parity.lowerBound, &hash) }
        try hash.update(end.span)
        table = rows + (try hash.finish())
        precondition(CommitRecord.byteCount + table.count == Int(front), "a row for each block")
        (self.rest, self.end) = (rest, end)
    }

    /// Length of the tail, a multiple of 4,096.
    package var byteCount: UInt64 {
        UInt64(CommitRecord.byteCount + table.count + rest.count + parity.count + end.count)
    }

    /// SHA-256 of the check table.
    package var tableHash: Bytes32 { get throws { Bytes32(try SHA256.hash(table.span)) } }

    /// The bytes of the tail up to the parity, with the commit's record at the front.
    package func bytes(behind record: CommitRecord) -> [UInt8] { record.bytes + table + rest }
}
