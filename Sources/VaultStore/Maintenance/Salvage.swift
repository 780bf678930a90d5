import VaultIO
public import VaultCrypto
public import VaultFormat

/// Gets everything that can still be read out of a damaged vault into a new one (Spec/store.md, 12): by every manifest
/// segment that is left, chunk by chunk, and where one is missing by the sealed headers of the records themselves.
public struct Salvage {
    /// A version of a record that cannot be read.
    public struct Loss: Sendable {
        /// The record.
        public let path: BytePath
        /// The save that brought the version.
        public let sequence: UInt64
        /// The fault.
        public let what: Phrase
        /// The bytes that are concerned.
        public let range: Range<UInt64>
        /// The save that brought the version which is the present one now; nil where this was an older version, or none
        /// is left.
        public let substitute: UInt64?
        /// True if it was the present version.
        public let wasPresent: Bool
    }

    /// The versions that cannot be read, by path.
    public private(set) var losses: [Loss] = []
    /// Records and versions that are in the new vault.
    public private(set) var count = (records: 0, versions: 0)
    /// True if all pages, commits and manifests were found that there must have been; else there may be losses that
    /// nothing tells of.
    public let isComplete: Bool
    /// Records that were found by their headers alone, which know less of them: a name's first 63 bytes, no time of
    /// change, not whether they were in the trash.
    public let foundByHeader: Int

    /// Further things that are not in the new vault, in words: what a newer program keeps beside records, and what slots of newer
    /// programs need.
    public private(set) var leftOut: [Phrase] = []

    /// True if the new vault has all key slots; false if no authentic commit confirms them and only the slot that opened
    /// is kept.
    public let keepsAllSlots: Bool

    /// The sequence of the newest commit that is authentic; 0 if there is none.
    public var newestSequence: UInt64 { newest?.sequence ?? 0 }

    private let locked: LockedVault
    private let keys: Keys
    private let environment: StoreEnvironment
    private let slots: SlotArea
    private let newest: Core?
    private let lines: [UInt64: CommitLine]
    private var versions: [RecordID: [Entry]]

    /// Looks for everything.
    ///
    /// - Parameter number: the key slot that gave the master key, 1 … 8.
    /// - Throws: `IOError`; `VaultError.cancelled`.
    public init(_ locked: LockedVault, master: consuming Secret, slot number: Int) throws {
        (self.locked, environment) = (locked, locked.environment)
        keys = try Keys(master: master, vaultID: locked.header.vaultID, epoch: locked.header.epoch)
        let scan = try SalvageScan(locked, keys)
        (newest, lines, versions) = (scan.cores.last, scan.lines, Self.restoringPieces(scan.versions))
        (isComplete, foundByHeader) = (scan.isComplete, scan.foundByHeader)
        let vouched = try Self.slots(of: locked.root, vouchedFor: newest)
        keepsAllSlots = vouched != nil
        slots = vouched ?? locked.slots.keeping(number)
        losses = scan.unplaced.map { entry, sequence in
            Loss(
                path: BytePath(entry.overview.title), sequence: sequence ?? 0,
                what: "a version without a place in history", range: entry.content.extent, substitute: nil,
                wasPresent: false)
        }
    }

    /// The key slots whose hash is in the newest authentic commit; nil if no page has them.
    private static func slots(of root: Root, vouchedFor newest: Core?) throws -> SlotArea? {
        guard let newest else { return nil }
        let areas = [root.page.slots, root.other?.slots].compactMap(\.self)
        return try areas.first { try $0.hash() == newest.slotHash }
    }

    /// The same with all pieces out of the trash, where they have no business.
    private static func restoringPieces(_ versions: [RecordID: [Entry]]) -> [RecordID: [Entry]] {
        versions.mapValues { all in
            guard var piece = all.first, piece.kind == .piece, all.last?.state == .trashed else { return all }
            (piece.state, piece.revision, piece.last) = (.live, 1, nil)
            return [piece]
        }
    }

