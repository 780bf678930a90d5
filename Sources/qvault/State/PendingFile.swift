import VaultCrypto
import VaultFormat
import Pictures
import VaultIO
import VaultStore
import Watermark

/// A picture in a file that others may change meanwhile.
struct FilePicture: PictureSource {
    let path: BytePath
    let byteCount: Int
    private let file: any File

    init(_ path: BytePath) throws {
        file = try Machine.store.files.openFile(path, writing: false)
        let size = try file.status().size
        let isPDF = try MediaType(sniffing: file.bytes(at: 0, count: 64)) == .pdf
        guard size <= UInt64(isPDF ? DocumentDecoder.byteCount : Watermark.byteCount) else {
            let what: Phrase = isPDF ? "1 GiB of a PDF" : "64 MiB of a picture"
            throw Failure(.invalid, "\(path): \(sizeText(size)) are more than the \(what)")
        }
        (self.path, byteCount) = (path, Int(size))
    }

    func read(into buffer: inout MutableSpan<UInt8>, at offset: Int) throws {
        try checkInterrupts()
        guard try file.readAll(into: &buffer, at: UInt64(offset)) == buffer.count else {
            throw Failure(.failure, "\(path): became shorter while it was read", hint: "try again")
        }
    }
}

/// A file for its owner that has no name yet; without `publish` nothing is left of it.
final class PendingFile: PictureSink {
    private let folder: any Folder
    private var file: any UnnamedFile
    private var isReplacing = false
    private(set) var byteCount = 0

    init(in folder: BytePath) throws {
        self.folder = try Machine.store.files.openFolder(folder)
        file = try self.folder.makeFile(replacing: false)
    }

    func append(_ bytes: Span<UInt8>) throws {
        try checkInterrupts()
        try file.writeAll(bytes, at: UInt64(byteCount))
        byteCount += bytes.count
    }

    func clear() throws {
        try file.truncate(to: 0)
        byteCount = 0
    }

    func read(into buffer: inout MutableSpan<UInt8>, at offset: Int) throws {
        guard try file.readAll(into: &buffer, at: UInt64(offset)) == buffer.count else {
            throw FormatError(.damaged, "a file that does not read back as it was written", at: UInt64(offset))
        }
    }

    /// Makes it durable, and makes sure that it may have a name in its folder.
    ///
    /// - Throws: `VaultError.exists` if the name is taken and shall not be replaced; `Failure` `.refused`; `IOError`.
    func finish(as target: BytePath, replacing: Bool) throws {
        try checkInterrupts()
        if try folder.exists(target.lastComponent) {
            guard replacing else { throw VaultError.exists(target) }
            try Self.checkReplaceable(target)
            try moveToOneThatReplaces()
        }
        try file.sync()
    }

    /// Gives a file that replaces another a temporary name, as late as it can.
    private func moveToOneThatReplaces() throws {
        let named = try folder.makeFile(replacing: true)
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        defer { wipeBytes(&piece) }
        for offset in stride(from: 0, to: byteCount, by: piece.count) {
            let count = min(piece.count, byteCount - offset)
            try piece.withMutableSlice(0..<count) { try read(into: &$0, at: offset) }
            try named.writeAll(piece.span.extracting(..<count), at: UInt64(offset))
        }
        (file, isReplacing) = (named, true)
    }

    /// Gives it its name.
    ///
    /// - Throws: `VaultError.exists` if somebody took it meanwhile; `Failure` `.refused`; `IOError`.
    func publish(as target: BytePath) throws {
        if isReplacing { try Self.checkReplaceable(target) }
        try file.publish(as: target, replacing: isReplacing)
    }

    /// Refuses to replace anything but a regular file, and any vault.
    static func checkReplaceable(_ target: BytePath) throws {
        guard let status = try? Machine.store.files.status(target) else { return }
        guard status.kind == .regular else { throw Failure(.refused, "\(target): is no file that can be replaced") }
        // One that cannot be read is none of this person's vaults.
        guard (try? Machine.store.files.openFile(target, writing: false).isVault()) != true else {
            throw Failure(.refused, "\(target): is a vault, and is not replaced", hint: "write to another file")
        }
    }
}
