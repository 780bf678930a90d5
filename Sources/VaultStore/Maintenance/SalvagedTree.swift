import VaultFormat

/// Finds a place for every salvaged record: where its folder, or the end of its name, is lost, it gets another path,
/// and the id that belongs to it.
struct SalvagedTree {
    /// All versions of all records, the present one last.
    private var versions: [RecordID: [Entry]]
    private var homes: [RecordID: Home] = [:]
    private var taken: Set<RecordID>
    /// The record of each folder, by inner id.
    private let folders: [RecordID: RecordID]
    /// The saves that show a folder with an inner id, under whatever path.
    private let spans: [RecordID: [ClosedRange<UInt64>]]

    private struct Home {
        let id: RecordID
        let parent: RecordID?
        let title: [UInt8]
        /// True of a folder whose inner id is its own from now on: it has another place, or another folder has the inner id.
        let hasOwnInner: Bool
    }

    init(_ versions: [RecordID: [Entry]]) {
        (self.versions, taken) = (versions, Set(versions.keys))
        folders = Dictionary(
            versions.values.compactMap(\.last).filter { $0.kind == .folder && !$0.isTombstone }
                .sorted { ($0.state.rawValue, $0.id) < ($1.state.rawValue, $1.id) }.map { ($0.innerID, $0.id) },
            uniquingKeysWith: { first, _ in first })
        spans = Dictionary(
            grouping: versions.values.joined().filter { $0.kind == .folder && !$0.isTombstone },
            by: \.innerID
        ).mapValues { $0.map { $0.first...max($0.first, $0.last ?? .max) } }
    }

    /// Every version as it is from now on, with the salt and place that it has in the damaged log.
    mutating func entries() throws -> [Entry] {
        for all in versions.values { if let present = all.last, present.state == .live { reviveFolders(of: present) } }
        for all in versions.values { if let first = all.first, !first.isTombstone { ageFolders(of: first) } }
        var entries: [Entry] = []
        for (id, all) in versions {
            let home = try home(of: id)
            for var version in all {
                if let home, !version.isTombstone {
                    version.move(to: home.id, in: home.parent, title: home.title)
                    if version.kind == .folder, home.hasOwnInner { version.innerID = home.id }
                }
                entries.append(version)
            }
        }
        return entries
    }

    /// Makes the folders above a live record live.
    private mutating func reviveFolders(of entry: Entry) {
        var next = entry.parent
        var depth = 0
        while let id = next, let folder = folder(id), depth < Limits.treeDepth {
            if var present = versions[folder.id]?.popLast() {
                present.state = .live
                versions[folder.id]?.append(present)
            }
            (next, depth) = (folder.parent, depth + 1)
        }
    }

    /// Makes the folders above an older version as old as it, where their own older versions are lost.
    private mutating func ageFolders(of entry: Entry) {
        var next = entry.parent
        var depth = 0
        while let id = next, let folder = folder(id), depth < Limits.treeDepth {
            if spans[id]?.contains(where: { $0.contains(entry.first) }) ?? false { return }
            if let first = versions[folder.id]?.first, first.first > entry.first {
                versions[folder.id]?[0].first = entry.first
            }
            (next, depth) = (folder.parent, depth + 1)
        }
    }

    /// The folder with an inner id.
    private func folder(_ inner: RecordID) -> Entry? { folders[inner].flatMap { versions[$0]?.last } }

    /// Nil where it needs no other than it has.
    private mutating func home(of id: RecordID, depth: Int = 1) throws -> Home? {
        if let home = homes[id] { return home }
        guard let entry = versions[id]?.last, entry.kind.isInTree else { return nil }
        var parent: RecordID?
        if let old = entry.parent, let folder = folder(old), depth < Limits.treeDepth {
            let home = try home(of: folder.id, depth: depth + 1)
            parent = home.map { $0.hasOwnInner ? $0.id : old } ?? old
        }
        var title = entry.overview.title
        var new = try TreeName.id(title, in: parent)
        var number = 1
        while new != id, taken.contains(new) {
            number += 1
            title = Array(entry.overview.title.prefix(Limits.titleByteCount - 8)) + Array(" (\(number))".utf8)
            new = try TreeName.id(title, in: parent)
        }
        taken.insert(new)
        let home = Home(id: new, parent: parent, title: title, hasOwnInner: new != id || folders[entry.innerID] != id)
        homes[id] = home
        return home
    }
}

extension Entry {
    /// The entry of a record of which only the sealed header is left. The save that brought it is unknown.
    init(_ header: StoredRecord.Header, salt: Salt, place: UInt64) {
        self.init(
            id: header.id, kind: header.kind, revision: header.revision, salt: salt, place: place,
            length: header.length, created: header.time, updated: header.time, parent: header.parent, first: 0,
            overview: Overview(title: header.shortName))
    }
}
