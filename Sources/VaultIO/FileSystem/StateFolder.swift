package import Values

/// A folder of small files that this machine keeps beside its vaults: witnesses, unlock attempts, the log.
///
/// Symbolic links, pipes and devices in the place of such a file are refused and never written through.
package struct StateFolder {
    /// The path of the folder, which may not exist yet.
    package let path: BytePath
    private let files: any FileSystem
    /// Told of each error that is no reason to stop.
    package let report: (IOError) -> Void

    /// The folder is made with its first file.
    package init(_ path: BytePath, _ files: any FileSystem, report: @escaping (IOError) -> Void = { _ in }) {
        (self.path, self.files, self.report) = (path, files, report)
    }

    /// Runs what may fail; nil where it does, and the error is reported.
    @discardableResult
    package func trying<R>(_ body: () throws -> R?) -> R? {
        do { return try body() } catch let error as IOError {
            if !error.isMissing { report(error) }
        } catch {}
        return nil
    }

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

    /// The first `count` bytes of a file, or all; nil where there is none, or it cannot be read, which is reported.
    package func read(_ name: [UInt8], count: Int) -> [UInt8]? {
        trying {
            guard let file = try open(name, writing: false) else { return nil }
            return try file.bytes(at: 0, count: Int(min(file.status().size, UInt64(count))))
        }
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

    /// The names of its files, in order; none where it cannot be read, which is reported.
    package func names() -> [[UInt8]] {
        let entries = trying { try files.openFolder(path).entries() } ?? []
        return entries.map(\.name).sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Removes a file if it is there.
    package func remove(_ name: [UInt8]) { trying { try files.openFolder(path).removeFile(name) } }
}

extension FileSystem {
    /// Makes a folder, and those above it that are missing.
    package func makeFolders(_ path: BytePath) throws {
        if try exists(path) { return }
        if path.parent != path { try makeFolders(path.parent) }
        // Another program may be quicker.
        do { try makeFolder(path) } catch let error as IOError where error.isNameTaken {}
    }
}
