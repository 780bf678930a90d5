import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// A whole file patched anywhere, as `file`: salvaged, written anew, backed up, restored, merged. Whatever is made of it
/// is a sound vault, or an error.
func fuzzWreck(_ recipe: inout Recipe) throws {
    let forge = Forge.shared
    let fix = recipe.byte()
    var file = fix & 32 != 0 ? forge.longBase : forge.base
    if fix & 64 != 0 { file.removeLast(min(file.count, Int(recipe.number(3)))) }
    patch(&file, &recipe, 0..<file.count)
    if fix & 32 == 0 { try forge.fix(&file, fix & 15) }
    let files = MemoryFileSystem()
    files.write(Forge.path, file)
    files.write("base", fix & 32 != 0 ? forge.longBase : forge.base)
    let environment = testEnvironment(files)
    let locked = try LockedVault(Forge.path, in: environment)
    attempt {
        var salvage = try Salvage(locked, master: forge.masterKey(), slot: 1)
        try salvage.write(to: "salvaged")
        try expectSound("salvaged", environment)
    }
    let vault = try locked.open(master: forge.masterKey())
    attempt {
        _ = try vault.versions()
        for moment in try vault.saves().prefix(4) where moment.isKept {
            _ = try vault.snapshot(atSave: moment.sequence).entries()
        }
    }
    attempt {
        try vault.backUp(to: "backup", withHistory: fix & 16 != 0)
        try expectSound("backup", environment)
        let backup = try LockedVault("backup", in: environment).open(master: forge.masterKey())
        _ = try backup.restore(to: "restored", above: 0)
        try expectSound("restored", environment)
    }
    attempt {
        let save = try VaultTransaction("base", in: environment, timeout: .zero) { _ in try forge.masterKey() }
        let merge = try Merge(vault, into: save.before)
        try merge.carryOut(in: save)
        if !save.isEmpty { try save.commit() }
        try expectSound("base", environment)
    }
    attempt {
        let save = try VaultTransaction(Forge.path, in: environment, timeout: .zero) { _ in try forge.masterKey() }
        try save.rewrite(keeping: save.before.sequence)
        try expectSound(Forge.path, environment)
    }
}

/// Does something that may be refused.
private func attempt(_ body: () throws -> Void) {
    do { try body() } catch is FormatError {} catch is VaultError {} catch is IOError {} catch {
        fatalError("an error that a caller does not expect: \(error)")
    }
}

private func expectSound(_ path: BytePath, _ environment: StoreEnvironment) throws {
    let vault = try LockedVault(path, in: environment).open(master: Forge.shared.masterKey())
    expect(try vault.verify().worst == nil, "\(path) is sound")
}

/// Keys as text: what is taken is written back, and read again.
func fuzzTexts(_ recipe: inout Recipe) throws {
    let text = recipe.all()
    guard !text.isEmpty else { return }
    let secret = try Secret(copying: text.span)
    if let key = try? RecoveryKey.parse(secret) {
        let again = try RecoveryKey.parse(RecoveryKey.text(of: key))
        expect(again.isEqual(to: key), "a recovery key is read as it was written")
    }
    if let key = try? AuditKey(parsing: secret) {
        let written = try key.text().withSpan { Array(copying: $0) }
        expect(written.prefix(192).elementsEqual(text.prefix(192)), "an audit key is written as it was read")
    }
}
