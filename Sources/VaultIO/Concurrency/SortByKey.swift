extension Array {
    /// Sorts by keys that are made once and stand side by side, and moves each element once: an entry has many parts, each
    /// of which is counted when it is handed over.
    @inlinable package mutating func sort<Key>(by key: (Element) -> Key, _ isBefore: (Key, Key) -> Bool) {
        var order = indices.map { (key: key(self[$0]), place: $0) }
        order.sort { isBefore($0.key, $1.key) }
        // Round by round: what belongs to `place` comes there, until the round closes.
        for start in order.indices {
            var place = start
            while order[place].place != start {
                let next = order[place].place
                swapAt(place, next)
                order[place].place = place
                place = next
            }
            order[place].place = place
        }
    }
}
