import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// A backup with its tail.
private let backup: [UInt8] = {
    let (files, forge) = (MemoryFileSystem(), Forge.shared)
    files.write(Forge.path, forge.base)
    let environment = testEnvironment(files)
    do {
        let vault = try LockedVault(Forge.path, in: environment).open(master: forge.masterKey())
        try vault.backUp(to: "backup", parity: Vault.standardParity)
        return files.node("backup")?.content ?? []
    } catch { fatalError("no backup: \(error)") }
}()

/// A backup with parity, patched anywhere and cut; with the first bit, all checksums of parity blocks are made right. A repair
/// ends, leaves what it read, and finds nothing more to do in what it made.
func fuzzParity(_ recipe: inout Recipe) throws {
    let fix = recipe.byte()
    var file = backup
    if fix & 2 != 0 { file.removeLast(min(file.count, Int(recipe.number(3)))) }
    patch(&file, &recipe, 0..<file.count)
    if fix & 1 != 0 {
        for start in stride(from: 0, to: file.count, by: 256) where ParityBlock.hasMagic(file.span.extracting(start...))
        {
            let (front, end) = (ParityBlock.headByteCount - 4, ParityLayout.blockByteCount)
            let check = crc32c(
                file.span.extracting(start..<start + front),
                file.span.extracting(start + front + 4..<start + end))
            for byte in 0..<4 {
                file[start + front + byte] = UInt8(truncatingIfNeeded: check >> (24 - 8 * UInt32(byte)))
            }
        }
    }
    let files = MemoryFileSystem()
    files.write(Forge.path, file)
    let environment = testEnvironment(files)
    let first = try Repair(Forge.path, to: "first", in: environment)
    expect(files.node(Forge.path)?.content == file, "the damaged file stays as it is")
    guard fix & 1 == 0 else { return }
    let repaired = files.node("first")?.content
    expect(!first.lost.isEmpty || first.verification?.worst != nil || repaired == backup, "all of it, or it is said")
    let second = try Repair("first", to: "second", in: environment)
    expect(!second.isWritten || files.node("second")?.content == repaired, "nothing more is to be repaired")
}
