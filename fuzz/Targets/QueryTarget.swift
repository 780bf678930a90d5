import Cards
import Exchange
import Values
import VaultFormat
import VaultStore
import VaultTesting

/// A vault with a few cards, which queries are asked of.
private enum QueriedVault {
    static let clock = QueryClock(now: Timestamp(second: 1_790_000_000))

    /// Made once, and asked by one thread.
    nonisolated(unsafe) static let vault: Vault? = try? {
        let lines = [
            #"{"kind":"note","title":"合同 a","own":[{"label":"no","value":"17"}],"fields":{"text":"x y"},"tags":["t"]}"#,
            #"{"kind":"asset","title":"b","fields":{"category":"liquid","amount":"12000","maturity":"2027-03-01"}}"#,
            #"{"kind":"bankcard","title":"c","pinned":true,"fields":{"bank":"招商银行","number":"6225880137706868","expiry":"01/27"}}"#,
            #"{"kind":"login","title":"Photoshop Express 499","group":"g","fields":{"username":"u"}}"#,
        ]
        let fixture = try VaultFixture([("d/f.txt", [1, 2, 3])])
        try fixture.save(seed: 1) { save in
            var batch = try ImportBatch(native: Array(([NativeExport.head] + lines).joined(separator: "\n").utf8))
            _ = try save.store(&batch) { _ in [] }
        }
        return try fixture.open()
    }()
}

/// A query as text. What is read is written and read again; the answers of a query and of its opposite are all records.
func fuzzQuery(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let names = ["q": "kind:note or @r", "r": "amount>1 -@s", "s": "x", "c": "@c"]
    do {
        let term = try QueryTerm(text)
        expect((try? QueryTerm(term.description)) == term, "a query is written as it was read")
        _ = term.looser
        guard let vault = QueriedVault.vault else { fatalError("no vault") }
        func find(_ text: String) throws -> Set<RecordID> {
            let query = try Query(text, clock: QueriedVault.clock) { names[$0] }
            return Set(try vault.find(query, clock: QueriedVault.clock).hits.map(\.entry.id))
        }
        let found = try find(text)
        // One bracket more may be one too many.
        guard let rest = try? find("not (\(term))") else { return }
        expect(
            found.isDisjoint(with: rest) && found.count + rest.count == 6, "a record answers a query or its opposite")
    } catch let error as QueryError {
        expect(0...error.text.utf8.count ~= error.place.upperBound, "an error has a place")
        expect(!error.what.description.isEmpty, "an error says something")
    }
}
