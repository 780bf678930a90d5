import VaultCrypto
import VaultFormat
import VaultTesting

/// Every test vector: one feature or one fault each, with the class and the bytes that may be released.
func checkVectors(_ kit: SoakRun) throws {
    kit.each(Vector.all.count) { index in
        let vector = Vector.all[index]
        kit.count("vectors")
        let found = try vector.outcome()
        if found != vector.expected { kit.violate("\(vector.name): \(found), not \(vector.expected)") }
    }
}
