import VaultFormat
import Cards
import VaultIO
import VaultStore

/// Names of records as people type them: paths, titles, beginnings of ids.
enum Names {
    /// The one record that a name means: a path or a title as it is, else `kind:` before one, or the beginning of an id.
    ///
    /// - Throws: `VaultError` `.noSuchRecord`; `Ambiguity`.
    static func record(_ name: [UInt8], in vault: Vault) throws -> (path: BytePath, entry: Entry) {
        let path = BytePath(name)
        if let entry = try vault.entry(at: path) {
            return (BytePath(path.components.reduce(BytePath("")) { $0.appending($1) }.bytes), entry)
        }
        return try record(name, among: list(vault))
    }

    /// The same among records that are listed.
    static func record(_ name: [UInt8], among listing: TreeListing) throws -> (path: BytePath, entry: Entry) {
        // A file may be called `note: todo.txt`: what has the whole name goes first.
        var found = records(BytePath(name), among: listing.filter { !$0.entry.isPart })
        if found.isEmpty, case (let kinds?, let path) = splitKind(name) {
            found = records(path, among: listing.filter { kinds.contains($0.entry.kind) })
        }
        guard let first = found.first else {
            // Verbs about files take the vault as an operand, others do not: the commonest mistake.
            if name.suffix(7) == Array(".qvault".utf8)[...], (try? Machine.store.files.status(BytePath(name))) != nil {
                throw Failure(.notFound, "no record '\(BytePath(name))'", hint: "did you mean -f \(BytePath(name))?")
            }
            throw VaultError.noSuchRecord(BytePath(name))
        }
        guard found.count == 1 else { throw Ambiguity(name, found) }
        return first
    }

    /// The records that a name means: one, or where there is none all files, folders and cards that fit it as a pattern. `*`, `?` and
    /// `[a-z]` stand for what is within one name, `**` for any folders. A name without `*` and `?` is no pattern.
    ///
    /// - Parameter listing: the records that count; else all live ones of the vault.
    /// - Throws: `VaultError.noSuchRecord` where nothing fits; `Ambiguity`.
    static func fitting(
        _ name: [UInt8], in vault: Vault, among listing: TreeListing? = nil
    ) throws -> [(path: BytePath, entry: Entry)] {
        do {
            return [try listing.map { try record(name, among: $0) } ?? record(name, in: vault)]
        } catch VaultError.noSuchRecord(let path) {
            guard name.contains(where: { "*?".utf8.contains($0) }) else { throw VaultError.noSuchRecord(path) }
            var pattern = ExcludePatterns()
            // From the top: a name alone would fit at any depth. A blank at the end would be left out.
            let isBlankLast = name.last == UInt8(ascii: " ")
            pattern.add([0x2F] + (isBlankLast ? name.dropLast() + Array("\\ ".utf8) : name))
            let found = try (listing ?? list(vault)).filter { path, entry in
                // A card's title may have slashes.
                let parts = entry.isCard ? [entry.overview.title] : path.components
                return (entry.isCard || entry.kind.isInTree)
                    && pattern.pattern(leavingOut: parts, isFolder: entry.kind == .folder) != nil
            }
            guard !found.isEmpty else { throw VaultError.noSuchRecord(path) }
            return found
        }
    }

