import Testing
import VaultCrypto
import VaultIO
import VaultTesting

@Suite struct SortByKeyTests {
    /// Sorting by keys gives what sorting gives, the order of equals included.
    @Test func sortsByKeys() throws {
        var random = CountingRandom(seed: 1)
        for count in [0, 1, 2, 3, 100, 1000] {
            let values = try random.bytes(count).enumerated().map { (place: $0, key: $1 % 50) }
            var sorted = values
            sorted.sort(by: \.key, <)
            let expected = values.sorted { ($0.key, $0.place) < ($1.key, $1.place) }
            #expect(sorted.map(\.place) == expected.map(\.place))
        }
    }

    /// Pieces stay in order, however long each takes, and an error of one ends it all.
    @Test func joinsPiecesInOrder() throws {
        struct Wrong: Error {}
        for count in [0, 1, 2, 100] {
            let values = try Parallel.flatMap(count) { piece in
                var work = 0
                for step in 0..<(piece * 7919 % 13) * 1000 { work &+= step }
                return Array(repeating: piece, count: piece % 3 + (work == .max ? 1 : 0))
            }
            #expect(values == (0..<count).flatMap { Array(repeating: $0, count: $0 % 3) })
        }
        #expect(throws: Wrong.self) {
            try Parallel.flatMap(100) { piece -> [Int] in
                guard piece != 50 else { throw Wrong() }
                return [piece]
            }
        }
    }
}
