import VaultFormat

/// A merge as a save.
extension Merge {
    /// Carries the plan out in a save that starts from the state it was made for. Records that share a stored one there go on
    /// sharing it.
    public func carryOut(in transaction: VaultTransaction) throws {
        if mine.vault.id == theirs.vault.id { transaction.raiseSequence(above: theirs.vault) }
        var reader = try theirs.vault.reader()
        var own = try mine.vault.reader()
        var pieces = MergedPieces(from: theirs.vault, transaction.pieceStore())
        var stored: [StoredTwin: RecordID] = [:]
        let shared = try sharedPlaces()
        for id in order {
            switch (steps[id], planned[id]) {
            case (.store(let other), let version?):
                guard let entry = try theirs.entry(other) else { preconditionFailure("what is stored is there") }
                let key = entry.twin
                do {
                    var list: PieceList?
                    if stored[key] == nil, entry.content.isList {
                        list = try pieces.take(entry, &reader)
                    } else if stored[key] == nil {
                        try reader.open([entry.content])
                    }
                    try transaction.store(version, contentOf: stored[key], pieces: list) {
                        try reader.pull(into: &$0)
                    }
                } catch let fault as Fault {
                    throw try theirs.vault.diagnose(fault)
                } catch let error as FormatError where error.code == .malformed {
                    throw error.of(theirs.vault.nameInErrors)
                }
                if shared.contains(entry.place) { stored[key] = id }
            case (.keep(let entry), let version?):
                let list = try entry.content.isList ? own.list(entry.content) : nil
                if list == nil { try own.open([entry.content]) }
                try transaction.store(version, contentOf: nil, pieces: list) { try own.pull(into: &$0) }
            case (.place, let version?): try transaction.place(version)
            case (.leave(let entry), _): try transaction.leave(entry)
            case (.trash, _): if let entry = try transaction.entry(id) { try transaction.trash(entry) }
            case (.adopt(let entry, let origin), _): try transaction.adopt(entry, origin)
            case (.bury, _): try transaction.bury(id)
            case (.relabel(let entry, let overview), _): try transaction.updateMetadata(entry, overview)
            case (.write(let entry, let overview, let content), _):
                try transaction.put(
                    id, kind: entry.kind, parent: entry.parent, overview: overview, content: content)
            case (_, nil), (nil, _): preconditionFailure("what is stored is planned")
            }
        }
        try merged?.write(in: transaction)
    }

    /// The places in their file of stored records that several records share.
    private func sharedPlaces() throws -> Set<UInt64> {
        var (once, shared) = (Set<UInt64>(), Set<UInt64>())
        for case .store(let id) in steps.values {
            if let entry = try theirs.entry(id), !once.insert(entry.place).inserted { shared.insert(entry.place) }
        }
        return shared
    }
}
