import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Runs every vector through the three operations of Spec/reader.md, 9.
struct VectorTests {
    @Test func thereAreVectors() {
        #expect(Vector.all.count >= 50)
        print("\(Vector.all.count) vectors")
    }

    @Test(arguments: Vector.all) func vector(_ vector: Vector) throws {
        let files = MemoryFileSystem()
        files.write("v.qvault", vector.file)
        let world = testWorld(files)
        var released = try SHA256()
        let read = try className {
            let locked = try LockedVault("v.qvault", in: world)
            let vault = try locked.open(master: vector.unlock(locked))
            let entries = try vault.entries()
            var tree = VaultTree(entries)
            for entry in entries { _ = try tree.path(of: entry) }
            for entry in entries { try vault.read(entry) { try released.update($0) } }
            return nil
        }
        let keyless = try className { try Verification.keyless(LockedVault("v.qvault", in: world)).worst }
        let verify = try className {
            let locked = try LockedVault("v.qvault", in: world)
            return try Verification.full(locked.open(master: vector.unlock(locked))).worst
        }
        #expect([read, keyless, verify] == [vector.header["read"], vector.header["keyless"], vector.header["verify"]])
        #expect(hexText(try released.finish()) == vector.header["released"])
        #expect(files.node("v.qvault")?.content == vector.file, "reading changes nothing")
    }
}
