import Testing
public import Values
import VaultFormat
import Cards

import Portfolio

extension Fund {
    /// A fund with these fields besides its code.
    static func made(_ fields: [String: String], created: Timestamp = .zero) throws -> Fund {
        let schema = try #require(Schema.named("fund"))
        var card = Card(schema: schema, overview: Overview(title: Array("A".utf8)), fields: RecordFields())
        #expect(card.set([("code", "110011")] + fields.map { ($0.key, $0.value) }).isEmpty)
        return try #require(Fund(card, id: Fund.recordID("110011"), created: created))
    }
}

extension Day: ExpressibleByIntegerLiteral {
    /// Days since 1970.
    public init(integerLiteral number: Int64) { self.init(clamping: number) }
}
