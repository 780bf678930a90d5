extension Card {
    /// The same with `****` in the place of each amount, where they are to be hidden.
    package func hidingAmounts(_ isHidden: Bool) -> Card {
        guard isHidden else { return self }
        var card = self
        for field in schema.fields where field.check == .amount && fields.texts[field.key] != nil {
            card.fields.texts[field.key] = "****"
        }
        // What somebody wrote may have amounts too.
        for field in schema.fields where field.check == .text && fields.texts[field.key] != nil {
            card.fields.texts[field.key] = "****"
        }
        for place in card.fields.own.indices { card.fields.own[place].value = "****" }
        return card
    }
}
