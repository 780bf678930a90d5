import VaultFormat

/// The record of a copy that was given away is evidence: it outlives its card, and says what either side noted
/// (Spec/store.md, 13).
extension Merge {
    /// Brings in, as records in the trash, the copies that were given away there of something that is in the trash there:
    /// the record of a share and its original stay, whatever becomes of their card.
    mutating func takeEvidence() throws {
        for share in changed where share.kind == .share && share.state == .trashed {
            let original = try share.parent.flatMap { try theirs.entry($0) }
            for entry in [original, share].compactMap(\.self) where entry.state == .trashed && !entry.kind.isInTree {
                guard try present(entry.id) == nil else { continue }
                try leavingOut(entry, BytePath(entry.overview.title)) { merge in
                    try merge.store(.taken, BytePath(entry.overview.title), entry, as: entry)
                }
            }
        }
    }

    /// Joins the records of shares that differ. Which of them are live is planned already, with their cards.
    mutating func joinEvidence() throws {
        for entry in states where entry.kind == .share && !entry.isTombstone {
            guard let here = try mine.entry(entry.id), here.kind == .share, !here.isTombstone, try !isSame(here, entry)
            else { continue }
            try leavingOut(entry, BytePath(entry.overview.title)) { try $0.joinEvidence(entry, here) }
        }
    }

    private mutating func joinEvidence(_ entry: Entry, _ here: Entry) throws {
        try checkStorable(entry)
        guard let joined = try joined(here, entry, since: nil) else { return }
        let isTheirs = try joined.content != mine.vault.content(of: here, limit: Int(here.length))
        var version = isTheirs ? entry : here
        (version.state, version.origin, version.formerID) = (planned[here.id]?.state ?? here.state, nil, nil)
        switch steps[here.id] {
        case nil where isTheirs: note(.taken, BytePath(entry.overview.title))
        case .trash where isTheirs: version.state = .trashed
        case .store where !isTheirs: break
        default: return
        }
        plan(isTheirs ? .store(entry.id) : .keep(here), at: here.id, version)
    }
}
