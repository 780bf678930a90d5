import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// A small vault of three commits, and what is in it.
struct SmallVault: Sendable {
    let bytes: [UInt8]
    let master: [UInt8]
    let content: Content
    let auditKey: AuditKey
    /// The same vault at earlier saves.
    let earlier: [(bytes: [UInt8], content: Content)]

    init(seed: UInt64 = 0) throws {
        let fixture = try VaultFixture([("a", pattern(300)), ("dir/b", pattern(5000))], seed: seed)
        master = fixture.master
        var states: [(bytes: [UInt8], content: Content)] = []
        func keep() throws {
            states.append((fixture.bytes, try Image(fixture.bytes, master: fixture.master).open().content()))
        }
        try keep()
        try fixture.put("a", pattern(400, 2), seed: seed + 1)
        try keep()
        try fixture.put("c", pattern(100, 3), seed: seed + 2)
        try keep()
        let last = states.removeLast()
        (bytes, content, earlier) = (last.bytes, last.content, states)
        auditKey = try Image(last.bytes, master: master).open().auditKey
    }

    /// The violation in a copy with other bytes: nothing wrong may be read, and with the key all is noticed.
    ///
    /// - Parameter classes: what damage may be called; nil where it may be anything but `ok`.
    func violation(_ changed: [UInt8], classes: [String]?, keylessToo: Bool = true) throws -> String? {
        let image = Image(changed, master: master)
        let isLegal = { (found: String) in classes?.contains(found) ?? (found != "ok") }
        if keylessToo {
            let keyless = outcome { try image.keyless().worst }
            if !isLegal(keyless) { return "\(keyless) without a key" }
        }
        let audited = outcome {
            try LockedVault(Image.path, in: image.environment).verify(with: auditKey).worst
        }
        if !isLegal(audited) { return "\(audited) with the audit key" }
        let full = outcome { try image.open().verify().worst }
        if !isLegal(full) { return "\(full) with the key" }
        return wrongBytes(image)
    }

    /// A record that reads otherwise than it was saved.
    func wrongBytes(_ image: Image) -> String? {
        guard let vault = try? image.open(), let entries = try? vault.entries() else { return nil }
        var tree = VaultTree(entries)
        let states = [content] + earlier.map(\.content)
        for entry in entries where entry.kind == .file {
            var bytes: [UInt8] = []
            do {
                try vault.read(entry) { piece in for i in piece.indices { bytes.append(piece[i]) } }
                let path = try tree.path(of: entry)
                guard states.contains(where: { $0[path] == bytes }) else { return "\(path) reads wrong" }
            } catch { continue }
        }
        return nil
    }
}

/// Every byte of a small vault is damaged: nothing wrong is read, and everything is noticed and called damage, without
/// a key and with it. Then the same by somebody who makes all the hashes right that need no key.
func flipEveryByte(_ kit: SoakRun) throws {
    let vault = try SmallVault()
    let step = kit.size(61, 1)
    kit.each((vault.bytes.count + step - 1) / step) { index in
        let offset = index * step
        var random = Seeded(offset)
        var bytes = vault.bytes
        bytes[offset] ^= UInt8.random(in: 1...255, using: &random)
        kit.count("bytes flipped")
        if let violation = try vault.violation(bytes, classes: ["repairable", "damaged"]) {
            kit.violate("byte \(offset): \(violation)")
        }
        if offset % 7 == 0 { try goOn(kit, vault, bytes, "byte \(offset)") }
        let forged = try Forgery(vault.bytes).repairs(bytes)
        guard forged != vault.bytes else { return }
        kit.count("forged")
        if let violation = try vault.violation(forged, classes: nil, keylessToo: false) {
            kit.violate("byte \(offset), forged: \(violation)")
        }
    }
}

/// A save into a damaged vault: refused for its damage, or done and there.
private func goOn(_ kit: SoakRun, _ vault: SmallVault, _ bytes: [UInt8], _ what: String) throws {
    let image = Image(bytes, master: vault.master)
    let saved = outcome {
        try image.put("new", pattern(50), seed: 5)
        return nil
    }
    kit.count("saves into damage")
    if saved == "ok" {
        guard let entry = try image.open().entry(at: "new"), entry.length == 50 else {
            return kit.violate("\(what): a save into damage is lost")
        }
    } else if !["repairable", "damaged"].contains(saved) {
        kit.violate("\(what): a save is refused as \(saved)")
    } else if image.bytes != bytes {
        kit.violate("\(what): a refused save changed the file")
    }
    if let wrong = vault.wrongBytes(image), !wrong.hasPrefix("new ") { kit.violate("\(what), after a save: \(wrong)") }
}

/// Cut at every length.
func truncateEverywhere(_ kit: SoakRun) throws {
    let vault = try SmallVault()
    let step = kit.size(97, 1)
    // Also within the prelude of each record, which is short.
    let preludes = try Image(vault.bytes, master: vault.master).open().versions().filter { $0.state != .purged }
        .flatMap { entry in [1, 31, 33, 100, 191].map { Int(entry.place) + $0 } }
    let lengths = Array(stride(from: 0, to: vault.bytes.count, by: step)) + preludes
    kit.each(lengths.count) { index in
        let length = lengths[index]
        let bytes = Array(vault.bytes[..<length])
        kit.count("lengths")
        // The other pages have a copy of all that page T loses.
        let expected = length < 8 ? "not-a-vault" : length < lastPage(of: vault.bytes) ? "damaged" : "repairable"
        if let violation = try vault.violation(bytes, classes: [expected]) {
            kit.violate("length \(length): \(violation)")
        }
    }
}

/// Regions exchanged within a vault, with another vault, and with earlier states of the same.
func swapRegions(_ kit: SoakRun) throws {
    let (vault, other) = (try SmallVault(), try SmallVault(seed: 40))
    let sources = [vault.bytes, other.bytes] + vault.earlier.map(\.bytes)
    kit.each(kit.size(600, 12_000)) { index in
        var random = Seeded(index)
        let unit = [1, 16, 64, 512, 4096][Int.random(in: 0..<5, using: &random)]
        let source = sources[index % sources.count]
        let count = unit * Int.random(in: 1...(4096 / unit), using: &random)
        let place = { Int.random(in: 0..<($0 - count) / unit, using: &random) * unit }
        // Half of them where something is, and from the same place of the other file.
        let to = Bool.random(using: &random) ? place(vault.bytes.count) : vault.bytes.count - count - place(20_000)
        let from = Bool.random(using: &random) && to + count <= source.count ? to : place(source.count)
        var bytes = vault.bytes
        let moved = Array(bytes[to..<to + count])
        bytes.replaceSubrange(to..<to + count, with: source[from..<from + count])
        if source == vault.bytes { bytes.replaceSubrange(from..<from + count, with: moved) }
        guard bytes != vault.bytes else { return }
        kit.count("regions")
        let image = Image(bytes, master: vault.master)
        let full = outcome { try image.open().verify().worst }
        // An older page in the place of the newest is an older state: only who remembers can tell.
        if full == "ok", !(vault.earlier.map(\.content) + [vault.content]).contains(try image.open().content()) {
            kit.violate("region \(index): ok, and no state that was saved")
        }
        if full == "ok", !vault.earlier.contains(where: { $0.bytes == source }) {
            kit.violate("region \(index): unnoticed")
        }
        if let wrong = vault.wrongBytes(image) { kit.violate("region \(index): \(wrong)") }
    }
}
