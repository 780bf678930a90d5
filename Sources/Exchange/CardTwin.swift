import Cards
import VaultFormat

/// What makes two cards one in an import (Spec/product/export.md, 5).
extension Card {
    /// True if another has the same fields and labels; a table tells neither the order of fields nor which are secret.
    func saysTheSame(as other: Card) -> Bool {
        func own(_ card: Card) -> Set<[[UInt8]]> {
            Set(card.fields.own.map { [Array($0.label.utf8), Array($0.value.utf8)] })
        }
        var (mine, theirs) = (fields, other.fields)
        (mine.own, theirs.own) = ([], [])
        return overview == other.overview && mine == theirs && own(self) == own(other)
            && fields.own.count == other.fields.own.count
    }

    /// This card with the fields that only the other has; nil where the two contradict each other in a field of their
    /// kind. Two formats of one program tell different parts of a card.
    func joined(with other: Card) -> Card? {
        var joined = self
        for (key, value) in other.fields.texts {
            guard fields.texts[key]?.hasBytes(of: value) ?? true else { return nil }
            joined.fields.texts[key] = value
        }
        // Logins without a name and a password in common may be different ones.
        let isLogin = schema.name == "login"
        let keys = isLogin ? ["username", "password", "url"] : schema.fields.map(\.key)
        let isShared = { (key: String) in (fields.texts[key] == nil) == (other.fields.texts[key] == nil) }
        guard keys.allSatisfy(isShared), !isLogin || keys.contains(where: { fields.texts[$0] != nil }) else {
            return nil
        }
        for field in other.fields.own where !fields.own.contains(field) {
            guard !fields.own.contains(where: { $0.label == field.label }), joined.fields.own.count < Self.ownFieldCount
            else { return nil }
            joined.fields.own.append(field)
        }
        return joined
    }
}
