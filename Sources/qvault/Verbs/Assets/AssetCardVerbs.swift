import Portfolio
import VaultFormat
import VaultRecords

/// The verbs for cards, for the kinds that a household has: they find those cards alone.
extension Verb {
    static let assetShow = Verb(
        name: "asset show", summary: "show an asset, and what is attached to it", operands: "NAME", operandCount: 1...1,
        options: cardShow.options + [.isPrivate],
        example: ("qvault asset show 招行3年定期", "'attach add' keeps a contract or a photo beside it"), run: cardShow.run)

    static let assetEdit = Verb(
        name: "asset edit", summary: "change fields of an asset", operands: cardEdit.operands,
        operandCount: cardEdit.operandCount, options: cardEdit.options,
        example: ("qvault asset edit 余额宝 platform=支付宝 annual_rate=1.6", "'asset update' changes amounts alone"),
        run: cardEdit.run)

    static let assetRemove = Verb(
        name: "asset rm", summary: "put assets into the trash", operands: cardRemove.operands,
        operandCount: cardRemove.operandCount, options: cardRemove.options,
        example: ("qvault asset rm 招行3年定期", "'qvault undelete' brings it back"), run: cardRemove.run)

    static let policyShow = Verb(
        name: "policy show", summary: "show an insurance policy, and what is attached to it", operands: "NAME",
        operandCount: 1...1, options: cardShow.options + [.isPrivate],
        example: ("qvault policy show 平安福", "'attach add' keeps its scan beside it"), run: cardShow.run)

    static let policyEdit = Verb(
        name: "policy edit", summary: "change fields of an insurance policy", operands: cardEdit.operands,
        operandCount: cardEdit.operandCount, options: cardEdit.options,
        example: ("qvault policy edit 平安福 status=lapsed", "'policy renew' moves the next payment"), run: cardEdit.run)

    static let policyRemove = Verb(
        name: "policy rm", summary: "put insurance policies into the trash", operands: cardRemove.operands,
        operandCount: cardRemove.operandCount, options: cardRemove.options,
        example: ("qvault policy rm 平安福", "'qvault undelete' brings it back"), run: cardRemove.run)
}

extension Card {
    /// The same with `****` in the place of each amount, where they are to be hidden.
    func hidingAmounts(_ isHidden: Bool) -> Card {
        guard isHidden else { return self }
        var card = self
        // What somebody wrote may have amounts too.
        for field in schema.fields where [.amount, .text].contains(field.check) && fields.texts[field.key] != nil {
            card.fields.texts[field.key] = hiddenAmount
        }
        for place in card.fields.own.indices { card.fields.own[place].value = hiddenAmount }
        return card
    }
}
