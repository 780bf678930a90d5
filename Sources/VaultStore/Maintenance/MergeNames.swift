public import VaultFormat

extension Merge {
    /// What a program knows of the parts of its records.
    public struct Parts {
        /// True of records whose title, group, tags and pin count as much as their content.
        let hasLabels: (Entry.Kind) -> Bool
        /// Throws `FormatError.malformed` where the content is not what the kind of its record says.
        let check: (State) throws -> Void
        /// Joins two changes of one state of a record; nil where both changed the same part, or nobody knows its parts.
        let join: (_ old: State?, _ mine: State, _ theirs: State) throws -> (overview: Overview, content: [UInt8])?
        /// Title and id of a copy beside a record whose name says which it is; nil for any other.
        let copyName: (_ entry: Entry, _ number: String) throws -> (title: [UInt8], id: RecordID)?

        /// All four.
        public init(
            labelsOf hasLabels: @escaping (Entry.Kind) -> Bool, check: @escaping (State) throws -> Void = { _ in },
            join: @escaping (State?, State, State) throws -> (overview: Overview, content: [UInt8])?,
            copyName: @escaping (Entry, String) throws -> (title: [UInt8], id: RecordID)?
        ) {
            (self.hasLabels, self.check, self.join, self.copyName) = (hasLabels, check, join, copyName)
        }
    }
}

/// Names for what is kept twice.
extension Merge {
    /// The number in the name of a copy: the save that its record is of, and which try it is.
    private static func mark(_ entry: Entry, _ number: Int) -> String {
        "\(entry.first)" + (number == 1 ? "" : "-\(number)")
    }

    /// Title and id of a copy with the name of a conflict.
    func conflictName(_ entry: Entry, _ number: Int, _ parent: RecordID?) throws -> (title: [UInt8], id: RecordID) {
        let title = Self.conflictTitle(entry, number)
        return try parts?.copyName(entry, Self.mark(entry, number)) ?? (title, TreeName.id(title, in: parent))
    }

    /// `report (conflict 12).pdf`.
    static func conflictTitle(_ entry: Entry, _ number: Int) -> [UInt8] {
        let (stem, ending) = parts(entry.overview.title)
        return stem + MergeSide.conflictMark + Array("\(mark(entry, number)))".utf8) + ending
    }

    private static func parts(_ title: [UInt8]) -> (stem: ArraySlice<UInt8>, ending: ArraySlice<UInt8>) {
        let dot = title.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 && title.count - $0 <= 16 ? $0 : nil }
        let (stem, ending) = (title[..<(dot ?? title.count)], title[(dot ?? title.count)...])
        // With room for the longest mark.
        return (stem.prefix(Limits.titleByteCount - 48 - ending.count), ending)
    }

    /// `report (conflict 12).pdf`: a name that is free on both sides for what they have of save 12; nil where it is here under
    /// that name.
    func freeName(_ entry: Entry, _ parent: RecordID?) throws -> (title: [UInt8], id: RecordID)? {
        var number = 1
        while true {
            let candidate = try conflictName(entry, number, parent)
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

    /// The name that an attachment here has after the merge; nil where the other side removed it.
    private func nameToBe(_ other: Entry) throws -> [UInt8]? {
        let here = try present(other.id) ?? other
        guard planned[other.id] == nil, let there = try theirs.entry(other.id), try !mine.knows(there, of: theirs),
            try !isChanged(here)
        else { return here.overview.title }
        return there.state == .live ? there.overview.title : nil
    }

    /// A name for a new attachment that its owner here has no other attachment of; nil where its own is free.
    func freeAttachmentName(_ entry: Entry, _ owner: RecordID?) throws -> [UInt8]? {
        let there = partsHere[owner] ?? []
        let others = there.filter { $0.kind == .attachment && $0.id != entry.id }
        let names = Set(try others.compactMap { try nameToBe($0) })
        guard names.contains(entry.overview.title) else { return nil }
        for number in 1... {
            let title = Self.conflictTitle(entry, number)
            if !names.contains(title) { return title }
        }
        return nil
    }
}
