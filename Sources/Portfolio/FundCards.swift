import VaultFormat
import Cards
import VaultStore

/// The cards of funds and holdings in a vault. Where a merge left two cards of one fund or holding, the copy does not count.
struct FundCards {
    /// The cards that count.
    private(set) var items: [(entry: Entry, card: Card)] = []
    private(set) var copies: [String] = []

    /// - Throws: as `Vault.cards`.
    init(_ vault: Vault) throws {
        let kinds = Set(["fund", "holding"].compactMap { Schema.named($0)?.kind })
        let entries = try vault.cardEntries { kinds.contains($0.kind) }
        let all = Array(zip(entries, try vault.cards(entries)))
        let keys = Set(all.compactMap { $0.titleBeforeMerge == nil ? Self.key($1) : nil })
        for (entry, card) in all {
            if entry.titleBeforeMerge != nil, keys.contains(Self.key(card)) {
                copies.append(card.title)
            } else {
                items.append((entry, card))
            }
        }
    }

    /// What no two cards have in common: the code of a fund; code, platform and date of a holding.
    static func key(_ card: Card) -> String {
        let texts = card.fields.texts
        let code = texts["code"] ?? ""
        return card.schema.name == "fund" ? code : lotKey(code, texts)
    }

    /// The key of a holding: with it, its id is the same in every copy of a vault.
    static func lotKey(_ code: String, _ values: [String: String]) -> String {
        "\(code)\u{0}\(values["platform"] ?? "")\u{0}\(values["date"] ?? "")"
    }
}
