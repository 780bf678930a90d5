import VaultIO
import Synchronization
import VaultCrypto
import VaultFormat

extension Entry {
    /// Holds it against the rules of its kind that a reader applies: kind, length of the content, id.
    ///
    /// - Throws: `FormatError.malformed`.
    func checkKind() throws {
        try checkContent()
        guard try hasDerivedID() else {
            throw FormatError(.malformed, "an id that is not the name's", at: place)
        }
    }

    /// Holds it against all rules for what a writer stores: those of `checkKind`, and that of a name in a tree.
    ///
    /// - Throws: `FormatError.malformed`.
    func checkStorable() throws {
        try checkKind()
        try checkTitle()
    }

    /// True if a manifest can hold it in any state that it may get: of any save, in the trash, moved, of another copy.
    var fitsInAnyState: Bool {
        var widest = self
        (widest.content, widest.revision, widest.first) = (.widest, .max, .max)
        widest.hint = .max
        (widest.created, widest.updated, widest.last, widest.state) = (.max, .max, .max, .trashed)
        widest.formerID = id
        widest.origin = VersionOrigin(sequence: .max, save: Bytes16(id.bytes))
        return widest.fitsManifest
    }

    /// Holds its title against the rule of a name in a tree.
    func checkTitle() throws {
        guard !kind.isInTree || TreeName.isValid(overview.title) else {
            throw FormatError(.malformed, "a title that is no name for a file", at: place)
        }
    }

    /// Holds its kind and the length of its content against each other.
    func checkContent() throws {
        let lengths: ClosedRange<UInt64> =
            switch kind {
            case .folder: 0...0
            case .symlink: 1...UInt64(Limits.symlinkByteCount)
            default: 0...Limits.recordByteCount
            }
        let isWhole = content.isList ? kind == .file || kind == .attachment : kind != .symlink || !content.isCompressed
        guard lengths.contains(length), kind != .tombstone, isWhole else {
            throw FormatError(.malformed, "the content of a record of kind \(kind.rawValue)", at: place)
        }
    }
}

extension Vault {
    /// The live folders, after the tree of all live entries was held against the rules (Spec/reader.md, 4.6). Only folders are
    /// kept in memory.
    ///
    /// - Throws: `FormatError.malformed`; `Fault`.
    func checkedTree() throws -> VaultTree {
        let parents = Mutex<Set<RecordID?>>([])
        var tree = VaultTree(
            try manifest.flatMap { entries in
                let entries = entries.filter { $0.kind.isInTree && $0.state == .live }
                parents.withLock { $0.formUnion(entries.lazy.map(\.parent)) }
                return entries.filter { $0.kind == .folder }
            })
        for parent in parents.withLock({ $0 }) { try tree.checkFolder(parent) }
        return tree
    }

    /// Holds what its manifest says against the rules that readers apply, older versions too. No content is read but lists of pieces. All that
    /// is made from a whole vault is made after this: nothing that breaks a rule is written anew.
    ///
    /// - Throws: `FormatError`; `IOError`.
    func checkEntries() throws {
        let lists = Mutex<Set<StoredContent>>([])
        try diagnosing {
            _ = try checkedTree()
            for segment in manifest.segments {
                for part in [SegmentPart.live, .past] {
                    try segment.forEachEntry(part) { entries in
                        for entry in entries where !entry.isTombstone { try entry.checkKind() }
                        let found = entries.lazy.filter { $0.content.isList }.map(\.content)
                        if !found.isEmpty { lists.withLock { $0.formUnion(found) } }
                    }
                }
            }
            let found = lists.withLock { $0 }
            if !found.isEmpty { _ = try pieces(namedBy: found, of: pieces()) }
        }
    }
}
