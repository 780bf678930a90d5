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
    /// True if a side has merged the other before, and kept this record of the other's beside its own.
    func isKept(_ record: Entry, besides own: Entry, by side: MergeSide) throws -> Bool {
        func isCopy(_ kept: Entry) throws -> Bool {
            try side === theirs
                ? isSame(record, kept, besidesTitle: true) : isSame(kept, record, besidesTitle: true)
        }
        if var copy = try parts?.copyName(record, Self.mark(record, 1)) {
            var number = 1
            while let kept = try side.entry(copy.id), kept.state == .live {
                if try isCopy(kept) { return true }
                number += 1
                copy = try parts?.copyName(record, Self.mark(record, number)) ?? copy
            }
            return false
        }
        // The copy has the name of either: both may have changed the title.
        let beginnings = [own, record].map { Self.parts($0.overview.title).stem + MergeSide.conflictMark }
        return try (side === theirs ? theirs.conflicts : myConflicts)[own.parent, default: []].contains { id in
            guard let kept = try side.entry(id), kept.state == .live, side === theirs || planned[id] == nil,
                isChanged(kept),
                beginnings.contains(where: { kept.overview.title.starts(with: $0) })
            else { return false }
            return try isCopy(kept)
        }
    }

    /// The number in the name of a copy: the save that its record is of, and which try it is.
    private static func mark(_ entry: Entry, _ number: Int) -> String {
        "\(entry.first)" + (number == 1 ? "" : "-\(number)")
    }

    static func parts(_ title: [UInt8]) -> (stem: ArraySlice<UInt8>, ending: ArraySlice<UInt8>) {
        let dot = title.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 && title.count - $0 <= 16 ? $0 : nil }
        let (stem, ending) = (title[..<(dot ?? title.count)], title[(dot ?? title.count)...])
        // With room for the longest mark.
        return (stem.prefix(Limits.titleByteCount - 48 - ending.count), ending)
    }

    /// `report (conflict 12).pdf`: a name that is free on both sides for what they have of save 12; nil where it is here under
    /// that name.
    func freeName(_ entry: Entry, _ parent: RecordID?) throws -> (title: [UInt8], id: RecordID)? {
        let (stem, ending) = Self.parts(entry.overview.title)
        var number = 1
        while true {
            let mark = Self.mark(entry, number)
            let title = Array(stem) + MergeSide.conflictMark + Array("\(mark))".utf8) + ending
            let candidate = try parts?.copyName(entry, mark) ?? (title, TreeName.id(title, in: parent))
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

    /// True if a merge there gave an attachment another name, beside one of its name.
    func isRenamed(_ here: Entry, by there: Entry) throws -> Bool {
        guard here.kind == .attachment, there.kind == .attachment, there.state == .live, there.isMergeCopy else {
            return false
        }
        let (old, new) = (Self.parts(here.overview.title), Self.parts(there.overview.title))
        return try there.titleBeforeMerge.elementsEqual(old.stem) && new.ending == old.ending && isSame(here, there)
    }

    /// A name for a new attachment that its owner here has no other attachment of; nil where its own is free.
    func freeAttachmentName(_ entry: Entry, _ owner: RecordID?) throws -> [UInt8]? {
        let there = partsHere[owner] ?? []
        let others = there.filter { $0.kind == .attachment && $0.id != entry.id }
        let names = Set(
            try others.map { other in
                let here = try present(other.id) ?? other
                let there = try theirs.entry(other.id)
                if let there, try isRenamed(here, by: there) { return there.overview.title }
                return here.overview.title
            })
        guard names.contains(entry.overview.title) else { return nil }
        let (stem, ending) = Self.parts(entry.overview.title)
        for number in 1... {
            let mark = Self.mark(entry, number)
            let title = Array(stem) + MergeSide.conflictMark + Array("\(mark))".utf8) + ending
            if !names.contains(title) { return title }
        }
        return nil
    }
}
