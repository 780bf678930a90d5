/// Every cap of Spec/limits.md, with its unit; the reasons stand there.
public enum Limits {
    /// Bytes of a file, and every offset.
    public static let fileByteCount: UInt64 = 1 << 60
    /// Key slots on a page.
    public static let slotCount = 8
    /// Fewest PBKDF2 iterations of a slot.
    public static let minimumIterations: UInt32 = 100_000
    /// Most PBKDF2 iterations of a slot.
    public static let maximumIterations: UInt32 = (1 << 31) - 1
    /// PBKDF2 iterations over all slots to be tried, without the person's consent.
    public static let iterationsWithoutConsent: UInt64 = 10_000_000
    /// Memory of Argon2id, as the binary logarithm of KiB: 32 MiB to 4 GiB.
    public static let argon2Memory: ClosedRange<UInt8> = 15...22
    /// Passes of Argon2id.
    public static let argon2Passes: ClosedRange<UInt32> = 1...65_535
    /// Lanes of Argon2id.
    public static let argon2Lanes: ClosedRange<UInt8> = 1...64
    /// Least memory of Argon2id in KiB, times its passes: 96 MiB.
    public static let minimumMemoryPasses: UInt64 = 96 << 10
    /// Memory of Argon2id without the person's consent, as the binary logarithm of KiB: 1 GiB.
    public static let memoryWithoutConsent: UInt8 = 20
    /// Memory in KiB times passes, over all slots to be tried, without the person's consent: 16 GiB.
    public static let memoryPassesWithoutConsent: UInt64 = 16 << 20
    /// Bytes of a password in NFC.
    public static let passwordByteCount = 1 << 20
    /// Bytes of a keyfile.
    public static let keyfileByteCount = 1 << 26
    /// Bytes of a slot label.
    public static let labelByteCount = 55
    /// Bytes of a payload area, and of what follows it in its commit.
    public static let payloadByteCount: UInt64 = 1 << 48
    /// Bytes of content of a record.
    public static let recordByteCount: UInt64 = (1 << 48) - 65_536
    /// Bytes of a segment head, with its tag.
    public static let headByteCount: UInt64 = 1 << 27
    /// Bytes of a segment.
    public static let segmentByteCount: UInt64 = 1 << 35
    /// Segments in a stack.
    public static let segmentCount = 64
    /// Stored bytes (with the tag) of a segment's chunk, and of one that holds a single item.
    public static let segmentChunkByteCount = 4096
    /// Stored bytes of a chunk that holds a single item.
    public static let singleItemChunkByteCount = 16_384
    /// Items in a chunk.
    public static let itemsPerChunk: UInt64 = 4096
    /// The distance within which a lost commit is looked for.
    public static let scanByteCount: UInt64 = 1 << 34
    /// Levels of arrays and maps in CBOR.
    public static let nesting = 16
    /// Bytes of a title in a tree.
    public static let titleByteCount = 255
    /// Bytes of a symlink's target.
    public static let symlinkByteCount = 4095
    /// Bytes of a path in a tree.
    public static let pathByteCount = 4095
    /// Components of a path in a tree.
    public static let treeDepth = 1024
    /// Pieces of a content.
    public static let pieceCount: UInt64 = 1 << 20
    /// Bytes of an extension area.
    public static let extensionByteCount = 1 << 20
    /// Largest sequence, revision and time.
    public static let counter: UInt64 = (1 << 63) - 1
    /// The largest sequence, and epoch counter, that a machine remembers of a vault. No saves reach it: above it somebody made
    /// a number up (Spec/store.md, 8).
    public static let remembered: UInt64 = 1 << 62
}
