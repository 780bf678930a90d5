package import Values

/// The operations of a program on the disk, in order, and the disks that may be found when the power fails on the way
/// (Spec/store.md, 1).
package struct Trace: Sendable {
    /// One change. Files are named by their inode.
    package enum Operation: Sendable, Equatable {
        case write(file: UInt64, offset: UInt64, bytes: [UInt8])
        case truncate(file: UInt64, length: UInt64)
        case sync(file: UInt64)
        /// The system said that a sync failed: what was pending is shown still, and may never reach the disk.
        case failedSync(file: UInt64)
        case name(file: UInt64, BytePath)
        case remove(BytePath)
        case syncFolder
    }

    /// Files by name, as they are found.
    package typealias Disk = [BytePath: [UInt8]]

    /// Before the first operation: inodes and content by name.
    package let before: [BytePath: (file: UInt64, content: [UInt8])]
    package let operations: [Operation]

    package init(before: [BytePath: (file: UInt64, content: [UInt8])], operations: [Operation]) {
        (self.before, self.operations) = (before, operations)
    }

    /// The disk when all is done and durable.
    package var after: Disk {
        var disk = DurableDisk(before)
        for operation in operations { disk.apply(operation) }
        return disk.named
    }

    /// Every disk that may be found when the power fails after the first `count` operations: what was synced is there,
    /// and of the rest any part, in sectors of 512 bytes. All of them if they are few, else `limit` drawn at random
    /// beside the simplest.
    package func disks(
        after count: Int, limit: Int, random: inout some RandomNumberGenerator, _ body: (Disk) throws -> Void
    ) rethrows {
        var durable = DurableDisk(before)
        let rest = durable.settle(operations[..<count])
        // In order: what was dropped does not come back over what was written later.
        let steps = rest.flatMap { step in
            step.isDurable ? [step] : Self.units(step.operation).map { Step(operation: $0, isDurable: false) }
        }
        let units = steps.filter { !$0.isDurable }
        func found(_ choice: [Choice]) -> Disk {
            var disk = durable
            var choices = choice.makeIterator()
            for step in steps { disk.apply(step.operation, step.isDurable ? .kept : choices.next() ?? .lost) }
            return disk.named
        }
        let isFew = units.count < 20 && 1 << units.count <= limit
        if isFew {
            for mask in 0..<1 << units.count {
                try body(found(units.indices.map { mask >> $0 & 1 == 1 ? .kept : .lost }))
            }
        } else {
            for kept in Self.simple(units.count) { try body(found(kept.map { $0 ? .kept : .lost })) }
        }
        guard !units.isEmpty else { return }
        for _ in 0..<(isFew ? min(limit / 4, 4 << units.count) : limit) {
            // The share that is kept differs from draw to draw: nearly nothing, nearly all, and between.
            let share = Double.random(in: 0...1, using: &random)
            try body(
                found(
                    units.map { _ in
                        if Double.random(in: 0..<1, using: &random) < share { return .kept }
                        return Bool.random(using: &random) ? .lost : .garbage(UInt8.random(in: 1...255, using: &random))
                    }))
        }
    }

    /// None, all, all but one, only one, and each beginning; of many units only some.
    private static func simple(_ count: Int) -> [[Bool]] {
        var choices = [[Bool](repeating: false, count: count), [Bool](repeating: true, count: count)]
        for index in stride(from: 0, to: count, by: max(1, count / 64)) {
            choices.append((0..<count).map { $0 != index })
            choices.append((0..<count).map { $0 == index })
            choices.append((0..<count).map { $0 < index })
        }
        return choices
    }

    /// The units that reach the disk as one: a sector of a write, or another operation.
    private static func units(_ operation: Operation) -> [Operation] {
        guard case .write(let file, let offset, let bytes) = operation else { return [operation] }
        var units: [Operation] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 512 - Int((offset + UInt64(start)) % 512))
            units.append(.write(file: file, offset: offset + UInt64(start), bytes: Array(bytes[start..<end])))
            start = end
        }
        return units
    }

    /// An operation, and whether a sync made it durable.
    private struct Step {
        let operation: Operation
        let isDurable: Bool
    }

    /// The fate of a unit that was not synced.
    private enum Choice {
        case kept, lost
        /// For a sector behind the durable end of its file: the length was recorded, the content not.
        case garbage(UInt8)
    }

    /// The content of files, and the names that lead to them.
    private struct DurableDisk {
        private var names: [BytePath: UInt64]
        private var contents: [UInt64: [UInt8]]
        /// Bytes of each file that were durable when the rest began.
        private var durableCounts: [UInt64: Int] = [:]

        init(_ before: [BytePath: (file: UInt64, content: [UInt8])]) {
            names = before.mapValues(\.file)
            contents = Dictionary(before.values.map { ($0.file, $0.content) }) { first, _ in first }
        }

        var named: Disk { names.mapValues { contents[$0] ?? [] } }

        /// Applies what was made durable before anything that was not; returns the rest in order.
        mutating func settle(_ operations: ArraySlice<Operation>) -> [Step] {
            // From the end: the next sync of each file, if it comes before one that failed.
            var nextSync: [UInt64: Bool] = [:]
            var isFolderSynced = false
            var isDurable = [Bool](repeating: true, count: operations.count)
            for (index, operation) in operations.enumerated().reversed() {
                switch operation {
                case .sync(let file): nextSync[file] = true
                case .failedSync(let file): nextSync[file] = false
                case .syncFolder: isFolderSynced = true
                case .write(let file, _, _), .truncate(let file, _): isDurable[index] = nextSync[file] ?? false
                case .name, .remove: isDurable[index] = isFolderSynced
                }
            }
            let first = isDurable.firstIndex(of: false) ?? isDurable.count
            let steps = zip(operations, isDurable).map(Step.init)
            for step in steps[..<first] { apply(step.operation) }
            var all = self
            for step in steps[first...] where step.isDurable { all.apply(step.operation) }
            durableCounts = all.contents.mapValues(\.count)
            return Array(steps[first...])
        }

        mutating func apply(_ operation: Operation, _ choice: Choice = .kept) {
            switch (operation, choice) {
            case (.write(let file, let offset, let bytes), .kept): write(bytes, file, Int(offset))
            case (.write(let file, let offset, let bytes), .garbage(let seed))
            where Int(offset) >= durableCounts[file] ?? 0:
                write(bytes.indices.map { UInt8(truncatingIfNeeded: ($0 &+ 1) &* 151) ^ seed }, file, Int(offset))
            case (.truncate(let file, let length), .kept): resize(file, Int(length))
            case (.name(let file, let path), .kept): names[path] = file
            case (.remove(let path), .kept): names[path] = nil
            default: break
            }
        }

        private mutating func write(_ bytes: [UInt8], _ file: UInt64, _ offset: Int) {
            if contents[file, default: []].count < offset + bytes.count { resize(file, offset + bytes.count) }
            contents[file]?.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }

        private mutating func resize(_ file: UInt64, _ count: Int) {
            let old = contents[file, default: []].count
            if count < old { contents[file]?.removeLast(old - count) }
            if count > old { contents[file, default: []] += [UInt8](repeating: 0, count: count - old) }
        }
    }
}
