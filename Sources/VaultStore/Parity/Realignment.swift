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
    /// Blocks of data of a backup at most: 32 GiB.
    private static let mostBlocks = 1 << 25
    /// Places at most that begin as a block of parity does and are none, and tails at most.
    private static let (mostFalse, mostTails) = (1 << 20, 64)
    private static let size = ParityLayout.dataByteCount
    private static let zeros = [UInt8](repeating: 0, count: size)

    private let original: any File
    private let environment: StoreEnvironment
    private let layout: ParityLayout
    /// Sound blocks of parity: the offset of each in its tail, and where it stands in the damaged file.
    private var parity: [(offset: UInt64, at: UInt64)] = []
    /// Checksums of the blocks of data, as far as a block of parity has them.
    private var checks: [UInt32]
    private var isKnown: [Bool]

    /// - Parameters:
    ///   - original: the damaged file.
    ///   - header: of its page that counts; nil where none can be read.
    /// - Returns: nil where no block of a tail is found, or of a tail that is not the file's.
    /// - Throws: `IOError`; `VaultError.cancelled`.
    init?(_ original: any File, _ header: Header?, _ environment: StoreEnvironment) throws {
        if let header, !header.isCopy { return nil }
        let size = try original.status().size
        var places: [ParityLayout: [UInt64]] = [:]
        try Self.forEachBlock(of: original, environment) { block, at in
            let (layout, place) = (block.layout, block.layout.range.upperBound)
            let isExpected = header.map { place == $0.tailPlace && [0, layout.byteCount].contains($0.tailLength) }
            guard layout.kind == .file, isExpected ?? Parity(layout: layout, place: place).isPlausible(in: size),
                layout.range.count / Self.size <= Self.mostBlocks,
                places[layout] != nil || places.count < Self.mostTails
            else { return }
            places[layout, default: []].append(at)
        }
        let tails = places.sorted {
            ($1.value.count, $0.value[0], $0.key.tag) < ($0.value.count, $1.value[0], $1.key.tag)
        }
        guard let (layout, found) = tails.first else { return nil }
        (self.original, self.environment, self.layout) = (original, environment, layout)
        let count = layout.range.count / Self.size
        (checks, isKnown) = ([UInt32](repeating: 0, count: count), [Bool](repeating: false, count: count))
        for at in found {
            let bytes = try original.readableBytes(at: at, count: ParityLayout.blockByteCount)
            guard let block = ParityBlock(bytes.span) else { continue }
            parity.append((layout.offset(group: block.group, row: block.row), at))
            for (place, check) in zip(layout.checkedPlaces(row: block.row), block.checks) {
                let range = layout.data(place: place, of: block.group..<block.group + 1)
                guard !range.isEmpty else { continue }
                (checks[Int(range.lowerBound) / Self.size], isKnown[Int(range.lowerBound) / Self.size]) = (check, true)
            }
        }
    }

    /// Writes to their places in `file` the blocks that stand elsewhere in the damaged file.
    ///
    /// - Parameter doubtful: bytes that a check of the file found to be wrong, in order and apart; nil where nothing could be
    ///   checked. All others are right and stay.
    /// - Returns: the bytes that were written.
    /// - Throws: `IOError`; `VaultError.cancelled`.
    func run(on file: any File, doubtful: [Range<UInt64>]?, progress: ProgressCounter) throws -> UInt64 {
        let tail = layout.range.upperBound
        var written: UInt64 = 0
        for (offset, at) in parity where tail + offset != at {
            let bytes = try original.readableBytes(at: at, count: ParityLayout.blockByteCount)
            try file.writeAll(bytes.span, at: tail + offset)
            written += UInt64(bytes.count)
        }
        var (current, searches) = (Int64(0), 0)
        let (displacements, zeroCheck) = (self.displacements, crc32c(Self.zeros.span))
        for index in checks.indices {
            if index.isMultiple(of: 1024) {
                try environment.checkCancellation()
                progress.add(UInt64(1024 * Self.size))
            }
            let place = UInt64(index * Self.size)
            if doubtful?.isDisjoint(from: place..<place + UInt64(Self.size)) == true {
                current = 0
                continue
            }
            guard isKnown[index] else { continue }
            var block: [UInt8]?
            if checks[index] == zeroCheck {
                // Zeros are the same wherever they stand, and tell of no displacement.
                block = Self.zeros
            } else if let found = try find(index, current, displacements, &searches) {
                current = found
                block = found == 0 ? nil : try bytes(index, found)
            }
            guard let block, try file.readableBytes(at: place, count: Self.size) != block else { continue }
            try file.writeAll(block.span, at: place)
            written += UInt64(Self.size)
        }
        return written
    }

    /// The displacement of a block, in bytes; nil where it is not found.
    private func find(
        _ index: Int, _ current: Int64, _ displacements: [Int64], _ searches: inout Int
    ) throws -> Int64? {
        if let found = try ([current] + displacements).first(where: { try matches(index, $0) }) { return found }
        guard searches < Self.mostSearches else { return nil }
        searches += 1
        return try search(index, around: current)
    }

    /// The displacements of the parity, in bytes: the most frequent first, and 0.
    private var displacements: [Int64] {
        var counts: [Int64: Int] = [:]
        for (offset, at) in parity { counts[Int64(at) - Int64(layout.range.upperBound + offset), default: 0] += 1 }
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        return Array(sorted.prefix(Self.mostDisplacements)) + [0]
    }

    /// Bytes of the damaged file; none where they cannot be read.
    private func bytes(_ index: Int, _ displacement: Int64, count: Int = size) throws -> [UInt8] {
        let at = Int64(index * Self.size) + displacement
        guard at >= 0 else { return [] }
        do { return try original.bytes(at: UInt64(at), count: count) } catch is IOError { return [] }
    }

    /// True if the block stands in the damaged file at this displacement.
    private func matches(_ index: Int, _ displacement: Int64) throws -> Bool {
        let block = try bytes(index, displacement)
        return block.count == Self.size && crc32c(block.span) == checks[index]
    }

    /// The displacement, in bytes and near an expected one, at which a block and the next one stand; nil where there is none.
    private func search(_ index: Int, around expected: Int64) throws -> Int64? {
        guard index + 1 < checks.count, isKnown[index + 1] else { return nil }
        let first = max(expected - Self.reach, -Int64(index * Self.size))
        let window = try bytes(index, first, count: Int(expected + Self.reach - first) + Self.size)
        for start in 0..<max(0, window.count - Self.size + 1)
        where crc32c(window.span.extracting(start..<start + Self.size)) == checks[index] {
            let displacement = first + Int64(start)
            if try matches(index + 1, displacement) { return displacement }
        }
        return nil
    }

    /// Finds the sound blocks of parity, wherever they begin. Within one no other is looked for.
    private static func forEachBlock(
        of file: any File, _ environment: StoreEnvironment, _ body: (ParityBlock, UInt64) -> Void
    ) throws {
        let step = 1 << 20
        let size = try file.status().size
        var (next, falseCount) = (UInt64(0), 0)
        while next < size {
            try environment.checkCancellation()
            // Holes have none.
            let start = max(next, file.nextData(from: next))
            guard start < size else { return }
            let bytes = try file.readableBytes(at: start, count: step + ParityLayout.blockByteCount)
            let span = bytes.span
            var at = 0
            while at < min(step, bytes.count) {
                guard span[at] == ParityBlock.magic[0], ParityBlock.hasMagic(span.extracting(at...)) else {
                    at += 1
                    continue
                }
                guard let block = ParityBlock(span.extracting(at...)) else {
                    falseCount += 1
                    if falseCount > Self.mostFalse { return }
                    at += 1
                    continue
                }
                body(block, start + UInt64(at))
                at += ParityLayout.blockByteCount
            }
            next = start + UInt64(max(at, 1))
        }
    }
}

extension [Range<UInt64>] {
    /// True if a range overlaps none of these, which are in order and apart.
    func isDisjoint(from range: Range<UInt64>) -> Bool {
        let next = firstIndex(from: 0) { $0.upperBound > range.lowerBound }
        return next == count || !self[next].overlaps(range)
    }
}
