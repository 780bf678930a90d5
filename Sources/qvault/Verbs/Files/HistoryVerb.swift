import Cards
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let history = Verb.at(
        name: "history", summary: "list the saves, or the versions of a record", operands: "[NAME]",
        options: [.vault, Option(.all, help: "each save of prices; else those of a day are one line"), .json]
            + Option.use,
        example: "qvault history -f documents.qvault letter.pdf",
        note: "the save that brought each version; 'cat --at' shows it"
    ) { path, arguments in
        let vault = try Session.open(path, arguments)
        if let name = arguments.operands.first {
            let (path, entry) = try Names.record(name, among: vault.listing { _ in true })
            return try StandardOutput.list(vault.changes(of: entry.id), arguments, json: { json($0, path) }, text: text)
        }
        let width = String(vault.sequence).count
        let days = try days(saves(vault), isFolded: !arguments.has(.all) && !arguments.has(.json))
        return try StandardOutput.list(days, arguments, json: \.[0].json) { saves in
            saves.count > 1 ? Save.text(saves, width) : saves[0].text(width)
        }
    }

    private static func saves(_ vault: Vault) throws -> [Save] {
        let present = try vault.listing { _ in true }
        let paths = Dictionary(present.map { ($0.entry.id, $0.path) }, uniquingKeysWith: { first, _ in first })
        var changes: [UInt64: [Version]] = [:]
        for version in try vault.changes() { changes[version.save, default: []].append(version) }
        let pieces = try vault.pieceByteCounts()
        return try vault.saves().map { moment in
            Save(
                moment: moment, changes: changes[moment.sequence] ?? [], paths: paths,
                pieceByteCount: pieces[moment.sequence] ?? 0)
        }
    }

    /// The saves, those of prices alone on one day together.
    private static func days(_ saves: [Save], isFolded: Bool) -> [[Save]] {
        saves.reduce(into: []) { days, save in
            if isFolded, save.isOfSeries, let last = days.last?.last, last.isOfSeries, last.day == save.day {
                days[days.count - 1].append(save)
            } else {
                days.append([save])
            }
        }
    }

    private static func text(_ version: Version) -> String {
        let entry = version.entry
        let time = timeText(entry.updated, local: true)
        let size = version.change == .trashed ? "-" : sizeText(entry.length)
        return "\(padded("\(version.save)", 8, left: true))  \(time)  \(padded(version.change.name.said, 9))  "
            + padded(size, 10, left: true)
    }

    private static func json(_ version: Version, _ path: BytePath) -> JSON {
        let entry = version.entry
        return JSON(
            joining: .path(path),
            [
                "id": entry.id, "sequence": version.save, "last_sequence": entry.last, "change": version.change.name,
                "revision": entry.revision, "size": entry.length, "updated": entry.updated,
            ])
    }
}

/// One save as a list shows it.
private struct Save {
    let moment: SaveInfo
    let changes: [Version]
    let paths: [RecordID: BytePath]
    /// Bytes that it stored of contents in pieces.
    let pieceByteCount: UInt64

    /// True if nothing but series changed: prices came in.
    var isOfSeries: Bool { !changes.isEmpty && changes.allSatisfy { $0.entry.kind == .series } }
    /// Its day on this machine.
    var day: Substring { timeText(moment.time, local: true).prefix(10) }

    /// `12  2026-01-31 18:30   4.0 KiB  prices and their like, 3 saves since 10`, with the last save first.
    static func text(_ saves: [Save], _ width: Int) -> String {
        guard let first = saves.first, let last = saves.last else { return "" }
        let what: Phrase = "\(saves.count) saves of values over time, since \(first.moment.sequence)"
        return last.line(width, sizeText(saves.reduce(0) { $0 &+ $1.byteCount }), what.said)
    }

    private func line(_ width: Int, _ size: String, _ what: String) -> String {
        "\(padded("\(moment.sequence)", width, left: true))  "
            + "\(timeText(moment.time, local: true))  \(padded(size, 10, left: true))  \(what)"
    }

    /// The changes without those of thumbnails and their like.
    private var shown: [Version] { changes.filter { !$0.entry.kind.isPart || $0.entry.isShare } }

    /// `2 added (login)`; nil where nothing was changed in this way. Files and folders need no name, and several kinds have none.
    private func part(_ change: Version.Change) -> String? {
        let those = shown.filter { $0.change == change }
        guard let kind = those.first?.entry.kind else { return nil }
        let isOneKind = !kind.isInTree && those.allSatisfy { $0.entry.kind == kind }
        return "\(those.count) \(change.name.said)" + (isOneKind ? " (\(FindAnswer.label(kind)))" : "")
    }

    private var byteCount: UInt64 { changes.reduce(pieceByteCount) { $0 &+ $1.storedByteCount } }

    /// `12  2026-01-31 18:30  4.0 KiB  2 added (login), 1 changed (address): a, b, …`
    func text(_ width: Int) -> String {
        let kinds: [Version.Change] = [.added, .changed, .moved, .restored, .trashed, .purged]
        let parts = kinds.compactMap(part)
        let changed = shown.compactMap { version in
            paths[version.entry.id].map { version.entry.isShare ? $0.parentInTree : $0 }
        }
        let names = changed.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.prefix(3).map(\.description)
        let none: Phrase = moment.isKept ? "no record changed" : "no longer kept"
        let what = parts.isEmpty ? none.said : parts.listed
        let size = byteCount > 0 ? sizeText(byteCount) : "-"
        let more = shown.count > names.count ? ["…"] : []
        return line(width, size, what) + (names.isEmpty ? "" : .colon + (names + more).listed)
    }

    var json: JSON {
        [
            "sequence": moment.sequence, "time": moment.time, "kept": moment.isKept, "stored_bytes": byteCount,
            "changes": changes.map { version in
                version.change.json(of: version.entry, at: paths[version.entry.id])
            },
        ]
    }
}

extension Version.Change {
    /// The change of a record in a save; its path is absent where it was purged.
    func json(of entry: Entry, at path: BytePath?) -> JSON {
        JSON(joining: path.map { .path($0) } ?? [:], ["id": entry.id, "change": name, "size": entry.length])
    }

    var name: Phrase {
        switch self {
        case .added: "added"
        case .changed: "changed"
        case .trashed: "removed"
        case .restored: "restored"
        case .purged: "purged"
        case .moved: "moved"
        }
    }
}
