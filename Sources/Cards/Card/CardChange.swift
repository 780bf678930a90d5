import VaultFormat

extension Card {
    /// Does what was changed between `old` and this card to `new`, another change of `old`.
    ///
    /// - Returns: the card with both changes, this one's where both changed the same; and the keys of those.
    public func merged(since old: Card, into new: Card) -> (card: Card, conflicts: [String]) {
        var (card, conflicts) = (new, [String]())
        func take<Value>(_ key: String, _ part: WritableKeyPath<Card, Value>, _ isSame: (Value, Value) -> Bool) {
            let (mine, base, theirs) = (self[keyPath: part], old[keyPath: part], new[keyPath: part])
            guard !isSame(mine, base), !isSame(mine, theirs) else { return }
            if !isSame(theirs, base) { conflicts.append(key) }
            card[keyPath: part] = mine
        }
        func isSameText(_ one: String?, _ other: String?) -> Bool {
            one.map { Array($0.utf8) } == other.map { Array($0.utf8) }
        }
        take("title", \.overview.title, ==)
        take("group", \.overview.group, isSameText)
        takeTags(since: old, into: &card)
        take("pinned", \.overview.isPinned, ==)
        let keys = Set(fields.texts.keys).union(old.fields.texts.keys)
        for key in keys.sorted() { take(key, \.fields.texts[key], isSameText) }
        let labels = (fields.own + old.fields.own).map(\.label)
        for (index, label) in labels.enumerated() where !labels[..<index].contains(label) {
            take(label, \.fields[own: label], ==)
        }
        card.sortAdded(by: self, and: new, since: old)
        if card.fields.own.count > Self.ownFieldCount || card.overview.tags.count > Self.tagCount {
            conflicts.append("own")
        }
        return (card, conflicts)
    }

    /// Tags are a set: what one side added or took away is done to the other's.
    private func takeTags(since old: Card, into card: inout Card) {
        let (mine, base) = (overview.tags, old.overview.tags)
        guard mine != base else { return }
        guard card.overview.tags != base else { return card.overview.tags = mine }
        card.overview.tags.removeAll { base.contains($0) && !mine.contains($0) }
        let added = mine.filter { !base.contains($0) && !card.overview.tags.contains($0) }
        card.overview.tags = (card.overview.tags + added).sorted()
    }

    /// Where both sides added fields of their own, these get an order that does not depend on who merges.
    private mutating func sortAdded(by mine: Card, and theirs: Card, since old: Card) {
        let known = Set(old.fields.own.map(\.label))
        func added(_ card: Card) -> Set<String> { Set(card.fields.own.map(\.label)).subtracting(known) }
        guard !added(mine).isEmpty, !added(theirs).isEmpty, added(mine) != added(theirs) else { return }
        let isKnown = { (field: RecordFields.CustomField) in known.contains(field.label) }
        fields.own = fields.own.filter(isKnown) + fields.own.filter { !isKnown($0) }.sorted { $0.label < $1.label }
    }
}

extension RecordFields {
    /// The first field of one's own with this label.
    fileprivate subscript(own label: String) -> CustomField? {
        get { own.first { $0.label == label } }
        set {
            let place = own.firstIndex { $0.label == label }
            switch (place, newValue) {
            case (let place?, let value?): own[place] = value
            case (let place?, nil): own.remove(at: place)
            case (nil, let value?): own.append(value)
            case (nil, nil): break
            }
        }
    }
}
