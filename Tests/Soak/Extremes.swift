import VaultFormat
import VaultStore
import VaultTesting

/// Every number of the pages and cores set to extremes, all hashes repairs that need no key, with the pages whole and
/// with one torn, so that commits are looked for: refused, and never believed.
func believeNoNumber(_ kit: SoakRun) throws {
    let vault = try SmallVault()
    let cores = stride(from: Int(Layout.logStart), to: vault.bytes.count, by: 4096).filter {
        (try? Core(parsing: Array(vault.bytes[$0..<$0 + 512]))) != nil
    }
    let pages = [0, 65_536, 131_072].flatMap { page in [8, 64, 72, 80].map { page + $0 } }
    let fields = pages + cores.flatMap { core in [48, 88, 96].map { core + $0 } }
    let values: [UInt64] = [
        0, 1, 2, 4095, 4096, 131_072, 1 << 31, 1 << 47, 1 << 48, (1 << 48) + 4096, (1 << 60) - 4096, 1 << 60, 1 << 62,
        (1 << 63) - 4096, 1 << 63, .max - 4095, .max,
    ]
    kit.each(fields.count * values.count * 2) { index in
        let (field, value) = (fields[index / 2 / values.count], values[index / 2 % values.count])
        var bytes = vault.bytes
        for i in 0..<8 { bytes[field + i] = UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * i)) }
        bytes = try Forgery(vault.bytes).repairs(bytes)
        if index % 2 == 1 { bytes[100] ^= 1 }
        guard bytes != vault.bytes else { return }
        kit.count("numbers")
        let image = Image(bytes, master: vault.master)
        _ = outcome { try image.keyless().worst }
        if let violation = try vault.violation(bytes, classes: nil, keylessToo: false) {
            kit.violate("\(value) at \(field): \(violation)")
        }
    }
    try shrinkWhileRead(kit, vault)
    try finishWhileRead(kit)
}

/// A page that is finished at any call of a reader, who is not to speak of a damaged one.
private func finishWhileRead(_ kit: SoakRun) throws {
    let fixture = try VaultFixture([("a", pattern(10))])
    try Scenario.changeKeys(fixture, fixture.files)
    let after = fixture.bytes
    var begun = after
    begun.replaceSubrange(66_000..<69_632, with: repeatElement(0, count: 3632))
    for call in 1..<20 {
        let image = Image(begun, master: fixture.master)
        var count = 0
        image.files.beforeCall = { _ in
            count += 1
            if count == call { image.files.node(Image.path)?.content = after }
        }
        let vault = try image.open()
        guard count >= call else { break }
        kit.count("pages that change")
        if !vault.warnings.isEmpty { kit.violate("a page finished at call \(call): \(vault.warnings)") }
    }
}

/// A file that becomes shorter at any call of a reader, who looks for page T because a page is torn: refused, or
/// read.
private func shrinkWhileRead(_ kit: SoakRun, _ vault: SmallVault) throws {
    var torn = vault.bytes
    torn[100] ^= 1
    // Also within what is read by itself: preludes of records, and check tables.
    let sound = Image(vault.bytes, master: vault.master)
    let places =
        try sound.open().versions().filter { $0.state != .purged }.map { Int($0.place) + 100 }
        + LockedVault(Image.path, in: sound.environment).commits().map { Int($0.tableOffset) + 20 }
    // All calls of whoever reads and checks it undisturbed.
    let whole = Image(torn, master: vault.master)
    var calls = 0
    whole.files.beforeCall = { _ in calls += 1 }
    _ = (vault.wrongBytes(whole), outcome { try whole.keyless().worst })
    for length in stride(from: Int(Layout.logStart), to: torn.count, by: kit.size(2048, 512)) + places {
        for call in 1...calls {
            let image = Image(torn, master: vault.master)
            var count = 0
            image.files.beforeCall = { _ in
                count += 1
                guard count == call, let node = image.files.node(Image.path) else { return }
                node.content = Array(node.content.prefix(length))
            }
            kit.count("files that shrink")
            if let wrong = vault.wrongBytes(image) { kit.violate("cut to \(length) at call \(call): \(wrong)") }
            _ = outcome { try image.keyless().worst }
        }
    }
}
