import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// One byte flipped anywhere costs one version of a record at most, and what is salvaged is a sound vault; whatever
/// else is destroyed, nothing wrong comes out.
func salvageEverything(_ kit: SoakRun) throws {
    let wreck = try Wreck()
    let step = kit.size(101, 1)
    kit.each((wreck.bytes.count + step - 1) / step) { index in
        var random = Seeded(index)
        var bytes = wreck.bytes
        bytes[index * step] ^= UInt8.random(in: 1...255, using: &random)
        kit.count("bytes flipped")
        if let violation = try wreck.violation(bytes, mostLost: 1) { kit.violate("byte \(index * step): \(violation)") }
    }
    // Both pages, or all heads of the newest manifest, and nothing else: nothing is lost.
    try wreck.lose(pages: [Layout.pageAOffset, Layout.pageBOffset], kit, "both pages")
    try wreck.lose(pages: [Layout.pageAOffset, lastPage(of: wreck.bytes)], kit, "page A and page T")
    for core in try LockedVault(Image.path, in: Image(wreck.bytes, master: wreck.master).environment).commits() {
        var bytes = wreck.bytes
        let segment = try core.privatePart(keys: wreck.keys).segment
        for at in segment.offset..<segment.end { bytes[Int(at)] ^= 0x5A }
        for at in segment.headCopy..<segment.headCopy + segment.headLength { bytes[Int(at)] ^= 0x5A }
        kit.count("manifests lost")
        if let violation = try wreck.violation(bytes, mostLost: 0) {
            kit.violate("the manifest of save \(core.sequence) lost: \(violation)")
        }
    }
    try wreck.believeNoForgedCommit(kit)
    try wreck.believeNoCommitElsewhere(kit)
    try wreck.believeNoHostileLink(kit)
    kit.each(kit.size(150, 4000)) { index in
        var random = Seeded(index)
        var bytes = wreck.bytes
        for _ in 0...Int.random(in: 0..<6, using: &random) {
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let count = Int.random(in: 1...20_000, using: &random)
            for at in start..<min(start + count, bytes.count) { bytes[at] = UInt8.random(in: 0...255, using: &random) }
        }
        if index % 5 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count / 2, using: &random)) }
        kit.count("wrecks")
        if let violation = try wreck.violation(bytes, mostLost: nil) { kit.violate("wreck \(index): \(violation)") }
    }
}

/// A vault with everything that salvage has to find again, and a rewrite to carry over.
struct Wreck: Sendable {
    let bytes: [UInt8]
    let master: [UInt8]
    let keys: Keys
    /// The newest commit of a copy whose last save was another one.
    private let forkedRecord: CommitRecord
    /// A record whose id does not come from its name.
    private static let card = RecordID([UInt8](repeating: 9, count: 16))
    /// The content of every version that was ever stored; no two are alike.
    let contents: Set<[UInt8]>

    init() throws {
        let name = BytePath("folder/" + String(repeating: "long name ", count: 12))
        var all: [[UInt8]] = []
        func next(_ count: Int) -> [UInt8] {
            all.append(pattern(count, UInt8(all.count + 1)))
            return all[all.count - 1]
        }
        let fixture = try VaultFixture([("a", next(300)), ("folder/inner/b", next(5000)), (name, next(200))])
        try fixture.put("a", next(400), seed: 1)
        try fixture.put("folder/c", next(90_000), seed: 2)
        try fixture.put("a", next(500), seed: 3)
        try fixture.save(seed: 4) { save in
            guard let entry = try save.before.entry(at: "folder/inner/b") else { return }
            try save.trash(entry)
        }
        try fixture.put("late", next(700), seed: 5)
        let fork = VaultFixture(copying: fixture)
        try fork.save(seed: 66) { save in
            try save.put(Self.card, kind: 16, parent: nil, overview: Overview(title: [0x63]), content: pattern(100, 99))
        }
        forkedRecord = try fork.open().record
        try fixture.save(seed: 6) { save in
            try save.put(Self.card, kind: 16, parent: nil, overview: Overview(title: [0x63]), content: next(100))
        }
        (bytes, master, contents) = (fixture.bytes, fixture.master, Set(all))
        keys = try fixture.open().keys
    }

    func lose(pages: [UInt64], _ kit: SoakRun, _ what: String) throws {
        kit.count("pages lost")
        if let violation = try violation(without(pages, bytes), mostLost: 0) {
            kit.violate("\(what) lost: \(violation)")
        }
    }

