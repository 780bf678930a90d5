import VaultIO
import VaultFormat

extension LockedVault {
    /// Hands over each core that stands in the log on a multiple of 4,096 and names that place (Spec/store.md, 12).
    func forEachCore(_ body: (Core) throws -> Void) throws {
        let step = Int(Layout.alignment)
        let size = fileByteCount
        for start in stride(from: Layout.logStart, to: max(Layout.logStart, size), by: 1 << 20) {
            try environment.checkCancellation()
            let piece = try file.bytes(at: start, count: Int(min(1 << 20, size - start)))
            for at in stride(from: 0, to: piece.count, by: step) where Core.hasMagic(piece[at...]) {
                let bytes = Array(piece[at..<min(at + Core.byteCount, piece.count)])
                guard let core = try? Core(parsing: bytes), core.recordOffset == start + UInt64(at) else { continue }
                try body(core)
            }
        }
    }
}
