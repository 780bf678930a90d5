import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore

/// Many saves, each as the command makes one, in this process: the password is hashed once and not each time.
enum Saves {
    /// Makes a vault with the password that the command is given; its master key.
    static func newVault(_ path: BytePath, in environment: StoreEnvironment) throws -> Secret {
        let password = Array("correct-horse-battery".utf8)
        let credential = try Credential(password: Secret(copying: password.span))
        try VaultCreation(path, credential: credential, in: environment).commit()
        let locked = try LockedVault(path, in: environment)
        return try locked.slots.unlock(with: credential, of: locked.header)
    }

    /// Makes a vault and saves `count` files of `byteCount` bytes into it, one by one.
    ///
    /// - Returns: the bytes that each save wrote: what the file grew by, and a page.
    static func make(_ count: Int, of byteCount: Int, in file: String) throws -> [Int] {
        let (environment, path) = (StoreEnvironment.system(), BytePath(file))
        let master = try newVault(path, in: environment)
        var size = try environment.files.status(path).size
        return try (0..<count).map { index in
            let save = try VaultTransaction(path, in: environment) { _ in try master.slice(0..<master.byteCount) }
            var done = false
            try save.treeImport { _ in }.addStream(as: BytePath("f\(index)")) { buffer in
                defer { done = true }
                return done ? 0 : byteCount
            }
            try save.commit()
            defer { size = (try? environment.files.status(path).size) ?? size }
            return Int(try environment.files.status(path).size - size) + Layout.pageByteCount
        }
    }

    static func byteCount(of file: String) throws -> UInt64 {
        try StoreEnvironment.system().files.status(BytePath(file)).size
    }

    /// Makes a vault of `count` files of 8 bytes in folders of 1,000, in `saves` saves.
    ///
    /// - Parameter again: every save stores all files anew; else each stores as many others.
    static func makeRecords(_ count: Int, saves: Int, again: Bool = false, in file: String) throws {
        let (environment, path) = (StoreEnvironment.system(), BytePath(file))
        let master = try newVault(path, in: environment)
        for number in 0..<saves {
            let save = try VaultTransaction(path, in: environment) { _ in try master.slice(0..<master.byteCount) }
            let work = try save.treeImport { _ in }
            for index in again ? 0..<count : number * count / saves..<(number + 1) * count / saves {
                var done = false
                try work.addStream(as: BytePath("d\(index / 1000)/f\(index)")) { buffer in
                    defer { done = true }
                    buffer[0] = UInt8(truncatingIfNeeded: number)
                    return done ? 0 : 8
                }
            }
            try save.commit()
        }
    }
}