    // MARK: The new vault

    /// Writes all that can be read into a new vault with the same keys, which goes on from the newest save.
    ///
    /// - Parameters:
    ///   - seen: the highest sequence that is known from elsewhere.
    ///   - dropsUnsupported: contents that only a newer program can read are left out, and count as lost.
    ///   - progress: told the bytes done so far.
    /// - Returns: the new vault.
    /// - Throws: `VaultError` `.exists`, `.cancelled`, `.readOnly` for features that are not known; `IOError`;
    ///   `FormatError.unsupported` for a content of a newer program.
    @discardableResult
    public mutating func write(
        to target: BytePath, above seen: UInt64 = 0, dropsUnsupported: Bool = false,
        progress: @escaping (UInt64) -> Void = { _ in }
    ) throws -> Vault {
        let features = locked.header.writeFeatures
        guard features == 0 || dropsUnsupported else { throw VaultError.readOnly(.writeFeatures(features)) }
        if features != 0 {
            leftOut.append("what a newer program keeps beside the records (write features \(features))")
        }
        let area = try readableExtensions()
        let new = try AtomicFile(vault: target, environment)
        try dropUnreadable(dropsUnsupported)
        // A version that a merge brought may be lost. Without the list the next merge brings it again.
        if !isComplete || losses.contains(where: \.wasPresent) { versions[try MergedSaves.id()] = nil }
        var tree = SalvagedTree(versions)
        var kept = try tree.entries()
        let newest = versions.values.joined().reduce(max(seen, newestSequence)) { max($0, $1.first) }
        // A version of a lost save begins anew with this save, so that merges know its origin.
        for index in kept.indices {
            let entry = kept[index]
            guard entry.last == nil, entry.kind != .folder, entry.kind != .piece, entry.origin == nil,
                lines[entry.first] == nil
            else {
                continue
            }
            if !entry.isTombstone {
                kept.append(entry)
                kept[kept.count - 1].last = newest
            }
            (kept[index].first, kept[index].revision) = (newest + 1, try Entry.next(entry.revision))
        }
        guard newest < Limits.counter else {
            throw FormatError(.invalid, "the vault has as many commits as the format allows")
        }
        let source = Rewrite.Source(
            file: locked.file, keys: keys, vaultID: locked.header.vaultID, epoch: locked.header.epoch,
            newest: self.newest?.fingerprint ?? .zero, environment: environment,
            extensionArea: area)
        let rewritten = Rewrite.Target(
            keys: keys, epoch: source.epoch, sequence: newest + 1, slots: slots)
        var rewrite = Rewrite(
            VersionsInMemory(versions: kept), lines: lines.values.sorted { $0.sequence < $1.sequence }, source: source,
            progress: progress)
        rewrite.remakesFolders = true
        let record = try rewrite.write(to: new.file, as: rewritten)
        try new.file.finish(naming: record, slots: slots, keys: keys, environment, isCheckedWhole: true)
        try new.publishDurably()
        count = (kept.count { $0.last == nil && $0.state == .live }, kept.count)
        return try Vault(LockedVault(target, in: environment), keys: keys)
    }

    /// The extension area in force; nil where there is none, or it is damaged.
    private mutating func readableExtensions() throws -> ExtensionArea? {
        guard let area = newest?.extensionArea else { return nil }
        do { _ = try locked.file.extensionBytes(area) } catch let error as FormatError {
            leftOut.append("what key slots of newer programs need (\(error.what))")
            return nil
        }
        return area
    }

