import Glibc
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Real folders to unpack to, in another that must stay as it is.
final class Box: @unchecked Sendable {
    // The fuzzer runs one input at a time.
    static let shared = Box()
    private let outer: String
    private var count = 0

    private init() {
        var template = Array("/dev/shm/vault-fuzz-XXXXXX".utf8CString)
        outer = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    }

    func unpack(_ file: [UInt8]) throws {
        let environment = StoreEnvironment.system()
        if count == 200 {
            expect(system("rm -rf '\(outer)'/*") == 0, "what was unpacked can be removed")
            count = 0
        }
        let (source, target) = ("\(outer)/v.qvault", BytePath("\(outer)/\(count)"))
        try write(file, to: source)
        try environment.files.makeFolder(target)
        count += 1
        let vault = try LockedVault(BytePath(source), in: environment).open(master: Forge.shared.masterKey())
        _ = try vault.verify()
        let work = try TreeExport(vault, to: target, replacing: true) { _ in }
        try work.write(TreeListing(vault.entries()))
        try packAgain(target, work.count)
        let names = try environment.files.openFolder(BytePath(outer)).entries().map(\.name)
        let expected = ["v.qvault"] + (0..<count).map(String.init)
        expect(Set(names) == Set(expected.map { Array($0.utf8) }), "nothing is written beside the folder")
    }

    /// Packs what was unpacked, saves once more, and unpacks again: every file comes back.
    private func packAgain(_ target: BytePath, _ count: TreeCount) throws {
        let environment = StoreEnvironment.system()
        let path = BytePath("\(outer)/again")
        defer { unlink("\(outer)/again") }
        var problems: [TreeProblem] = []
        do {
            let creation = try VaultCreation(path, credential: Forge.credential(), in: environment)
            let work = try creation.treeImport { problems.append($0) }
            try work.add(target, as: "all")
            try creation.commit()
            expect(
                work.count.files == count.files && work.count.symlinks == count.symlinks, "all is packed: \(problems)")
        }
        func unlock(_ locked: LockedVault) throws -> Secret {
            try locked.slots.unlock(with: Forge.credential(), of: locked.header)
        }
        let save = try VaultTransaction(path, in: environment, unlock: unlock)
        let second = try save.treeImport { problems.append($0) }
        try second.add(BytePath(target.bytes + [0x2F]), as: "all")
        expect(second.count.files == 0 && second.count.unchanged == count.files + count.symlinks, "all is unchanged")
        try second.addStream(as: "all/more/of/it", read: reading([1]))
        try save.commit()
        let locked = try LockedVault(path, in: environment)
        let vault = try locked.open(master: unlock(locked))
        expect(try vault.verify().findings.isEmpty, "it is sound")
        if let entry = try vault.entry(at: "all/more/of/it") {
            try vault.export(entry, to: BytePath("\(outer)/one"), replacing: true)
            unlink("\(outer)/one")
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "w") else { throw IOError("create", BytePath(path), code: errno) }
        defer { fclose(file) }
        expect(fwrite(bytes, 1, bytes.count, file) == bytes.count, "there is room")
    }
}