    /// The records with a path or title, or with an id that begins so. Paths of files are their own; titles of all else
    /// may come twice.
    private static func records(_ path: BytePath, among all: [(path: BytePath, entry: Entry)]) -> [(
        path: BytePath, entry: Entry
    )] {
        if let there = all.first(where: { $0.path == path && $0.entry.kind.isInTree }) { return [there] }
        let titled = all.filter { $0.entry.overview.title == path.bytes }
        if !titled.isEmpty { return titled }
        let attached = all.filter { $0.entry.isAttachment && $0.path == path }
        if !attached.isEmpty { return attached }
        let isID = path.bytes.count >= 4 && path.bytes.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "f") ~= $0 }
        return isID ? all.filter { hexText($0.entry.id.bytes).utf8.starts(with: path.bytes) } : []
    }

    /// The kinds that a name is restricted to, if any, and the rest of it.
    private static func splitKind(_ name: [UInt8]) -> (Set<Entry.Kind>?, BytePath) {
        guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else { return (nil, BytePath(name)) }
        let label = String(decoding: name[..<colon], as: UTF8.self)
        let kinds = label == "card" ? Schema.cards.map(\.kind) : kindNames.filter { $0.1 == label }.map(\.0)
        return kinds.isEmpty ? (nil, BytePath(name)) : (Set(kinds), BytePath(Array(name[(colon + 1)...])))
    }

    static let kindNames: [(Entry.Kind, String)] =
        [(.file, "file"), (.folder, "folder"), (.symlink, "symlink")] + Schema.cards.map { ($0.kind, $0.name) } + [
            (.attachment, "attachment"), (.thumbnail, "thumbnail"), (.setting, "setting"), (.series, "series"),
            (.watermark, "watermark"), (.share, "share"), (.watermarkSeed, "watermark-seed"),
            (.mergedSaves, "merged-saves"), (.attachmentText, "attachment-text"), (.piece, "piece"),
            (.pieceKey, "piece-key"),
        ]

    static func kindName(_ kind: Entry.Kind) -> String {
        kindNames.first { $0.0 == kind }?.1 ?? "kind-\(kind.rawValue)"
    }

    /// All live records with their paths.
    static func list(_ vault: Vault) throws -> TreeListing { try TreeListing(vault.entries()) }

    /// The records that are named, and those that `--find` finds; of a list, where it is given.
    static func records(
        _ names: some Sequence<[UInt8]>, _ arguments: Arguments, in vault: Vault, among listing: TreeListing? = nil
    ) throws -> [(path: BytePath, entry: Entry)] {
        let named = try names.flatMap { try fitting($0, in: vault, among: listing) }
        let found = Set(try QueryArguments.found(arguments, in: vault).map(\.id))
        guard !found.isEmpty else { return named }
        return named + (try listing ?? list(vault)).filter { found.contains($0.entry.id) }
    }

    /// The records that are named and that `--find` finds, with everything beneath and what belongs to them; all
    /// if neither is given.
    static func select(_ names: [[UInt8]], _ arguments: Arguments, in vault: Vault) throws -> TreeListing {
        guard arguments.has(.find) else { return try select(names, in: vault) }
        let all = try list(vault)
        return all.selecting(partsOf: try records(names, arguments, in: vault, among: all))
    }

    /// The records named, with everything beneath and what belongs to them; all if nothing is named.
    static func select(_ names: [[UInt8]], in vault: Vault) throws -> TreeListing {
        // One folder by its path: only what lies in it is read.
        if names.count == 1, let folder = try vault.entry(at: BytePath(names[0])), folder.kind == .folder {
            let path = BytePath(names[0]).components.reduce(BytePath("")) { $0.appending($1) }
            if let listing = try vault.listing(of: folder, at: path) { return listing }
        }
        let all = try list(vault)
        guard !names.isEmpty else { return all }
        return all.selecting(partsOf: try names.flatMap { try fitting($0, in: vault, among: all) })
    }

}

extension Ambiguity {
    /// Records that a name means. Two cards may have one title: their ids tell them apart.
    init(_ name: [UInt8], _ found: [(path: BytePath, entry: Entry)], isExact: Bool = true) {
        self.init(
            name,
            found.map { item in
                let isAlone = found.count { $0.path == item.path } == 1
                let id = hexText(Array(item.entry.id.bytes.prefix(4)))
                let shown = isAlone ? "\(item.path)" : "\(id) (\(Names.kindName(item.entry.kind)))"
                return (Array(hexText(item.entry.id.bytes).utf8), shown)
            }, isExact: isExact)
    }
}

extension TreeListing {
    /// The records that were named, what is in the folders among them, and what belongs to any of these.
    func selecting(partsOf roots: [(path: BytePath, entry: Entry)]) -> TreeListing {
        // A card may have the title of another record: what counts are ids.
        let rootIDs = Set(roots.map(\.entry.id))
        let folders = roots.filter { $0.entry.kind == .folder }.map(\.path)
        let named = selecting { path, entry in
            rootIDs.contains(entry.id) || entry.kind.isInTree && folders.contains { path.isOrIsBeneath($0) }
        }
        let ids = Set(Vault.withDependents(named.map(\.entry), among: map(\.entry)).map(\.id))
        return selecting { ids.contains($1.id) }
    }
}
