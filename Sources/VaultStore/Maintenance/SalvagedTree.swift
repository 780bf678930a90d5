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
    /// The inner ids of the folders that were made live, and all those above them.
    private var revived: Set<RecordID> = []
    /// The saves that show a folder with an inner id, under whatever path.
    private let spans: [RecordID: [ClosedRange<UInt64>]]

    private struct Home {
        let id: RecordID
        let parent: RecordID?
        let title: [UInt8]
        /// The number of folders that lead to it, itself included.
        let depth: Int
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
        while let id = next, let folder = folder(id), revived.insert(id).inserted {
            versions[folder.id]![versions[folder.id]!.count - 1].state = .live
            next = folder.parent
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

    /// The place of a record; nil of one that lies in no tree. It goes to the top where its folder is lost, too deep, or lies
    /// in itself.
    private mutating func home(of id: RecordID) throws -> Home? {
        guard versions[id]?.last?.kind.isInTree ?? false else { return nil }
        // Upwards to a folder whose place is known, then back.
        var (way, seen) = ([id], Set([id]))
        while homes[way.last!] == nil, let parent = versions[way.last!]?.last?.parent, let folder = folder(parent),
            seen.insert(folder.id).inserted
        {
            way.append(folder.id)
        }
        for id in way.reversed() where homes[id] == nil { homes[id] = try makeHome(of: versions[id]!.last!) }
        return homes[id]
    }

    /// The place of a record whose folder has its place already, or has none.
    private mutating func makeHome(of entry: Entry) throws -> Home {
        let levels = entry.kind == .folder ? 1 : 0
        var above = entry.parent.flatMap { self.folder($0) }.flatMap { self.homes[$0.id] }
        if let folder = above, folder.depth + levels >= Limits.treeDepth { above = nil }
        let parent = above.flatMap { $0.hasOwnInner ? $0.id : entry.parent }
        let name = TreeName.repaired(entry.overview.title)
        var title = name
        var new = try TreeName.id(title, in: parent)
        var number = 1
        while new != entry.id, taken.contains(new) {
            number += 1
            title = Array(name.prefix(Limits.titleByteCount - 8)) + Array(" (\(number))".utf8)
            new = try TreeName.id(title, in: parent)
        }
        taken.insert(new)
        return Home(
            id: new, parent: parent, title: title, depth: (above?.depth ?? 0) + 1,
            hasOwnInner: new != entry.id || folders[entry.innerID] != entry.id)
    }
}

extension Entry {
    /// The entry of a record of which only the sealed header is left. The save that brought it is unknown.
    init(_ header: StoredRecord.Header, salt: Salt, place: UInt64) {
        self.init(
            id: header.id, kind: header.kind, revision: header.revision, salt: salt, place: place,
            length: header.length, created: header.time, updated: header.time, parent: header.parent, first: 0,
            overview: Overview(title: header.shortName))
        (content.otherLength, content.isList) = (header.otherLength, header.isList)
    }
}
