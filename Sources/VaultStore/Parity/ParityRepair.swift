import Synchronization
import VaultIO
import VaultFormat

/// Repairs a range of a file by its parity, and the parity itself (Spec/reader.md, 10).
struct ParityRepair {
    /// The blocks that were made again, and the bytes that were not.
    struct Outcome {
        /// Blocks of data, and of parity, that were made again.
        var data: UInt64 = 0, parity: UInt64 = 0
        /// Damaged bytes of the file that stay so.
        var lost: [Range<UInt64>] = []
        /// Blocks of parity that were left in the group that needed most.
        var margin = Int.max
    }

    let parity: Parity
    /// Bytes that a check of the file found to be wrong, in order and apart; nil where nothing could be checked. All others are
    /// right, whatever the parity says.
    let doubtful: [Range<UInt64>]?
    /// The file, which is changed.
    let file: any File
    let environment: StoreEnvironment

    func run(progress: ProgressCounter) throws -> Outcome {
        let stretches = parity.stretches
        let workers = (0..<min(Parallel.threadCount, stretches.count)).map { _ in Worker(parity, doubtful, file) }
        let outcome = Mutex(Outcome())
        try Parallel.forEach(stretches.count) { thread, piece in
            try environment.checkCancellation()
            let part = try workers[thread].repair(stretches[piece])
            outcome.withLock {
                $0.data += part.data
                $0.parity += part.parity
                $0.lost += part.lost
                $0.margin = min($0.margin, part.margin)
            }
            progress.add(UInt64(stretches[piece].count * parity.layout.dataCount * ParityLayout.dataByteCount))
        }
        var whole = outcome.withLock { $0 }
        whole.lost = whole.lost.merged()
        return whole
    }

    /// Works on some groups at a time. Used by one thread at a time.
    private final class Worker {
        private let file: any File
        private let parity: Parity
        private let groups: ParityGroups
        private let doubtful: [Range<UInt64>]?
        private var layout: ParityLayout { parity.layout }

        init(_ parity: Parity, _ doubtful: [Range<UInt64>]?, _ file: any File) {
            (self.parity, self.file, self.doubtful) = (parity, file, doubtful)
            groups = ParityGroups(parity)
        }

        /// True if a block of data is right, whatever the parity says.
        private func isProven(_ place: Int, _ group: UInt64) -> Bool {
            guard let doubtful else { return false }
            return doubtful.isDisjoint(from: layout.data(place: place, of: group..<group + 1))
        }

        func repair(_ stretch: Range<UInt64>) throws -> Outcome {
            try groups.load(stretch, from: file)
            let width = stretch.count * ParityLayout.blockByteCount
            let rows = try (0..<layout.parityCount).map { row in
                try file.bytes(at: parity.place + layout.offset(group: stretch.lowerBound, row: row), count: width)
            }
            var outcome = Outcome()
            for group in stretch {
                let start = Int(group - stretch.lowerBound) * ParityLayout.blockByteCount
                let blocks = rows.map { Array($0.dropFirst(start).prefix(ParityLayout.blockByteCount)) }
                try repair(group, blocks, &outcome)
            }
            return outcome
        }

