import VaultFormat
import Cards

/// The verbs for cards, for the kinds that a household has: they find those cards alone.
extension Verb {
    static let assetShow = cardShow.named(
        "asset show", "show an asset, and what is attached to it", adding: [.isPrivate],
        example: "qvault asset show 招行3年定期", note: "'attach add' keeps a contract or a photo beside it")

    static let assetEdit = cardEdit.named(
        "asset edit", "change fields of an asset",
        example: "qvault asset edit 余额宝 platform=支付宝 annual_rate=1.6", note: "'asset update' changes amounts alone")

    static let assetRemove = cardRemove.named(
        "asset rm", "put assets into the trash",
        example: "qvault asset rm 招行3年定期", note: "'qvault undelete' brings it back")

    static let policyShow = cardShow.named(
        "policy show", "show an insurance policy, and what is attached to it", adding: [.isPrivate],
        example: "qvault policy show 平安福", note: "'attach add' keeps its scan beside it")

    static let policyEdit = cardEdit.named(
        "policy edit", "change fields of an insurance policy",
        example: "qvault policy edit 平安福 status=lapsed", note: "'policy renew' moves the next payment")

    static let policyRemove = cardRemove.named(
        "policy rm", "put insurance policies into the trash",
        example: "qvault policy rm 平安福", note: "'qvault undelete' brings it back")

    func named(
        _ name: String, _ summary: Phrase, adding more: [Option] = [], example: String, note: Phrase
    ) -> Verb {
        Verb(
            name: name, summary: summary, operands: operands, operandCount: operandCount, options: options + more,
            example: example, note: note, run: run)
    }
}
