import VaultCrypto
import VaultFormat
import VaultTesting

/// Makes every hash of a changed vault right, as an attacker without a key would.
struct Forgery {
    private let cores: [Core]

    /// - Parameter bytes: the vault before it was changed.
    init(_ bytes: [UInt8]) throws {
        var cores: [Core] = []
        for offset in stride(from: Int(Layout.logStart), to: bytes.count, by: 4096) {
            if let core = try? Core(parsing: Array(bytes[offset..<offset + 512])) { cores.append(core) }
        }
        self.cores = cores
    }

    func repairs(_ changed: [UInt8]) throws -> [UInt8] {
        var bytes = changed
        var previous: [UInt8]?
        for core in cores {
            try mendTable(&bytes, core)
            let record = Int(core.recordOffset)
            if let previous {
                bytes.replaceSubrange(record + 512..<record + 1024, with: previous)
                bytes.replaceSubrange(record + 112..<record + 144, with: try SHA256.hash(previous.span))
            }
            try hash(&bytes, record, 480)
            previous = Array(bytes[record..<record + 512])
        }
        for (page, core) in [(0, 2), (65_536, 1)] {
            // Pages of three saves: the first went to both, the second to B, the third to A.
            let record = Int(cores[core].recordOffset)
            bytes.replaceSubrange(page + 2304..<page + 3328, with: bytes[record..<record + 1024])
            try hash(&bytes, page, 4064)
        }
        let end = Int(lastPage(of: bytes))
        let newest = Int(cores[2].recordOffset)
        bytes.replaceSubrange(end + 2304..<end + 3328, with: bytes[newest..<newest + 1024])
        try hash(&bytes, end, 4064)
        return bytes
    }

    /// The rows of the table, and its hash in the core.
    private func mendTable(_ bytes: inout [UInt8], _ core: Core) throws {
        let table = Int(core.tableOffset)
        for index in 0...Int(core.blockCount) {
            let start = Int(core.start) + index * Layout.blockByteCount
            let isLast = index == Int(core.blockCount)
            let block =
                isLast
                ? Int(core.headCopyOffset)..<Int(core.end)
                : start..<min(start + Layout.blockByteCount, Int(core.recordOffset))
            let at = table + index * CheckTable.rowByteCount
            let row = try CheckTable.row(UInt64(index), of: bytes.span.extracting(block), salt: core.salt)
            bytes.replaceSubrange(at..<at + row.count, with: row)
        }
        let digest = try SHA256.hash(bytes.span.extracting(table..<table + Int(core.tableByteCount)))
        bytes.replaceSubrange(Int(core.recordOffset) + 144..<Int(core.recordOffset) + 176, with: digest)
    }

    private func hash(_ bytes: inout [UInt8], _ start: Int, _ count: Int) throws {
        let digest = try SHA256.hash(bytes.span.extracting(start..<start + count))
        bytes.replaceSubrange(start + count..<start + count + 32, with: digest)
    }
}
