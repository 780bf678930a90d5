import VaultIO
import Values

/// A file on its way into a vault: its bytes from any offset on, and whether it has stayed what it was. Holes are not read.
final class SourceFile {
    private let file: any File
    /// Its status before anything was read.
    let status: FileStatus
    private var hole: Range<UInt64> = 0..<0

    init(_ file: any File) throws {
        (self.file, status) = (file, try file.status())
    }

    var path: BytePath { file.path }

    /// Fills the buffer with the bytes from `offset` on, which ends within the length that the file had; returns how many.
    func read(_ offset: UInt64, into buffer: inout MutableSpan<UInt8>) throws -> Int {
        let end = offset + UInt64(buffer.count)
        if status.isSparse, !hole.contains(offset) { hole = offset..<file.nextData(from: offset) }
        guard hole.contains(offset), end <= hole.upperBound else {
            return try file.readAll(into: &buffer, at: offset)
        }
        buffer.update(repeating: 0)
        return buffer.count
    }

    /// True if it is another one now than when it was opened, as far as its length and time tell.
    func hasChanged() -> Bool {
        guard let now = try? file.status() else { return true }
        return (now.modified, now.size) != (status.modified, status.size)
    }
}
