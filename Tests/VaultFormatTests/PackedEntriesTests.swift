import Testing
import VaultCrypto
import VaultFormat
import VaultTesting

/// Entries in their encoding are found, and written, as the same entries in memory.
struct PackedEntriesTests {
    private func entry(_ id: RecordID, titleByteCount: Int) -> Entry {
        Entry(
            id: id, kind: .file, revision: 3, salt: Salt([UInt8](repeating: 9, count: 32)), place: 131_072,
            length: 5, created: 1, updated: 2, parent: nil, first: 1,
            overview: Overview(title: [UInt8](repeating: 0x61, count: titleByteCount), modified: 7))
    }

    private func entries(_ ids: [RecordID], titleByteCount: Int) -> [Entry] {
        ids.map { entry($0, titleByteCount: titleByteCount) }
    }

    /// Ids in no order, many with the same first 8 bytes; titles so long that the entries need several blocks.
    @Test(arguments: [(0, 1), (1, 1), (13, 1), (5000, 3), (900, 9000)])
    func packedAsInMemory(_ count: UInt64, _ titleByteCount: Int) throws {
        let ids = (0..<count).map { RecordID(high: $0 / 7 &* 0x9E37_79B9_7F4A_7C15, low: ~$0) }
        let all = entries(ids, titleByteCount: titleByteCount)
        var packed = PackedEntries()
        for entry in all {
            #expect(!packed.contains(entry.id))
            packed.insert(entry)
            #expect(packed.contains(entry.id))
        }
        if let first = all.first {
            var other = first
            other.revision = 9
            packed.insert(other)
            #expect(try packed.entry(first.id) == other)
            packed.insert(first)
        }
        #expect(packed.count == all.count)
        for entry in all { #expect(try packed.entry(entry.id) == entry) }
        #expect(try packed.entry(RecordID(high: 0, low: 0)) == nil)

        let keys = try Keys(
            master: Secret(copying: [UInt8](repeating: 1, count: 32).span), vaultID: .zero, epoch: Epoch(.zero))
        var content = SegmentContent()
        content.live = all
        let expected = try content.sealed(at: 131_072, salt: .zero, keys: keys, base: nil)
        var writer = try SegmentWriter(salt: .zero, keys: keys)
        try writer.add(live: packed)
        let (head, link) = try writer.finish(at: 131_072, base: nil)
        var parts = [head]
        try writer.forEachChunk { parts.append($0) }
        #expect(link == expected.link)
        #expect(parts == expected.parts)
    }
}
