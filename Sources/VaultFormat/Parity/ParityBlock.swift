/// A block of parity (Spec/container.md, 3.9).
package struct ParityBlock: Sendable {
    /// Bytes in front of the parity itself.
    package static let headByteCount = ParityLayout.blockByteCount - ParityLayout.dataByteCount
    /// The bytes with which it begins.
    package static let magic: [UInt8] = [0x89, 0x51, 0x56, 0x50, 0x52, 0x54, 0x59, 0x0A]
    private static let checksumOffset = 252

    package let layout: ParityLayout
    package let group: UInt64
    package let row: Int
    /// Checksums of the blocks of data at `layout.checkedPlaces(row:)`.
    package let checks: [UInt32]

    /// - Parameter checks: those of all places of the group.
    package init(_ layout: ParityLayout, group: UInt64, row: Int, checks: [UInt32]) {
        (self.layout, self.group, self.row) = (layout, group, row)
        self.checks = layout.checkedPlaces(row: row).map { checks[$0] }
    }

    /// The bytes in front of the parity.
    package func head(before parity: Span<UInt8>) -> [UInt8] {
        var fields = FieldWriter(byteCount: Self.headByteCount)
        fields.put(Self.magic)
        fields.put(layout.kind.rawValue)
        fields.put(UInt8(layout.parityCount))
        fields.put(UInt16(row))
        fields.put(UInt32(group))
        fields.put(layout.kind == .payload ? Layout.stored(layout.range.lowerBound) : 0)
        fields.put(UInt64(layout.range.count))
        fields.put(Array(layout.tag.bytes.prefix(ParityLayout.tagByteCount)))
        for check in checks { fields.put(check) }
        fields.put(crc32c(fields.bytes.span, parity))
        return fields.bytes
    }

    /// True if a block may begin here.
    package static func hasMagic(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= ParityLayout.blockByteCount && magic.indices.allSatisfy { bytes[$0] == magic[$0] }
    }

    /// Reads the block with which `bytes` begin; nil where none does, or one that is damaged.
    package init?(_ bytes: Span<UInt8>) {
        guard Self.hasMagic(bytes) else { return nil }
        let parity = bytes.extracting(Self.headByteCount..<ParityLayout.blockByteCount)
        var fields = FieldReader((0..<Self.headByteCount).map { bytes[$0] })
        fields.skip(to: Self.magic.count)
        let (kind, count) = (fields.integer(UInt8.self), fields.integer(UInt8.self))
        let (row, group) = (Int(fields.integer(UInt16.self)), UInt64(fields.integer(UInt32.self)))
        let (start, length) = (fields.integer(UInt64.self), fields.integer(UInt64.self))
        let tag = fields.take(ParityLayout.tagByteCount)
        checks = (0..<ParityLayout.checkCount).map { _ in fields.integer() }
        let checksum: UInt32 = fields.integer()
        guard checksum == crc32c(bytes.extracting(0..<Self.checksumOffset), parity),
            let kind = ParityLayout.Kind(rawValue: kind), start <= Limits.fileByteCount, length <= Limits.fileByteCount
        else { return nil }
        let first = kind == .payload ? Layout.place(ofStored: start) : start
        guard let layout = ParityLayout(kind, parityCount: Int(count), first..<first + length, tag: tag),
            row < layout.parityCount, group < layout.groupCount
        else { return nil }
        (self.layout, self.row, self.group) = (layout, row, group)
    }
}
