import VaultIO
import VaultCrypto
import VaultFormat

/// Writes versions of records into a new log that takes the place of another: each under a fresh salt, all in one
/// commit (Spec/store.md, 10). What reads and what writes work side by side, on all cores.
struct Rewrite {
    /// The log that is replaced: where the content comes from, and the save that the new log goes on from.
    struct Source {
        let file: any File
        let keys: Keys
        let vaultID: VaultID
        let epoch: Epoch
        /// The fingerprint of its newest save.
        let newest: Bytes32
        let environment: StoreEnvironment
        /// The extension area that is in force there.
        let extensionArea: ExtensionArea?
        /// Tells what a fault comes from.
        var diagnose: (Fault) throws -> any Error = { $0 }
    }

    /// The parameters of the new log.
    struct Target {
        let keys: Keys
        let epoch: Epoch
        let sequence: UInt64
        let slots: SlotArea
    }

    let source: Source
    /// True where folders get records of their own anew, since they have no content that could be lost.
    var remakesFolders = false
    /// The versions to carry over: as the new log has them, with their salts and places in the old one. Of
    /// each record one version has no `last`: the present one.
    private let versions: any VersionSource
    /// The lines of earlier commits in the new log.
    let lines: [CommitLine]
    /// Told the bytes of content done so far.
    let progress: (UInt64) -> Void

    init(
        _ versions: any VersionSource, lines: [CommitLine], source: Source,
        progress: @escaping (UInt64) -> Void = { _ in }
    ) {
        (self.versions, self.source, self.lines, self.progress) = (versions, source, lines, progress)
    }

    /// Writes the commit; the pages are the caller's.
    ///
    /// - Throws: `FormatError` of a version that cannot be read; `IOError`; `VaultError.cancelled`.
    func write(to file: any File, as target: Target) throws -> CommitRecord {
        var basis = CommitChanges.Basis(
            vaultID: source.vaultID, epoch: target.epoch, sequence: target.sequence, start: Layout.logStart,
            replaced: source.newest)
        if let area = source.extensionArea {
            let bytes = try source.file.extensionBytes(area)
            basis.extensions = ExtensionArea.items(of: bytes, for: target.slots.slots.map(\.slot.id))
        }
        let writer = try CommitWriter(file, basis, keys: target.keys, source.environment)
        writer.changes.lines = lines
        do {
            try carry(to: writer, target.sequence)
            return try writer.finish(slots: target.slots)
        } catch let fault as Fault {
            throw try source.diagnose(fault)
        }
    }

    /// Stores each record anew; versions that share one go on sharing it.
    private func carry(to writer: CommitWriter, _ sequence: UInt64) throws {
        var headers = try StoredRecord.HeaderCipher(source.keys)
        // Places were held against the log before.
        var reader = try RecordReader(source.file, keys: source.keys, logEnd: .max)
        var survey = try versions.survey()
        var innerIDs = survey.movedFolders.sorted()[...]
        var done: UInt64 = 0
        var (lists, pieces): (Set<StoredContent>, [RecordID: UInt64]) = ([], [:])
        try versions.forEachPiece { versions in
            for version in versions {
                if version.content.isList { lists.insert(version.content) }
                if version.holds(PieceList.Piece(id: version.id, length: version.length)), version.last == nil {
                    pieces[version.id] = version.length
                }
            }
            versions += missingTombstones(of: &innerIDs, among: versions, sequence)
            // Tombstones have the place 0.
            versions.sort { $0.place < $1.place }
            var start = 0
            while start < versions.count {
                let place = versions[start].place
                var end = start + 1
                while end < versions.count, versions[end].place == place { end += 1 }
                let twins = start..<end
                start = end
                let shared = survey.shared[place]
                guard let first = shared?.first ?? versions[twins].min(by: { $0.revision < $1.revision }),
                    !first.isTombstone
                else { continue }
                guard versions[twins].allSatisfy({ $0.twin == first.twin }) else {
                    throw FormatError(.malformed, "two records in one place", at: place)
                }
                let carried = try shared?.carried ?? carry(first, to: writer, &headers, &reader)
                survey.shared[place]?.carried = carried
                for index in twins {
                    (versions[index].content.salt, versions[index].content.place) = carried
                }
                guard shared?.carried == nil else { continue }
                done += first.length
                progress(done)
            }
            try writer.take(versions)
        }
        try writer.take(innerIDs.map { Entry(tombstoneAt: $0, at: sequence, source.environment.now()) })
        // No log is written in which a content lacks a piece.
        for list in lists where try !reader.list(list).pieces.allSatisfy({ pieces[$0.id] == $0.length }) {
            throw FormatError(.malformed, Entry.missingPiece, at: list.place)
        }
    }

    private func carry(
        _ first: Entry, to writer: CommitWriter, _ headers: inout StoredRecord.HeaderCipher,
        _ reader: inout RecordReader
    ) throws -> (salt: Salt, place: UInt64) {
        if remakesFolders, first.kind == .folder { return try writer.remake(first) }
        let prelude = try source.file.bytes(at: first.place, count: StoredRecord.preludeByteCount)
        try headers.check(prelude.span, of: first.content)
        if first.content.isCompressed {
            // Nothing that breaks a rule is written anew.
            try reader.readInAnyOrder(first.content) { _, _ in try source.environment.checkCancellation() }
        }
        return try writer.carry(first, RecordTranscoder(source.file, source.keys, first))
    }

    /// Tombstones at the inner ids of moved folders, up to the highest id of a piece, where nothing is (Spec/store.md, 5).
    private func missingTombstones(
        of innerIDs: inout ArraySlice<RecordID>, among versions: [Entry], _ sequence: UInt64
    ) -> [Entry] {
        guard let first = innerIDs.first, let highest = versions.lazy.map(\.id).max(), first <= highest else {
            return []
        }
        let mine = innerIDs.prefix { $0 <= highest }
        innerIDs = innerIDs.dropFirst(mine.count)
        let present = Set(versions.filter { $0.last == nil }.map(\.id))
        return mine.filter { !present.contains($0) }.map {
            Entry(tombstoneAt: $0, at: sequence, source.environment.now())
        }
    }
}

extension Vault {
    /// This vault as what a new log is written from.
    var source: Rewrite.Source {
        Rewrite.Source(
            file: file, keys: keys, vaultID: root.header.vaultID, epoch: root.header.epoch,
            newest: record.core.fingerprint, environment: environment, extensionArea: record.core.extensionArea,
            diagnose: diagnose)
    }

    /// The save after this one as what a new log is written as, under the same keys.
    func next(slots: SlotArea) -> Rewrite.Target {
        Rewrite.Target(keys: keys, epoch: root.header.epoch, sequence: sequence + 1, slots: slots)
    }

    /// The parameters of a new log under a new master key.
    ///
    /// - Parameters:
    ///   - newest: the counter of an epoch that the new one comes after, beside this vault's own.
    ///   - slots: makes the slots that wrap the key.
    func rotated(
        after newest: UInt64 = 0, sequence: UInt64, slots: (Keys) throws -> SlotArea
    ) throws -> (Rewrite.Target, Keys) {
        var environment = environment
        let last = max(newest, root.header.epoch.counter)
        guard last < Limits.counter else {
            throw FormatError(.invalid, "the vault's master key was replaced too often")
        }
        let epoch = try Epoch(counter: last + 1, random: &environment.random)
        let keys = try Keys(master: environment.random.secret(byteCount: 32), vaultID: id, epoch: epoch)
        return (Rewrite.Target(keys: keys, epoch: epoch, sequence: sequence, slots: try slots(keys)), keys)
    }
}
