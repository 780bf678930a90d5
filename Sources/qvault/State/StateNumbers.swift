import VaultFormat
import VaultIO

/// A few numbers that this machine keeps for each vault, in a file of a folder of its own. Nothing here fails: without a
/// home nothing is remembered.
struct StateNumbers {
    private let folder: StateFolder?
    private let name: [UInt8]
    private let count: Int
    private(set) var values: [UInt64]

    /// - Parameter count: the numbers of a vault; 0 each at first.
    init(_ folder: String, _ vaultID: VaultID, count: Int) {
        (self.folder, self.count) = (Machine.state(folder), count)
        name = StateFolder.name(of: vaultID)
        values = []
        values = parsed(self.folder?.read(name, count: 256) ?? [])
    }

    private func parsed(_ bytes: [UInt8]) -> [UInt64] {
        let numbers = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map { UInt64($0) }
        let isWhole = numbers.count == count && numbers.allSatisfy { $0 != nil }
        return isWhole ? numbers.map { $0 ?? 0 } : [UInt64](repeating: 0, count: count)
    }

    /// Changes the numbers, from what others have made of them meanwhile.
    mutating func change(_ body: (inout [UInt64]) -> Void) {
        var wanted = values
        body(&wanted)
        guard let folder, wanted != values else { return }
        values = wanted
        folder.trying {
            // Another program may make the file in between.
            if let file = try folder.open(name, writing: true) { return try change(file, body) }
            do { try folder.make(name, text) } catch let error as IOError where error.isNameTaken {
                guard let file = try folder.open(name, writing: true) else { throw error }
                try change(file, body)
            }
        }
    }

    private mutating func change(_ file: any File, _ body: (inout [UInt64]) -> Void) throws {
        // The holder needs a moment; nobody waits for one who keeps it.
        _ = try file.lock(attempts: 44, Machine.store.pause)
        values = parsed(try file.bytes(at: 0, count: 256))
        body(&values)
        try file.writeAll(text.span, at: 0)
        try file.truncate(to: UInt64(text.count))
    }

    private var text: [UInt8] { Array((values.map { "\($0)" }.joined(separator: " ") + "\n").utf8) }

    /// Forgets a vault, or all of them.
    static func forget(_ folder: String, _ vaultID: VaultID?) {
        Machine.state(folder)?.forget(vaultID)
    }
}
