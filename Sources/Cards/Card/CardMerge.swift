import VaultFormat
public import VaultStore

extension Merge {
    /// Plans a merge that joins cards field by field: what only one side changed is taken, and a card is kept twice only
    /// where both changed the same field (Spec/store.md, 13).
    ///
    /// - Throws: what reading either vault throws.
    public init(cardsOf theirs: Vault, into mine: Vault) throws {
        let parts = Parts(labelsOf: { Schema.of($0) != nil }, check: Self.check) { old, mine, theirs in
            if mine.entry.id == (try Setting.id(Vault.answersName)) { return try Self.answers(old, mine, theirs) }
            if mine.entry.id == (try Setting.id(Vault.lastDrillName)) { return try Self.lastDrill(mine, theirs) }
            if mine.entry.kind == .series, theirs.entry.kind == .series {
                let series = try mine.vault.series(mine.entry).union(theirs.vault.series(theirs.entry))
                return (mine.entry.overview, series.bytes)
            }
            if mine.entry.isShare, theirs.entry.isShare { return try Self.share(mine, theirs) }
            guard let old, mine.entry.isCard, old.entry.kind == mine.entry.kind else { return nil }
            let (before, here, there) = (
                try old.vault.card(old.entry), try mine.vault.card(mine.entry), try theirs.vault.card(theirs.entry)
            )
            // Parts that a newer program made cannot be told apart.
            guard ![before, here, there].contains(where: \.fields.isPartlyUnknown),
                here.overview.unknownBytes == there.overview.unknownBytes
            else { return nil }
            let (card, conflicts) = there.merged(since: before, into: here)
            return conflicts.isEmpty ? (card.overview, card.fields.bytes) : nil
        } copyName: { entry, number in
            // A setting is found by its name alone, which has no blanks.
            guard entry.kind == .setting else { return nil }
            let mark = "-conflict-\(number)"
            let title = entry.overview.title.prefix(Card.titleByteCount - mark.utf8.count) + Array(mark.utf8)
            return (Array(title), try Setting.id(String(decoding: title, as: UTF8.self)))
        }
        try self.init(theirs, into: mine, parts: parts)
    }

    /// Reads what is stored under a kind that this program knows.
    private static func check(_ state: State) throws {
        switch state.entry.kind {
        case .setting: _ = try state.vault.setting(state.entry)
        case .series: _ = try state.vault.series(state.entry)
        case .share, .watermark: _ = try fields(state)
        default: if state.entry.isCard { _ = try state.vault.card(state.entry) }
        }
    }

    private static func fields(_ state: State) throws -> RecordFields {
        try RecordFields(parsing: state.vault.content(of: state.entry, limit: Vault.markByteCount))
    }

    /// The record of a share that was asked back, of two that are the same but for that: with the earlier day. Nil where they
    /// differ in anything else.
    private static func share(_ mine: State, _ theirs: State) throws -> (Overview, [UInt8])? {
        var (here, there) = (try fields(mine), try fields(theirs))
        let content = (here.bytes, there.bytes)
        let days = (here.texts.removeValue(forKey: Entry.revokedKey), there.texts.removeValue(forKey: Entry.revokedKey))
        guard here == there else { return nil }
        let isTheirs = days.1.map { there in days.0.map { there < $0 } ?? true } ?? false
        return isTheirs ? (theirs.entry.overview, content.1) : (mine.entry.overview, content.0)
    }

    /// The later of two trial restorations. Nil where one of the settings is something else.
    private static func lastDrill(_ mine: State, _ theirs: State) throws -> (Overview, [UInt8])? {
        let (here, there) = (try mine.vault.setting(mine.entry), try theirs.vault.setting(theirs.entry))
        guard let mineAt = here.drillTime, let theirsAt = there.drillTime else { return nil }
        return mineAt < theirsAt ? (theirs.entry.overview, there.bytes) : (mine.entry.overview, here.bytes)
    }

    /// The answers to what is due, of both. Where both changed the answer about one date, the later one counts, and done
    /// after any day. Nil where the setting is something else.
    private static func answers(_ old: State?, _ mine: State, _ theirs: State) throws -> (Overview, [UInt8])? {
        func answers(_ state: State?) throws -> [String: DueAnswer]? {
            guard let state else { return [:] }
            guard let list = try state.vault.setting(state.entry).answers else { return nil }
            return Dictionary(list.map { ($0.subject + " " + $0.key, $0) }) { $1 }
        }
        guard let before = try answers(old), let here = try answers(mine), let there = try answers(theirs) else {
            return nil
        }
        let all = Set(here.keys).union(there.keys).compactMap { key -> DueAnswer? in
            if here[key] == before[key] { return there[key] }
            if there[key] == before[key] { return here[key] }
            return [here[key], there[key]].compactMap(\.self).max { $0.rank < $1.rank }
        }
        return (mine.entry.overview, Setting(.list(all.map(\.line).sorted())).bytes)
    }
}

extension Card {
    /// The keys of what differs between two versions of a card: fields, and `title`, `group`, `tags`, `pinned`.
    public func keysThatDiffer(from other: Card) -> [String] {
        func values(_ card: Card) -> [String: String] {
            Dictionary(card.lines.map { ($0.key, $0.value) }, uniquingKeysWith: { $0 + "\n" + $1 })
        }
        let (mine, theirs) = (values(self), values(other))
        var seen: Set<String> = []
        let keys = (lines + other.lines).map(\.key).filter { mine[$0] != theirs[$0] && seen.insert($0).inserted }
        let parts = [
            ("title", overview.title == other.overview.title), ("group", overview.group == other.overview.group),
            ("tags", overview.tags == other.overview.tags), ("pinned", overview.isPinned == other.overview.isPinned),
        ]
        return parts.filter { !$0.1 }.map(\.0) + keys
    }
}
