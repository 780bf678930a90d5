/// The blocks of data and parity of a range of a file (Spec/container.md, 3.9).
package struct ParityLayout: Hashable, Sendable {
    /// Bytes of a block of data.
    package static let dataByteCount = 1024
    /// Bytes of a block of parity, with what stands in front of it.
    package static let blockByteCount = 1280
    /// Checksums in a block of parity.
    static let checkCount = 52
    /// Bytes of a tag.
    package static let tagByteCount = 12
    /// Blocks of data in a group at most.
    private static let mostDataCount: UInt64 = 200
    /// The values of m.
    package static let parityCounts = 8...55

    /// Kinds of ranges.
    package enum Kind: UInt8, Sendable {
        /// The payload area of a commit.
        case payload = 1
        /// A backup from its first byte to the end of page T.
        case file = 2
    }

    package let kind: Kind
    /// m: blocks of parity in a group.
    package let parityCount: Int
    /// The range, in the file.
    package let range: Range<UInt64>
    /// Tells the parity of one range from another's.
    package let tag: Bytes16
    /// G: groups.
    package let groupCount: UInt64
    /// k: places of data in a group.
    package let dataCount: Int

    /// - Parameter tag: random; 12 bytes of it count.
    /// - Returns: nil for a range that is empty or no multiple of a block, or a number out of its range.
    package init?(_ kind: Kind, parityCount: Int, _ range: Range<UInt64>, tag: [UInt8]) {
        let count = UInt64(range.count)
        guard Self.parityCounts ~= parityCount, count > 0, count.isMultiple(of: UInt64(Self.dataByteCount)),
            range.upperBound <= Limits.fileByteCount, kind == .payload || range.lowerBound == 0
        else { return nil }
        (self.kind, self.parityCount, self.range) = (kind, parityCount, range)
        self.tag = Bytes16(tag.prefix(Self.tagByteCount) + [0, 0, 0, 0])
        let blocks = count / UInt64(Self.dataByteCount)
        groupCount = (blocks + Self.mostDataCount - 1) / Self.mostDataCount | 1
        guard groupCount <= UInt64(UInt32.max) else { return nil }
        dataCount = Int((blocks + groupCount - 1) / groupCount)
    }

    /// The parity that this program gives a range, so that a part of it may be damaged: with 10 % a burst of 9 % of both
    /// together is repaired.
    ///
    /// - Parameter percent: of the data, 3 … 26.
    package static func standard(
        _ kind: Kind, _ range: Range<UInt64>, percent: Int = 10, tag: [UInt8]
    ) -> ParityLayout? {
        guard let widest = ParityLayout(kind, parityCount: parityCounts.upperBound, range, tag: tag) else { return nil }
        // A burst begins and ends within blocks.
        let count = (widest.dataCount * (percent + 1) + 99) / 100
        return ParityLayout(
            kind, parityCount: min(max(count, parityCounts.lowerBound), parityCounts.upperBound), range, tag: tag)
    }

    /// The bytes of a damaged stretch that is repaired wherever it lies, if nothing else is damaged.
    package var guaranteedByteCount: UInt64 { (UInt64(parityCount - 1) * groupCount - 1) * UInt64(Self.dataByteCount) }

    /// The parity of a file that takes so many bytes; nil where none does.
    package static func ofLength(_ byteCount: UInt64, _ length: UInt64, tag: [UInt8]) -> ParityLayout? {
        parityCounts.lazy.compactMap { ParityLayout(.file, parityCount: $0, 0..<length, tag: tag) }
            .first { $0.byteCount == byteCount }
    }

    /// Bytes of all blocks of parity.
    package var byteCount: UInt64 { groupCount * UInt64(parityCount * Self.blockByteCount) }

    /// The offset of a block of parity among all.
    package func offset(group: UInt64, row: Int) -> UInt64 {
        (UInt64(row) * groupCount + group) * UInt64(Self.blockByteCount)
    }

    /// The bytes, in the file, of the blocks of data at one place of the groups in `groups`: fewer, or none, at the range's end.
    package func data(place: Int, of groups: Range<UInt64>) -> Range<UInt64> {
        func end(_ group: UInt64) -> UInt64 {
            min(range.lowerBound + (UInt64(place) * groupCount + group) * UInt64(Self.dataByteCount), range.upperBound)
        }
        return end(groups.lowerBound)..<end(groups.upperBound)
    }

    /// The places whose checksums stand in a row's blocks, in their order.
    package func checkedPlaces(row: Int) -> [Int] {
        (0..<Self.checkCount).map { (Self.checkCount * row + $0) % dataCount }
    }
}
