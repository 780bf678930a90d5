import Cards
import QuickVault

/// Stores a card: its kind, its title, and fields such as `phone=13800138000`.
func add(_ words: ArraySlice<String>, to vault: VaultFile) async throws {
    guard words.count >= 2, let kind = words.first else { return print("add KIND TITLE KEY=VALUE…") }
    guard let schema = Schema.named(kind) else { return print("no kind of cards is called \(kind)") }
    var card = Card(schema: schema, overview: Overview(title: Array(words[words.startIndex + 1].utf8)), fields: .init())
    let values = words.dropFirst(2).map { word in
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (key: String(parts[0]), value: parts.count == 2 ? String(parts[1]) : "")
    }
    let complaints = card.set(values)
    guard complaints.isEmpty else { throw CardProblem(complaints: complaints) }
    let id = try await vault.add(card)
    print("stored \(id)")
}
