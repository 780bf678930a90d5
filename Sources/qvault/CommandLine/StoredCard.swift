import Cards
import VaultFormat
import VaultStore

extension VaultTransaction {
    /// Stores a card that a person made or changed; of an app also its price.
    func store(_ card: Card, as id: RecordID) throws {
        try put(card, as: id)
        try note([AppPrice(of: card, id, at: Machine.now)].compactMap(\.self))
    }
}
