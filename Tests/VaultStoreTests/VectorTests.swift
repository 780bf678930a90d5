import Testing
import VaultTesting

/// Runs every vector through the three operations of Spec/reader.md, 9.
struct VectorTests {
    @Test func thereAreVectors() {
        #expect(Vector.all.count >= 50)
    }

    @Test(arguments: Vector.all) func vector(_ vector: Vector) throws {
        #expect(try vector.outcome() == vector.expected)
    }
}