    /// Reads every version.
    ///
    /// - Returns: the faults, by what the entries say of the stored records.
    private func readAll(_ dropsUnsupported: Bool) throws -> [StoredTwin: Fault] {
        var reader = try RecordReader(locked.file, keys: keys, logEnd: locked.fileByteCount)
        var faults: [StoredTwin: Fault] = [:]
        /// The stored records that were read without a fault, by their places.
        var sound: [UInt64: StoredTwin] = [:]
        for entry in versions.values.joined().sorted(by: { $0.place < $1.place }) where !entry.isTombstone {
            // A folder has no content to lose: its entry tells all.
            if entry.kind == .folder && entry.length == 0 { continue }
            if let twin = sound[entry.place] {
                guard twin != entry.twin else { continue }
                faults[entry.twin] = Fault(what: "two records in one place", range: entry.content.extent)
            }
            if faults[entry.twin] != nil { continue }
            do {
                try entry.checkContent()
                try reader.read(entry.content) { content in
                    try environment.checkCancellation()
                    guard entry.kind != .symlink || !content.indices.contains(where: { content[$0] == 0 }) else {
                        throw FormatError(.malformed, "the target of a symlink", at: entry.place)
                    }
                }
                sound[entry.place] = entry.twin
            } catch let fault as Fault {
                faults[entry.twin] = fault
            } catch let error as IOError {
                faults[entry.twin] = Fault(
                    what: "cannot be read from the disk (\(error.code))", range: entry.content.extent)
            } catch let error as FormatError {
                guard error.code != .unsupported || dropsUnsupported else { throw error }
                faults[entry.twin] = Fault(what: error.what, range: entry.content.extent)
            }
        }
        try checkLists(&faults, &reader)
        return faults
    }

    /// Finds the contents in pieces of which a piece is not there or cannot be read.
    private func checkLists(_ faults: inout [StoredTwin: Fault], _ reader: inout RecordReader) throws {
        let lists = Set(versions.values.joined().lazy.filter { $0.content.isList }.map(\.twin))
        for list in lists where faults[list] == nil {
            try environment.checkCancellation()
            let pieces = (try? reader.list(list.content))?.pieces
            let isWhole = pieces?.allSatisfy { piece in
                versions[piece.id]?.last.map { $0.holds(piece) && faults[$0.twin] == nil } ?? false
            }
            if isWhole != true { faults[list] = Fault(what: Entry.missingPiece, range: list.content.extent) }
        }
    }

    /// Forgets the versions that cannot be read; the newest that is left is then the present one.
    private mutating func dropUnreadable(_ dropsUnsupported: Bool) throws {
        let faults = try readAll(dropsUnsupported)
        var paths = VaultTree(versions.values.compactMap(\.last))
        // Ids of records that live on elsewhere, or that folders elsewhere have as their inner ids.
        let readable = versions.values.joined().filter { !$0.isTombstone && faults[$0.twin] == nil }
        let kept = Set(readable.compactMap(\.formerID) + readable.map(\.innerID))
        for (id, all) in versions {
            var left = all.filter { $0.isTombstone || faults[$0.twin] == nil }
            // A tombstone that something came after is none, nor one of a move whose new place is lost.
            left = left.enumerated().filter { index, entry in
                !entry.isTombstone || index == left.count - 1 && (entry.state == .purged || kept.contains(id))
            }.map(\.element)
            for index in left.indices {
                // A version of a record that was moved away ended earlier than the next version began.
                let end = index + 1 < left.count ? left[index + 1].first - 1 : nil
                left[index].last = end.map { min($0, left[index].last ?? .max) }
            }
            for entry in all {
                guard let fault = faults[entry.twin] else { continue }
                let wasPresent = entry.first == all.last?.first
                let path = (try? paths.path(of: entry)) ?? BytePath(entry.shownTitle)
                losses.append(
                    Loss(
                        path: path, sequence: entry.first, what: fault.what, range: fault.range,
                        substitute: wasPresent ? left.last?.first : nil, wasPresent: wasPresent))
            }
            versions[id] = left.isEmpty ? nil : left
        }
        losses.sort {
            $0.path == $1.path ? $0.sequence < $1.sequence : $0.path.bytes.lexicographicallyPrecedes($1.path.bytes)
        }
    }
}
