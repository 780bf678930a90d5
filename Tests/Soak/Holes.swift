import Synchronization
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// One sector, 64 KiB and 1 MiB zeroed at every multiple of 4 KiB, in vaults of 1, 40 and 1,000 saves: every record that
/// lies outside the hole is read, as the vault stands or by salvage, and no key slot is lost. The exception is a hole that
/// holds all three pages.
func zeroEveryStretch(_ kit: SoakRun) throws {
    for saves in [1, 40, kit.size(200, 1000)] {
        let vault = try HoledVault(saves: saves)
        for size in [4096, 1 << 16, 1 << 20] {
            let places = vault.bytes.count / 4096
            let step = kit.size(max(1, places / 150), 1)
            let row = Mutex(HoledVault.Row())
            kit.each((places + step - 1) / step) { index in
                let start = index * step * 4096
                let outcome = try vault.outcome(start..<min(start + size, vault.bytes.count))
                row.withLock { $0.add(outcome) }
                kit.count("holes")
                if outcome.lost > 0 || outcome.isSlotLost {
                    kit.violate("\(saves) saves, \(size) bytes at \(start): \(outcome)")
                }
            }
            kit.note("\n    \(saves) saves, \(size / 1024) KiB: " + row.withLock { $0.text })
        }
    }
}

/// A vault with one file a save, and what can still be read of it around a hole.
private struct HoledVault: Sendable {
    let bytes: [UInt8]
    private let master: [UInt8]
    private let slots: SlotArea
    /// The range of each file.
    private let extents: [BytePath: Range<Int>]

    init(saves: Int) throws {
        let fixture = try VaultFixture([("f1", Self.content(of: 1))])
        try fixture.save(seed: 1) { $0.setSlots(try fixture.slotsWithDevice()) }
        for number in stride(from: 2, through: saves, by: 1) {
            try fixture.put(BytePath("f\(number)"), Self.content(of: number), seed: UInt64(number))
        }
        let vault = try fixture.open()
        var extents: [BytePath: Range<Int>] = [:]
        for entry in try vault.entries() {
            let end = entry.content.extent.upperBound
            extents[BytePath(entry.overview.title)] = Int(entry.place)..<Int(end)
        }
        (bytes, master, slots, self.extents) = (fixture.bytes, fixture.master, vault.keySlots, extents)
    }

    private static func content(of number: Int) -> [UInt8] { Array("content \(number) ".utf8) + pattern(1000) }

    struct Outcome {
        /// Records that touch the hole, those outside it that the vault gives as it stands, and those that salvage adds.
        var (hit, read, salvaged) = (0, 0, 0)
        /// Records outside the hole that are not read.
        var lost = 0
        var isSlotLost = false
        /// No page is left.
        var isGone = false
    }

    func outcome(_ hole: Range<Int>) throws -> Outcome {
        var holed = bytes
        holed.replaceSubrange(hole, with: repeatElement(0, count: hole.count))
        let image = Image(holed, master: master)
        let outside = Set(extents.filter { !$0.value.overlaps(hole) }.keys)
        var outcome = Outcome()
        outcome.hit = extents.count - outside.count
        var found: Set<BytePath> = []
        var hasSlots = false
        if let vault = try? image.open() {
            found = contents(of: vault).intersection(outside)
            hasSlots = vault.keySlots == slots
        }
        outcome.read = found.count
        if found != outside || !hasSlots {
            guard let locked = try? LockedVault(Image.path, in: image.environment) else {
                outcome.isGone = true
                outcome.lost = [0, 65_536, bytes.count - 4096].allSatisfy(hole.contains) ? 0 : outside.count
                return outcome
            }
            var salvage = try Salvage(locked, master: Secret(copying: master.span), slot: 1)
            let vault = try salvage.write(to: "out.qvault")
            let all = found.union(contents(of: vault)).intersection(outside)
            (outcome.salvaged, found) = (all.count - found.count, all)
            outcome.isSlotLost = vault.keySlots != slots
        }
        outcome.lost = outside.subtracting(found).count
        return outcome
    }

    /// The files that read as they were saved.
    private func contents(of vault: Vault) -> Set<BytePath> {
        var found: Set<BytePath> = []
        for path in extents.keys {
            var content: [UInt8] = []
            guard let entry = try? vault.entry(at: path),
                (try? vault.read(entry, { piece in for i in piece.indices { content.append(piece[i]) } })) != nil,
                content == Self.content(of: Int(path.description.dropFirst()) ?? 0)
            else { continue }
            found.insert(path)
        }
        return found
    }

    /// A line of the table: of all holes of one size in one vault.
    struct Row {
        private var (holes, read, salvaged, gone, hit) = (0, 0, 0, 0, 0)

        mutating func add(_ outcome: Outcome) {
            holes += 1
            hit = max(hit, outcome.hit)
            if outcome.isGone { gone += 1 } else if outcome.salvaged > 0 { salvaged += 1 } else { read += 1 }
        }

        var text: String {
            "\(holes) holes, all outside read as it stands: \(read), with salvage: \(salvaged), no page left: \(gone); "
                + "records hit at most: \(hit)"
        }
    }
}
