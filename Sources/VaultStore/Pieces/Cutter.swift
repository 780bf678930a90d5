import VaultCrypto
import VaultFormat

/// Finds where a content is cut into pieces: where its last 64 bytes have a certain hash (Spec/store.md, 15). So versions of a
/// content that differ in some places have most pieces in common. The hash goes by a table that only holders of the vault's key
/// know.
///
/// The hash is that of Xia et al., "Ddelta: A deduplication-inspired fast delta compression approach" (2014).
struct Cutter {
    /// Bytes of a piece: more than `least` of all but the last of a content, and at most `most` of any.
    static let least = 1 << 20, most = 1 << 21
    /// Bytes of contents that are cut. A list has room for the pieces of each.
    static let contents = UInt64(most)..<UInt64(least) * Limits.pieceCount
    /// Behind `least` bytes, one place in 2^18 is cut.
    private static let mask: UInt64 = ~0 << 46
    /// Bytes that a hash goes by.
    private static let window = 64
    /// Places that are looked at one after the other in each step; four steps go side by side.
    private static let stride = 1 << 14
    /// Places that are looked at together.
    static let step = 4 * stride

    private let table: [UInt64]

    /// The id of the record that has a vault's piece key.
    static func keyID() throws -> RecordID {
        RecordID(try SHA256.hash((Array("quickvault/1/piece-key".utf8) + [0]).span))
    }

    /// - Parameter key: 32 bytes.
    init(key: borrowing Secret) throws {
        var stream = try AESCTR(key: key)
        var bytes = [UInt8](repeating: 0, count: 256 * 8)
        defer { wipeBytes(&bytes) }
        try bytes.withMutableSlice(0..<bytes.count) { try stream.keystream(from: 0, into: &$0) }
        table = (0..<256).map { index in bytes[8 * index..<8 * index + 8].reduce(0) { $0 << 8 | UInt64($1) } }
    }

    /// The length of a piece that ends in `range`, which lies behind `least`; nil if the content is not cut there.
    func cut(_ bytes: [UInt8], in range: Range<Int>) -> Int? {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe table.withUnsafeBufferPointer { table in
                range.count == Self.step
                    ? unsafe Self.firstCut(bytes, table, from: range.lowerBound) : unsafe Self.cut(bytes, table, range)
            }
        }
    }

    /// The first cut of the `step` places from `start` on. (Each hash waits for the one before it, so four chains take
    /// hardly longer than one.)
    @unsafe private static func firstCut(
        _ bytes: UnsafeBufferPointer<UInt8>, _ table: UnsafeBufferPointer<UInt64>, from start: Int
    ) -> Int? {
        let starts = (start, start + stride, start + 2 * stride, start + 3 * stride)
        var a = unsafe state(bytes, table, before: starts.0)
        var b = unsafe state(bytes, table, before: starts.1)
        var c = unsafe state(bytes, table, before: starts.2)
        var d = unsafe state(bytes, table, before: starts.3)
        let (base, numbers) = unsafe (bytes.baseAddress! + start, table.baseAddress!)
        for index in 0..<stride {
            a = unsafe a << 1 &+ numbers[Int(base[index])]
            b = unsafe b << 1 &+ numbers[Int(base[index &+ stride])]
            c = unsafe c << 1 &+ numbers[Int(base[index &+ 2 * stride])]
            d = unsafe d << 1 &+ numbers[Int(base[index &+ 3 * stride])]
            guard a & mask == 0 || b & mask == 0 || c & mask == 0 || d & mask == 0 else { continue }
            let hit = a & mask == 0 ? 0 : b & mask == 0 ? 1 : c & mask == 0 ? 2 : 3
            // A chain before the one that was hit first may still have a cut.
            for chain in 0..<hit {
                let rest = start + chain * stride + index + 1..<start + (chain + 1) * stride
                if let cut = unsafe cut(bytes, table, rest) { return cut }
            }
            return start + hit * stride + index + 1
        }
        return nil
    }

    @unsafe private static func cut(
        _ bytes: UnsafeBufferPointer<UInt8>, _ table: UnsafeBufferPointer<UInt64>, _ range: Range<Int>
    ) -> Int? {
        var state = unsafe state(bytes, table, before: range.lowerBound)
        for index in range {
            state = unsafe state << 1 &+ table[Int(bytes[index])]
            if state & mask == 0 { return index + 1 }
        }
        return nil
    }

    /// The hash of the bytes before `place`.
    @unsafe private static func state(
        _ bytes: UnsafeBufferPointer<UInt8>, _ table: UnsafeBufferPointer<UInt64>, before place: Int
    ) -> UInt64 {
        var state: UInt64 = 0
        for index in place - window..<place { state = unsafe state << 1 &+ table[Int(bytes[index])] }
        return state
    }
}