        /// - Parameter blocks: the group's parity as it stands in the file.
        private func repair(_ group: UInt64, _ blocks: [[UInt8]], _ outcome: inout Outcome) throws {
            let places = (0..<layout.dataCount).filter { groups.hasBlock($0, group) }
            let checks = (0..<layout.dataCount).map { groups.check($0, group) }
            let proven = (0..<layout.dataCount).map { isProven($0, group) || !groups.hasBlock($0, group) }
            var known: [UInt32?] = zip(checks, proven).map { $1 ? $0 : nil }
            var sound: [Int: [UInt8]] = [:]
            for (row, bytes) in blocks.enumerated() {
                guard let block = ParityBlock(bytes.span), block.layout == layout,
                    (block.group, block.row) == (group, row)
                else { continue }
                let said = zip(layout.checkedPlaces(row: row), block.checks)
                // Parity of other bytes than those that are right is none.
                guard said.allSatisfy({ !proven[$0] || checks[$0] == $1 }) else { continue }
                sound[row] = Array(bytes[ParityBlock.headByteCount...])
                for (place, check) in said where known[place] == nil { known[place] = check }
            }
            let damaged = places.filter { known[$0] != nil && known[$0] != checks[$0] }
            let unknown = places.filter { known[$0] == nil }
            outcome.margin = min(outcome.margin, max(0, sound.count - damaged.count - unknown.count))
            if damaged.isEmpty, unknown.isEmpty, sound.count == blocks.count { return }
            // The rows follow from the data if all of it is right.
            if !proven.contains(false) { sound = [:] }
            let code = GroupCode(groups.code, (0..<layout.dataCount).flatMap { groups.data[groups.block($0, group)] })
            // Blocks whose checksums are all lost are right, as a row that is not used up shows, or they count as damaged.
            for doubted in unknown.isEmpty ? [[]] : [[], unknown] {
                let needed = damaged.count + doubted.count + (doubted.count == unknown.count ? 0 : 1)
                guard needed <= sound.count, let whole = code.solved(damaged + doubted, by: sound, known) else {
                    continue
                }
                try write(whole, group, blocks, &outcome)
                return
            }
            outcome.lost += (damaged + unknown).map { layout.data(place: $0, of: group..<group + 1) }
        }

        /// Writes those blocks of a repaired group that stand otherwise in the file.
        private func write(
            _ whole: (data: [UInt8], parity: [UInt8]), _ group: UInt64, _ blocks: [[UInt8]], _ outcome: inout Outcome
        ) throws {
            let (size, data) = (ParityLayout.dataByteCount, groups.data)
            var checks: [UInt32] = []
            for place in 0..<layout.dataCount {
                let bytes = whole.data.span.extracting(place * size..<(place + 1) * size)
                let range = layout.data(place: place, of: group..<group + 1)
                checks.append(range.isEmpty ? 0 : crc32c(bytes))
                let old = groups.block(place, group)
                if range.isEmpty || bytes.isEqual(to: data.span.extracting(old)) { continue }
                try file.writeAll(bytes, at: range.lowerBound)
                outcome.data += 1
            }
            for (row, old) in blocks.enumerated() {
                let bytes = whole.parity[row * size..<(row + 1) * size]
                let block = ParityBlock(layout, group: group, row: row, checks: checks).head(before: bytes.span) + bytes
                if block == old { continue }
                try file.writeAll(block.span, at: parity.place + layout.offset(group: group, row: row))
                outcome.parity += 1
            }
        }
    }
}

/// One group's data, as it stands in a damaged file.
private struct GroupCode {
    private static let size = ParityLayout.dataByteCount
    let code: ErasureCode
    let data: [UInt8]

    init(_ code: ErasureCode, _ data: [UInt8]) { (self.code, self.data) = (code, data) }

    private func encoded(_ data: [UInt8]) -> [UInt8] {
        var made = [UInt8](repeating: 0, count: code.parityCount * Self.size)
        made.withMutableSlice(0..<code.parityCount * Self.size) { code.encode(data.span, into: &$0) }
        return made
    }

    /// The group with the blocks at `places` made from parity; nil where the checksums that are known, or a row, disagree.
    func solved(_ places: [Int], by rows: [Int: [UInt8]], _ known: [UInt32?]) -> (data: [UInt8], parity: [UInt8])? {
        var data = data
        if !places.isEmpty {
            for place in places { data.replaceSubrange(block(place), with: repeatElement(0, count: Self.size)) }
            let made = encoded(data)
            let used = Array(rows.keys.sorted().prefix(places.count))
            let rest = used.flatMap { row in zip(rows[row] ?? [], made[block(row)]).map { $0 ^ $1 } }
            let solved = code.solve(places, rows: used, rest)
            for (index, place) in places.enumerated() {
                let bytes = solved[block(index)]
                if let check = known[place], check != crc32c(bytes.span) { return nil }
                data.replaceSubrange(block(place), with: bytes)
            }
        }
        let parity = encoded(data)
        let agrees = rows.allSatisfy { row, bytes in bytes.elementsEqual(parity[block(row)]) }
        return agrees ? (data, parity) : nil
    }

    private func block(_ index: Int) -> Range<Int> { index * Self.size..<(index + 1) * Self.size }
}