    /// A commit record that somebody without a key put behind the log is none, however new it says it is.
    func believeNoForgedCommit(_ kit: SoakRun) throws {
        let newest = try Image(bytes, master: master).open().record.core
        var core = Array(newest.bytes)
        core.replaceSubrange(48..<56, with: [0, 1, 0, 0, 0, 0, 0, 0])
        let start = UInt64(bytes.count) - newest.payloadLength - Layout.logStart
        core.replaceSubrange(88..<96, with: (0..<8).map { UInt8(truncatingIfNeeded: start >> UInt64(56 - 8 * $0)) })
        core.replaceSubrange(480..<512, with: try SHA256.hash(Array(core[..<480]).span))
        let image = Image(bytes + core + [UInt8](repeating: 0, count: 4096 - core.count), master: master)
        var salvage = try Salvage(
            LockedVault(Image.path, in: image.environment), master: Secret(copying: master.span), slot: 1)
        try salvage.write(to: "out.qvault")
        let out = try LockedVault("out.qvault", in: image.environment)
        kit.count("forged commits")
        if out.header.sequence > newest.sequence + 2 { kit.violate("a forged commit gave save \(out.header.sequence)") }
        // A forged copy of the commit before does not take the place of the commit.
        let copy = Int(newest.recordOffset) + Core.byteCount
        var forged = bytes
        forged[copy + 300] ^= 1
        forged.replaceSubrange(
            copy + 480..<copy + 512, with: try SHA256.hash(Array(forged[copy..<copy + 480]).span))
        let other = Image(forged, master: master)
        let second = try Salvage(
            LockedVault(Image.path, in: other.environment), master: Secret(copying: master.span), slot: 1)
        kit.count("forged commits")
        if !second.isComplete { kit.violate("a forged copy hides a commit") }
    }

    /// A commit of a fork, which says that it stands at the place of another commit, is none where it stands.
    func believeNoCommitElsewhere(_ kit: SoakRun) throws {
        let newest = try Image(bytes, master: master).open().record
        precondition(forkedRecord.core.recordOffset == newest.core.recordOffset && forkedRecord != newest)
        let image = Image(bytes + forkedRecord.bytes, master: master)
        var salvage = try Salvage(
            LockedVault(Image.path, in: image.environment), master: Secret(copying: master.span), slot: 1)
        try salvage.write(to: "out.qvault")
        kit.count("forged commits")
        if !salvage.isComplete { kit.violate("a commit of a fork hides the commit at its place") }
    }

    /// A commit that somebody with the key made, whose manifest is beyond all limits, costs only what it held.
    func believeNoHostileLink(_ kit: SoakRun) throws {
        let image = Image(bytes, master: master)
        let vault = try image.open()
        let newest = vault.record.core
        for (offset, length) in [(UInt64.max - 63, UInt64.max), (newest.end, .max - newest.end), (64, 1 << 40)] {
            let link = SegmentLink(
                offset: offset, length: length, headLength: 64, headCopy: 0, salt: .zero, headHash: .zero)
            let core = try Core(
                vaultID: newest.vaultID, epoch: newest.epoch, sequence: newest.sequence + 1, salt: .zero,
                start: newest.end, payloadLength: 4096, tailLength: 4096, previous: newest.fingerprint,
                tableHash: .zero,
                slotHash: newest.slotHash, privatePart: Core.PrivatePart(segment: link, time: 0, writer: ""),
                keys: vault.keys)
            let record = CommitRecord(core: core, previous: newest).bytes
            let room = [UInt8](repeating: 0, count: 4096)
            kit.count("hostile links")
            if let what = try violation(bytes + room + record + room, mostLost: nil) {
                kit.violate("a hostile link: \(what)")
            }
        }
    }

    /// The violation after salvaging these bytes; `mostLost` is how many of the contents may be missing.
    func violation(_ damaged: [UInt8], mostLost: Int?) throws -> String? {
        let image = Image(damaged, master: master)
        var salvage: Salvage
        do {
            salvage = try Salvage(
                LockedVault(Image.path, in: image.environment), master: Secret(copying: master.span), slot: 1)
        } catch let error as FormatError {
            return mostLost == nil ? nil : "refused: \(error)"
        }
        try salvage.write(to: "out.qvault")
        let out = try LockedVault("out.qvault", in: image.environment).open(master: Secret(copying: master.span))
        let found: Set<[UInt8]>
        switch try Self.soundContents(of: out) {
        case .success(let sound): found = sound
        case .failure(let violation): return violation.what
        }
        guard found.isSubset(of: contents) else { return "something reads wrong" }
        let lost = contents.count - found.count
        // A version and the same in the trash are one stored record.
        let told = Set(salvage.losses.map(\.range.lowerBound)).count
        if let mostLost, max(lost, told) > mostLost { return "\(lost) contents are lost, \(told) told of" }
        if lost > told, salvage.isComplete { return "\(lost) contents are lost, and \(told) told of" }
        return nil
    }

    struct Violation: Error { let what: String }

    /// The contents of files in all saves of a vault, if it is sound.
    static func soundContents(of vault: Vault) throws -> Result<Set<[UInt8]>, Violation> {
        let check = try vault.verify()
        guard check.findings.isEmpty, check.notes.isEmpty else {
            return .failure(Violation(what: "not sound: \(check.findings)"))
        }
        _ = try TreeListing(vault.entries())
        var found: Set<[UInt8]> = []
        for entry in try vault.versions() where entry.kind != .folder && entry.state != .purged {
            if !entry.kind.isInTree, entry.id != card {
                return .failure(Violation(what: "a record has another id: \(entry.id)"))
            }
            var content: [UInt8] = []
            try vault.read(entry) { piece in for i in piece.indices { content.append(piece[i]) } }
            found.insert(content)
        }
        return .success(found)
    }
}
