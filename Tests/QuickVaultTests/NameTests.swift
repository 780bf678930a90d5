import AppNames
import Foundation
import QuickVault
import Testing

/// An app imports the library beside frameworks with common names. This file compiles only if none of them is taken.
struct NameTests {
    @Test func commonNamesMeanTheFrameworks() {
        let names: [Any.Type] = [Path.self, Environment.self, Transaction.self, Label.self, Query.self, Decimal.self]
        #expect(names.count == 6 && Decimal.self == Foundation.Decimal.self)
    }
}
