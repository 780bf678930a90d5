import VaultCrypto
package import VaultFormat

/// Names for what is kept twice.
extension Merge {
    /// The mark in the name of a copy: the origin of its version, and which try it is. So it has one name in all copies of the
    /// vault.
    private static func mark(_ entry: Entry, of side: MergeSide, _ number: Int) throws -> String {
        let origin = try side.origin(of: entry).map {
            try "\($0.sequence)-" + hexText(Array(SHA256.hash(($0.save.bytes + entry.id.bytes).span).prefix(2)))
        }
        return (origin ?? "\(entry.first)") + (number == 1 ? "" : "-\(number)")
    }

    /// Title and id of a copy with the name of a conflict.
    func conflictName(
        _ entry: Entry, of side: MergeSide, _ number: Int
    ) throws -> (title: [UInt8], id: RecordID) {
        let title = try Self.conflictTitle(entry, of: side, number)
        return try parts?.copyName(entry, Self.mark(entry, of: side, number))
            ?? (title, TreeName.id(title, in: entry.parent))
    }

    /// `report (conflict 12-b7f0).pdf`.
    private static func conflictTitle(_ entry: Entry, of side: MergeSide, _ number: Int) throws -> [UInt8] {
        let (stem, ending) = parts(entry.overview.title)
        return try stem + Entry.conflictMark + Array("\(mark(entry, of: side, number)))".utf8) + ending
    }

    private static func parts(_ title: [UInt8]) -> (stem: ArraySlice<UInt8>, ending: ArraySlice<UInt8>) {
        let dot = title.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 && title.count - $0 <= 16 ? $0 : nil }
        let (stem, ending) = (title[..<(dot ?? title.count)], title[(dot ?? title.count)...])
        // With room for the longest mark.
        var cut = stem.prefix(Limits.titleByteCount - 48 - ending.count)
        // Not within a character.
        while cut.endIndex < stem.endIndex, stem[cut.endIndex] & 0xC0 == 0x80, !cut.isEmpty { cut.removeLast() }
        return (cut, ending)
    }

    /// `report (conflict 12-b7f0).pdf`: a name that is free on both sides for their version of a record; nil where it is here
    /// under that name.
    func freeName(_ entry: Entry) throws -> (title: [UInt8], id: RecordID)? {
        var number = 1
        while true {
            let candidate = try conflictName(entry, of: theirs, number)
            let there = try present(candidate.id)
            if there == nil, try theirs.entry(candidate.id) == nil { return candidate }
            if let there, there.state == .live, planned[there.id] == nil, entry.kind != .folder,
                try isSame(there, entry, besidesTitle: true)
            {
                return nil
            }
            number += 1
        }
    }

    /// The name of a conflict for what is here or there, that no record here has.
    func unusedName(_ entry: Entry, of side: MergeSide) throws -> (title: [UInt8], id: RecordID) {
        var number = 1
        while true {
            let candidate = try conflictName(entry, of: side, number)
            let there = try theirs.entry(candidate.id)
            let isItself = there.map { $0.state == .live && theirs.origin(of: $0) == side.origin(of: entry) } ?? true
            if try present(candidate.id) == nil, isItself { return candidate }
            number += 1
        }
    }

    /// The name that an attachment here has after the merge; nil where the other side removed it.
    private func nameToBe(_ other: Entry) throws -> [UInt8]? {
        let here = try present(other.id) ?? other
        guard planned[other.id] == nil, let there = try theirs.entry(other.id), try !mine.knows(there, of: theirs),
            try !isChanged(here)
        else { return here.overview.title }
        return there.state == .live ? there.overview.title : nil
    }

    /// A name for a new attachment that its owner here has no other attachment of; nil where its own is free.
    mutating func freeAttachmentName(_ entry: Entry) throws -> [UInt8]? {
        if attachmentNames[entry.parent] == nil, let owner = entry.parent {
            let others = try mine.parts(of: owner).filter { $0.kind == .attachment && $0.id != entry.id }
            attachmentNames[owner] = (Set(try others.compactMap { try nameToBe($0) }), [:])
        }
        guard let (titles, next) = attachmentNames[entry.parent], titles.contains(entry.overview.title) else {
            return nil
        }
        var number = next[entry.overview.title] ?? 1
        while true {
            let title = try Self.conflictTitle(entry, of: theirs, number)
            number += 1
            guard !titles.contains(title) else { continue }
            attachmentNames[entry.parent]?.next[entry.overview.title] = number
            return title
        }
    }
}

extension Entry {
    /// The same with another name, and the id of that.
    func named(_ title: [UInt8], _ id: RecordID) -> Entry {
        var entry = self
        entry.move(to: id, in: parent, title: title)
        return entry
    }

    fileprivate static let conflictMark = Array(" (conflict ".utf8)

    /// The title of the record beside which a merge left this one: `report.pdf` of `report (conflict 12-b7f0).pdf`; nil of any
    /// other record. The id of a copy follows from its name; that of a card which a person gave such a name does not.
    package var titleBeforeMerge: [UInt8]? {
        let title = overview.title
        guard title.contains(UInt8(ascii: ")")), let mark = title.firstRange(of: Self.conflictMark),
            let end = title[mark.upperBound...].firstIndex(of: UInt8(ascii: ")")),
            title[mark.upperBound..<end].allSatisfy({ "0123456789abcdef-".utf8.contains($0) }),
            (try? TreeName.id(title, in: parent)) == id
        else { return nil }
        return Array(title[..<mark.lowerBound]) + title[(end + 1)...]
    }
}
