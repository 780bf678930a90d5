import Foundation
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// A vault on disk that several processes write, each its own record and all of them a total. In every state that
/// anybody sees, the total is the sum.
struct SharedVault {
    let path: BytePath
    let master: [UInt8]
    static let total: BytePath = "total"

    /// Makes it, with so many bytes of ballast.
    init(_ folder: String, ballast: Int = 0) throws {
        path = BytePath("\(folder)/v.qvault")
        let password = Array("correct horse battery".utf8)
        let creation = try VaultCreation(
            path, credential: Credential(password: Secret(copying: password.span)), in: .system())
        let work = try creation.treeImport { _ in }
        try work.addStream(as: Self.total, read: reading(Array("0".utf8)))
        if ballast > 0 { try work.addStream(as: "ballast", read: reading(pattern(ballast))) }
        try creation.commit()
        let locked = try LockedVault(path, in: .system())
        let secret = try locked.slots.unlock(
            with: Credential(password: Secret(copying: password.span)), of: locked.header)
        master = secret.withSpan { span in (0..<span.count).map { span[$0] } }
    }

    init(path: BytePath, master: [UInt8]) { (self.path, self.master) = (path, master) }

    func key() throws -> Secret { try Secret(copying: master.span) }

    /// One save: this writer's record and the total, each one more than before.
    func add(_ writer: String) throws {
        let save = try VaultTransaction(path, in: .system(), timeout: .seconds(120)) { _ in try key() }
        let work = try save.treeImport { _ in }
        for name in [BytePath(writer), Self.total] {
            let old = try Self.number(name, in: save.before) ?? 0
            try work.addStream(as: name, read: reading(Array("\(old + 1)".utf8)))
        }
        book.remember(try save.commit(), save.before.keys, at: path)
    }

    /// The witnesses of this machine.
    private var book: WitnessBook { WitnessBook(BytePath("\(path)-state"), .system()) }

    /// Opens it as a reader does: nobody else's save makes it look old.
    func open() throws -> Vault {
        let vault = try LockedVault(path, in: .system()).open(master: key())
        let freshness = try book.freshness(of: vault)
        guard freshness.isNewest else { throw VaultError.rollback(freshness) }
        book.remember(vault)
        return vault
    }

    static func number(_ name: BytePath, in vault: Vault) throws -> Int? {
        guard let entry = try vault.entry(at: name) else { return nil }
        var text: [UInt8] = []
        try vault.read(entry) { piece in for i in piece.indices { text.append(piece[i]) } }
        return Int(String(decoding: text, as: UTF8.self))
    }

    /// The total, if it is the sum of what the writers say; else nil.
    static func soundTotal(_ vault: Vault) throws -> Int? {
        let names = try vault.entries().filter { $0.overview.title.first == UInt8(ascii: "w") }.map {
            BytePath($0.overview.title)
        }
        let sum = try names.reduce(0) { try $0 + (number($1, in: vault) ?? 0) }
        let total = try number(Self.total, in: vault)
        return total == sum ? total : nil
    }

    /// A process that saves `count` times, with a pause of milliseconds after each.
    func startWriter(_ number: Int, count: Int, pause: Int = 0) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["worker", path.description, hexText(master), "w\(number)", "\(count)", "\(pause)"]
        try process.run()
        return process
    }
}

/// `vault-soak worker FILE KEY NAME COUNT PAUSE`.
func work(_ words: [String]) -> Int32 {
    guard words.count == 5, let count = Int(words[3]), let pause = UInt32(words[4]) else { return 2 }
    let vault = SharedVault(path: BytePath(words[0]), master: bytesFromHex(words[1]))
    do {
        for _ in 0..<count {
            try vault.add(words[2])
            usleep(pause * 1000)
        }
        return 0
    } catch {
        say("  \(words[2]): \(error)")
        return 1
    }
}

/// Another vault takes the name between a writer's opening and its locking: the save goes where the name leads.
private func saveIntoAReplacedFile(_ kit: SoakRun) throws {
    let (fixture, other) = (try VaultFixture(), try VaultFixture([("b", [2])], seed: 7))
    var isFirst = true
    fixture.files.beforeCall = { call in
        guard call.operation == "lock", isFirst else { return }
        isFirst = false
        fixture.files.write(VaultFixture.vault, other.bytes)
    }
    let save = try VaultTransaction(VaultFixture.vault, in: fixture.environment, timeout: .zero) { locked in
        let master = isFirst ? fixture.master : other.master
        return try Secret(copying: master.span)
    }
    try save.treeImport { _ in }.addStream(as: "c", read: reading([3]))
    try save.commit()
    kit.count("replaced files")
    let named = try Image(fixture.bytes, master: other.master).open().content()
    if named != ["b": [2], "c": [3]] { kit.violate("a save went into a file that had lost its name") }
}

/// Eight processes save into one vault while others read it: no update is lost, no reader sees half of one.
func crowdOfWriters(_ kit: SoakRun) throws {
    try saveIntoAReplacedFile(kit)
    let vault = try SharedVault(kit.folder())
    let count = kit.size(25, 1250)
    let writers = try (1...8).map { try vault.startWriter($0, count: count) }
    let readers = DispatchGroup()
    for _ in 0..<2 {
        DispatchQueue.global().async(group: readers) {
            var last = 0
            while writers.contains(where: \.isRunning) {
                do {
                    let seen = try vault.open()
                    kit.count("reads")
                    guard let total = try SharedVault.soundTotal(seen) else {
                        kit.violate("a torn read at save \(seen.sequence)")
                        continue
                    }
                    if total < last { kit.violate("a reader saw \(last), then \(total)") }
                    last = total
                    if !seen.warnings.isEmpty { kit.violate("a reader was warned: \(seen.warnings)") }
                } catch { kit.violate("a reader failed: \(error)") }
            }
        }
    }
    for writer in writers {
        writer.waitUntilExit()
        if writer.terminationStatus != 0 { kit.violate("a writer ended with \(writer.terminationStatus)") }
    }
    readers.wait()
    let end = try vault.open()
    let total = try SharedVault.soundTotal(end) ?? -1
    kit.count("commits", total)
    if total != 8 * count { kit.violate("\(8 * count - total) updates are lost") }
    if end.sequence != UInt64(8 * count + 1) { kit.violate("\(end.sequence) commits") }
    let check = try end.verify()
    if !check.findings.isEmpty || !check.notes.isEmpty { kit.violate("verify: \(check.findings) \(check.notes)") }
}
