import VaultCrypto
import VaultIO
public import Values
import VaultFormat

extension Vault {
    /// The parity that a program gives a backup unless somebody says otherwise, in percent.
    public static let standardParity = 10

    /// Writes a backup of this state: all of its log as it is, under pages that say it is a copy; or, without its
    /// history, what is live in it, written anew. Saves that others make meanwhile do not matter.
    ///
    /// - Parameters:
    ///   - parity: how much of the backup may be damaged and is repaired without a key (`Repair`), in percent, 3 … 26; nil
    ///     for a backup that cannot be repaired.
    ///   - progress: told the bytes done so far, by one thread at a time.
    /// - Throws: `VaultError.exists`; `FormatError` where the vault is damaged, and nothing is left then; `IOError`.
    public func backUp(
        to target: BytePath, withHistory: Bool = true, parity: Int? = nil,
        progress: @escaping (UInt64) -> Void = { _ in }
    ) throws {
        if case .damaged(let error) = obstacle { throw error }
        try checkEntries()
        let new = try AtomicFile(vault: target, environment)
        let copy = new.file
        var random = environment.random
        let tag = try random.bytes(ParityLayout.tagByteCount)
        func tail(behind log: UInt64) throws -> ParityLayout? {
            guard let parity else { return nil }
            guard
                let layout = ParityLayout.standard(
                    .file, 0..<log + UInt64(Layout.pageByteCount), percent: parity, tag: tag)
            else {
                throw FormatError(.invalid, "the vault is too long for parity")
            }
            return layout
        }
        let layout: ParityLayout?
        if withHistory {
            try copyLog(to: copy, progress)
            try copyGaps(to: copy)
            layout = try tail(behind: record.core.end)
            let page = try Page(copying: root.page, keys: keys, tailLength: layout?.byteCount ?? 0)
            try copy.finish(with: page, keys: keys, environment, isCheckedWhole: true)
        } else {
            try checkReproducible()
            let commit = try writePresent(to: copy, progress)
            layout = try tail(behind: commit.core.end)
            try copy.finish(
                naming: commit, slots: root.slots, keys: keys, origin: record.core,
                tailLength: layout?.byteCount ?? 0, environment, isCheckedWhole: true)
        }
        if let layout {
            let before = record.core.end
            try copy.append(layout, environment) { progress(before + $0) }
        }
        try new.publishDurably()
    }

    /// Refuses where a whole vault is to be made of this one, and it has something that only a newer program knows to keep.
    ///
    /// - Throws: `VaultError.readOnly`.
    func checkReproducible() throws {
        if header.writeFeatures != 0 { throw VaultError.readOnly(.writeFeatures(header.writeFeatures)) }
    }

    /// Copies what a newer program put into the gaps behind pages A and B.
    private func copyGaps(to copy: any File) throws {
        guard header.writeFeatures != 0 else { return }
        for gap in Layout.gaps {
            let bytes = try file.bytes(at: gap.lowerBound, count: gap.count)
            try copy.writeAll(bytes.span, at: gap.lowerBound)
        }
    }

    /// Copies every commit as it stands.
    func copyLog(to copy: any File, _ progress: @escaping (UInt64) -> Void) throws {
        let log = Layout.logStart..<record.core.end
        copy.allocate(0..<log.upperBound)
        try copy.copyBytes(of: file, log, environment, ProgressCounter(progress))
        try copy.truncate(to: log.upperBound)
    }

    /// The state that is shown: what is live, and tombstones. Merges learn by these what is gone.
    private func present() throws -> any VersionSource {
        let maker = try maker()
        func withoutTrash(_ entry: Entry) throws -> Entry {
            entry.state == .trashed ? try Entry(burying: entry, at: maker(entry), entry.updated) : entry
        }
        let lists = try presentEntries { $0.state == .live && $0.content.isList }.map(\.content)
        let named = try lists.isEmpty ? [] : pieces(namedBy: Set(lists), of: diagnosing { try pieces() })
        if isEarlier {
            let gone = try diagnosing {
                try manifest.flatMap { $0.filter { $0.isTombstone && $0.first <= sequence } }
            }
            // Pieces are those of the newest state, whichever save is shown.
            let pieces = try diagnosing { try manifest.flatMap { $0.filter { named.contains($0.id) } } }
            let shown = try presentEntries { $0.kind != .piece }.map(withoutTrash)
            return VersionsInMemory(versions: gone + shown + pieces)
        }
        return VaultVersions(vault: self) { versions in
            versions.removeAll { $0.last != nil || $0.kind == .piece && !named.contains($0.id) }
            versions = try versions.map(withoutTrash)
        }
    }

    /// Writes what is live as one commit that follows this vault's newest.
    private func writePresent(to copy: any File, _ progress: @escaping (UInt64) -> Void) throws -> CommitRecord {
        let lines = try lines().map { $0.sequence < sequence ? CommitLine(forgetting: $0) : $0 }
        return try Rewrite(present(), lines: lines, source: source, progress: progress)
            .write(to: copy, as: next(slots: root.slots))
    }
}

extension File {
    /// Copies a range of another file to the same place.
    ///
    /// - Throws: `FormatError.damaged` where that file ends too early; `IOError`; `CancellationError`.
    func copyBytes(
        of source: any File, _ range: Range<UInt64>, _ environment: StoreEnvironment, _ progress: ProgressCounter
    ) throws {
        let step: UInt64 = 1 << 20
        try Parallel.forEach(Int((UInt64(range.count) + step - 1) / step)) { _, piece in
            try environment.checkCancellation()
            let start = range.lowerBound + UInt64(piece) * step
            let bytes = try source.bytes(at: start, count: Int(min(step, range.upperBound - start)))
            guard UInt64(bytes.count) == min(step, range.upperBound - start) else {
                throw FormatError(.damaged, "the file ends too early", at: start + UInt64(bytes.count))
            }
            try writeAll(bytes.span, at: start)
            progress.add(UInt64(bytes.count))
        }
    }
}
