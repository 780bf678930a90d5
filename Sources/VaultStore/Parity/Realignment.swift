import VaultFormat
import VaultIO

/// Puts blocks of a backup back to their places after bytes before them were lost or added (Spec/reader.md, 10.7). Its parity
/// tells where they belong; it needs no key.
struct Realignment {
    /// Bytes before and behind the expected place in which a block is looked for.
    private static let reach: Int64 = 32_768
    /// Blocks that are looked for in this way, at most.
    private static let mostSearches = 200
    /// Displacements of parity that are tried for each block of data, at most.
    private static let mostDisplacements = 8
    private static let size = ParityLayout.dataByteCount
    private static let zeros = [UInt8](repeating: 0, count: size)

    private let original: any File
    private let environment: StoreEnvironment
    private let layout: ParityLayout
    /// Sound blocks of parity: the offset of each in its tail, and where it stands in the damaged file.
    private let parity: [(offset: UInt64, at: UInt64)]
    /// Checksums of the blocks of data; nil where no block of parity has one.
    private let checks: [UInt32?]

    /// - Parameter original: the damaged file.
    /// - Returns: nil where no block of a tail is found.
    /// - Throws: `IOError`; `VaultError.cancelled`.
    init?(_ original: any File, _ environment: StoreEnvironment) throws {
        let size = try original.status().size
        var found: [ParityLayout: [(block: ParityBlock, at: UInt64)]] = [:]
        try Self.forEachBlock(of: original, environment) { block, at in
            let parity = Parity(layout: block.layout, place: block.layout.range.upperBound)
            guard parity.isTail, parity.isPlausible(in: size) else { return }
            found[block.layout, default: []].append((block, at))
        }
        let tails = found.sorted { ($1.value.count, $0.key.tag) < ($0.value.count, $1.key.tag) }
        guard let (layout, blocks) = tails.first else { return nil }
        (self.original, self.environment, self.layout) = (original, environment, layout)
        var checks = [UInt32?](repeating: nil, count: layout.range.count / Self.size)
        for (block, _) in blocks {
            for (place, check) in zip(layout.checkedPlaces(row: block.row), block.checks) {
                let range = layout.data(place: place, of: block.group..<block.group + 1)
                if !range.isEmpty { checks[Int(range.lowerBound) / Self.size] = check }
            }
        }
        self.checks = checks
        parity = blocks.map { (layout.offset(group: $0.block.group, row: $0.block.row), $0.at) }
    }

    /// Writes to their places in `file` the blocks that stand elsewhere in the damaged file.
    ///
    /// - Returns: false if nothing was written.
    /// - Throws: `IOError`; `VaultError.cancelled`.
    func run(on file: any File, progress: ProgressCounter) throws -> Bool {
        let tail = layout.range.upperBound
        var hasChanged = false
        for (offset, at) in parity where tail + offset != at {
            let bytes = try original.readableBytes(at: at, count: ParityLayout.blockByteCount)
            try file.writeAll(bytes.span, at: tail + offset)
            hasChanged = true
        }
        var (current, searches, isLost) = (Int64(0), 0, false)
        let (displacements, zeros) = (self.displacements, crc32c(Self.zeros.span))
        for (index, check) in checks.enumerated() {
            if index.isMultiple(of: 1024) {
                try environment.checkCancellation()
                progress.add(UInt64(1024 * Self.size))
            }
            var found: Int64?
            if check == zeros {
                // Zeros are the same wherever they stand, and tell of no displacement.
                let block = try file.readableBytes(at: UInt64(index * Self.size), count: Self.size)
                if block != Self.zeros {
                    try file.writeAll(Self.zeros.span, at: UInt64(index * Self.size))
                    hasChanged = true
                }
                continue
            }
            if check != nil {
                found = try ([current] + displacements).first { try matches(index, $0) }
                if found == nil, searches < Self.mostSearches {
                    searches += 1
                    found = try search(index, around: current)
                }
            } else if !isLost {
                // Nothing is known of it; its neighbour is where it belongs.
                found = current
            }
            isLost = found == nil
            guard let found else { continue }
            current = found
            guard found != 0 else { continue }
            let block = try bytes(index, found)
            try file.writeAll(block.span, at: UInt64(index * Self.size))
            hasChanged = true
        }
        return hasChanged
    }

    /// The displacements of the parity, in bytes: the most frequent first, and 0.
    private var displacements: [Int64] {
        var counts: [Int64: Int] = [0: 1]
        for (offset, at) in parity { counts[Int64(at) - Int64(layout.range.upperBound + offset), default: 0] += 1 }
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        return Array(sorted.prefix(Self.mostDisplacements)) + [0]
    }

    private func bytes(_ index: Int, _ displacement: Int64, count: Int = size) throws -> [UInt8] {
        let at = Int64(index * Self.size) + displacement
        return at < 0 ? [] : try original.readableBytes(at: UInt64(at), count: count)
    }

    /// True if the block stands in the damaged file at this displacement.
    private func matches(_ index: Int, _ displacement: Int64) throws -> Bool {
        let block = try bytes(index, displacement)
        return block.count == Self.size && crc32c(block.span) == checks[index]
    }

    /// The displacement, in bytes and near an expected one, at which a block and the next one stand; nil where there is none.
    private func search(_ index: Int, around expected: Int64) throws -> Int64? {
        guard index + 1 < checks.count, checks[index + 1] != nil else { return nil }
        let first = max(expected - Self.reach, -Int64(index * Self.size))
        let window = try bytes(index, first, count: Int(expected + Self.reach - first) + Self.size)
        for start in 0..<max(0, window.count - Self.size + 1)
        where crc32c(window.span.extracting(start..<start + Self.size)) == checks[index] {
            let displacement = first + Int64(start)
            if try matches(index + 1, displacement) { return displacement }
        }
        return nil
    }

    /// Finds the sound blocks of parity, wherever they begin.
    private static func forEachBlock(
        of file: any File, _ environment: StoreEnvironment, _ body: (ParityBlock, UInt64) -> Void
    ) throws {
        let step = 1 << 20
        let size = try file.status().size
        for start in stride(from: 0, to: size, by: step) {
            try environment.checkCancellation()
            let bytes = try file.readableBytes(at: start, count: step + ParityLayout.blockByteCount)
            let span = bytes.span
            for at in 0..<min(step, bytes.count) where span[at] == ParityBlock.magic[0] {
                if let block = ParityBlock(span.extracting(at...)) { body(block, start + UInt64(at)) }
            }
        }
    }
}
