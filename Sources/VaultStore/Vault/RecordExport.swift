import VaultIO
public import VaultFormat

extension Vault {
    /// Writes the content of a record to a new file. Frames of zeros, as holes are stored, become holes.
    ///
    /// - Parameter progress: is told the bytes of each piece, by any thread.
    func write(
        _ entry: Entry, to file: any File, with reader: inout RecordReader, progress: (UInt64) -> Void
    ) throws {
        let most: UInt64 = 1 << 32  // a sparse vault may claim more than any disk has
        do {
            let contents = try manifest.contents(of: entry, in: 0..<entry.length, with: &reader)
            try reader.readInAnyOrder(contents.map(\.content)) { index in
                let (start, content) = contents[index]
                if !content.isCompressed { file.allocate(start..<start + min(content.length, most)) }
            } _: { index, offset, piece in
                let (start, content) = contents[index]
                try environment.checkCancellation()
                if !content.isCompressed || !piece.isZero { try file.writeAll(piece, at: start + offset) }
                progress(UInt64(piece.count))
            }
            if contents.contains(where: \.content.isCompressed) { try file.truncate(to: entry.length) }
        } catch let fault as Fault {
            throw try diagnose(fault)
        }
    }

    /// The target of a symbolic link.
    ///
    /// - Throws: `FormatError.malformed` if the target is empty, too long or has a NUL.
    func symlinkTarget(_ entry: Entry, with reader: inout RecordReader) throws -> [UInt8] {
        try entry.checkContent()
        var target: [UInt8] = []
        try read(entry, with: &reader) { target += Array(copying: $0) }
        guard !target.contains(0) else { throw FormatError(.malformed, "the target of a symlink", at: entry.place) }
        return target
    }

    /// Writes one record to a file of its own, which gets its name when it is whole.
    ///
    /// - Throws: `VaultError.exists` if the name is taken and `replacing` is false; all that reading and writing
    ///   throws.
    public func export(_ entry: Entry, to target: BytePath, replacing: Bool) throws {
        let new = try AtomicFile(target, environment.files, replacing: replacing)
        var reader = try reader()
        try write(entry, to: new.file, with: &reader) { _ in }
        try new.file.setAttributes(modified: entry.overview.modified, isExecutable: entry.overview.isExecutable)
        try new.publish()
    }
}
