import Cards
import QuickVault

/// Prints the cards that answer a query, the best first. Pinyin and initials find Chinese text.
func find(_ query: String, in vault: VaultFile) async throws {
    for hit in try await vault.search(query) { print(hit.entry.title) }
}

/// Prints all cards, a page at a time.
func list(_ vault: VaultFile) async throws {
    for try await page in vault.cardPages(of: 50) {
        for item in page { print("\(item.card.schema.name)\t\(item.card.title)") }
    }
}
