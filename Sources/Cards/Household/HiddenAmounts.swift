/// The text in the place of an amount that is hidden.
package let hiddenAmount = "****"

extension Card {
    /// The same with `hiddenAmount` in the place of each amount, where they are to be hidden.
    package func hidingAmounts(_ isHidden: Bool) -> Card {
        guard isHidden else { return self }
        var card = self
        // Texts of a person may have amounts too.
        for field in schema.fields where [.amount, .text].contains(field.check) && fields.texts[field.key] != nil {
            card.fields.texts[field.key] = hiddenAmount
        }
        for place in card.fields.own.indices { card.fields.own[place].value = hiddenAmount }
        return card
    }
}
