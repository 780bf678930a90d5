import Values
import VaultFormat
import VaultIO
import VaultStore

/// What a query has to know of a vault besides the record that it looks at.
struct QueryContext: Sendable {
    /// The records that attachments belong to.
    private(set) var attached: Set<RecordID> = []
    /// The records that copies were made of, and the cards that these belong to.
    private(set) var shared: Set<RecordID> = []
    /// The earliest day on which something of a record ends.
    private(set) var due: [RecordID: Day] = [:]
    /// The paths of files.
    private(set) var paths: [RecordID: BytePath] = [:]
    let clock: QueryClock

    /// - Parameter damaged: told which records cannot be read.
    init(_ needs: QueryNeeds, _ vault: Vault, _ clock: QueryClock, damaged: (Entry, FormatError) throws -> Void) throws
    {
        self.clock = clock
        if needs.contains(.attachments) {
            attached = try Set(vault.entries(where: \.isAttachment).compactMap(\.parent))
        }
        if needs.contains(.shares) {
            shared = try Set(vault.entries(where: \.isShare).compactMap(\.parent))
            shared.formUnion(try shared.compactMap { try vault.entry($0)?.parent })
        }
        if needs.contains(.due) {
            let dates = try vault.dueDates(today: clock.today, now: clock.now, within: .max, damaged: damaged)
            due = Dictionary(dates.map { ($0.entry.id, $0.day) }) { min($0, $1) }
        }
        if needs.contains(.paths) {
            let listing = try TreeListing(vault.entries()).filter { !$0.entry.isCard && $0.entry.kind != .setting }
            paths = Dictionary(listing.map { ($0.entry.id, $0.path) }) { first, _ in first }
        }
    }

    // MARK: What lists show of a record

    /// Whether a condition holds for a record; nil where its content has to be read.
    func holds(_ condition: ResolvedCondition, _ entry: Entry) -> Bool? {
        let overview = entry.overview
        func text(_ text: some Sequence<UInt8>) -> Bool {
            let bytes = Array(text)
            return condition.tests.contains { $0.holds(text: bytes.span) }
        }
        func day(_ day: Day?) -> Bool {
            day.map { day in condition.tests.contains { $0.day?.contains(day) ?? false } } ?? false
        }
        func time(_ time: Timestamp) -> Bool { condition.tests.contains { $0.time?.contains(time) ?? false } }
        switch condition.field.place {
        case .title: return text(overview.title)
        case .kind: return condition.kinds.records.contains(entry.kind)
        case .tag: return overview.tags.contains { text($0.utf8) }
        case .group: return overview.group.map { text($0.utf8) } ?? false
        case .path: return paths[entry.id].map { text($0.bytes) } ?? false
        case .media: return overview.mediaType.map { text($0.utf8) } ?? false
        case .id: return text(hexText(entry.id.bytes).utf8)
        case .size:
            let size = ExactDecimal(Int(clamping: entry.length))
            return condition.tests.contains { $0.size?.contains(size) ?? false }
        case .updated: return time(entry.updated)
        case .created: return time(entry.created)
        case .due: return day(due[entry.id])
        case .save: return false
        case .state:
            let states = condition.words.compactMap(QueryState.init)
            if states.contains(where: { isInState($0, entry) }) { return true }
            // The fields of an app say which marks it has.
            return entry.kind == Schema.app.kind && states.contains { $0.mark != nil } ? nil : false
        case .presence:
            if condition.words.contains(where: { has($0, entry) }) { return true }
            let mayHave = condition.fields[entry.kind] != nil || !condition.own.isEmpty && entry.isCard
            return mayHave && entry.length > 0 ? nil : false
        case .values: return condition.fields[entry.kind] == nil || entry.length == 0 ? false : nil
        case .own: return entry.isCard && entry.length > 0 ? nil : false
        }
    }

    private func isInState(_ state: QueryState, _ entry: Entry) -> Bool {
        switch state {
        case .pinned: entry.overview.isPinned
        case .overdue: due[entry.id].map { $0 < clock.today } ?? false
        case .executable: entry.overview.isExecutable
        default: false
        }
    }

    private func has(_ word: String, _ entry: Entry) -> Bool {
        switch QueryPart(rawValue: word) {
        case .attachment: attached.contains(entry.id)
        case .share: shared.contains(entry.id)
        case .tag: !entry.overview.tags.isEmpty
        case .group: entry.overview.group != nil
        case .due: due[entry.id] != nil
        case nil: false
        }
    }

    /// Whether a condition holds for a save.
    func holds(_ condition: ResolvedCondition, _ save: SaveInfo) -> Bool {
        switch condition.field.place {
        case .kind: condition.kinds.saves
        case .save:
            condition.tests.contains { $0.number?.contains(ExactDecimal(Int(clamping: save.sequence))) ?? false }
        case .updated, .created: condition.tests.contains { $0.time?.contains(save.time) ?? false }
        default: false
        }
    }
}
