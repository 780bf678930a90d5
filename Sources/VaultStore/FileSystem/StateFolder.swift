/// A folder of small files that this machine keeps beside its vaults: witnesses, unlock attempts, the log.
///
/// Symbolic links, pipes and devices in the place of such a file are refused and never written through.
package struct StateFolder {
    /// The path of the folder, which may not exist yet.
    package let path: BytePath
    private let files: any FileSystem

    /// The folder is made with its first file.
    package init(_ path: BytePath, _ files: any FileSystem) { (self.path, self.files) = (path, files) }

    /// Opens a file; nil where there is none.
    ///
    /// - Throws: `IOError`, also for what is not a regular file.
    package func open(_ name: [UInt8], writing: Bool) throws -> (any File)? {
        do {
            let file = try files.openFolder(path).openFile(name, writing: writing)
            guard try file.status().kind == .regular else { throw IOError("open", file.path, code: IOError.notAFile) }
            return file
        } catch let error as IOError where error.isMissing {
            return nil
        }
    }

    /// The first `count` bytes of a file, or all; nil where there is none, or it cannot be read.
    package func read(_ name: [UInt8], count: Int) -> [UInt8]? {
        guard let file = (try? open(name, writing: false)) ?? nil, let size = try? file.status().size else {
            return nil
        }
        return try? file.bytes(at: 0, count: Int(min(size, UInt64(count))))
    }

    /// Makes a file, durably.
    ///
    /// - Throws: `IOError`; its `isNameTaken` where another program was quicker.
    package func make(_ name: [UInt8], _ bytes: [UInt8]) throws {
        try files.makeFolders(path)
        let file = try files.openFolder(path).makeFile(replacing: false)
        try file.writeAll(bytes.span, at: 0)
        try file.sync()
        try file.publish(as: name, replacing: false)
    }

    /// The names of its files, in order; none where it cannot be read.
    package func names() -> [[UInt8]] {
        let entries = (try? files.openFolder(path).entries()) ?? []
        return entries.map(\.name).sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Removes a file if it is there.
    package func remove(_ name: [UInt8]) { try? files.openFolder(path).removeFile(name) }
}
