import Values
import VaultFormat
import VaultIO

/// A file on its way into a vault: its bytes from any offset on, and whether it has stayed what it was. Holes are not read.
final class SourceFile {
    private let file: any File
    /// Its status before anything was read.
    let status: FileStatus
    private var hole: Range<UInt64> = 0..<0
    /// True if the file system is believed where it tells of holes; nil before the first question.
    private var tellsHoles: Bool?

    init(_ file: any File) throws {
        (self.file, status) = (file, try file.status())
    }

    var path: BytePath { file.path }

    /// Mode, owner, extended attributes.
    func attributes() throws -> FileAttributes { try file.attributes() }

    /// Fills the buffer with the bytes from `offset` on, which ends within the length that the file had; returns how many.
    func read(_ offset: UInt64, into buffer: inout MutableSpan<UInt8>) throws -> Int {
        let end = offset + UInt64(buffer.count)
        if status.isSparse, !hole.contains(offset) { hole = offset..<nextData(from: offset) }
        guard hole.contains(offset), end <= hole.upperBound else {
            return try file.readAll(into: &buffer, at: offset)
        }
        buffer.update(repeating: 0)
        return buffer.count
    }

    /// Some file systems took bytes for a hole that were written and not on the disk yet (OpenZFS before 2.2.2). So they are
    /// brought there first; where that fails, everything is read.
    private func nextData(from offset: UInt64) -> UInt64 {
        if tellsHoles == nil { tellsHoles = (try? file.sync()) != nil }
        return tellsHoles == true ? file.nextData(from: offset) : offset
    }

    /// Reads the first bytes to the front of a buffer, as many as it takes, and says how many.
    func readBeginning(into buffer: inout [UInt8]) throws -> Int {
        let wanted = Int(min(status.size, UInt64(buffer.count)))
        return try wanted == 0 ? 0 : buffer.withMutableSlice(0..<wanted) { try read(0, into: &$0) }
    }

    /// True if it is another one now than when it was opened, as far as its length and time tell.
    func hasChanged() -> Bool {
        guard let now = try? file.status() else { return true }
        return (now.modified, now.size) != (status.modified, status.size)
    }
}

/// An error of the source, to be told from one of the vault.
struct SourceFailure: Error {
    let error: IOError
    var wasPartlyRead = false
    /// True if the version that was there stays.
    var keepsOld = false

    var reason: TreeProblem.Reason {
        !wasPartlyRead ? .unreadable(error) : keepsOld ? .cutShortBesideOld(error) : .cutShort(error)
    }
}

/// Runs what reads the source, and marks its errors.
func fromSource<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as IOError { throw SourceFailure(error: error) }
}
