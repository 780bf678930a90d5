import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Whatever byte of a vault is flipped, writing it anew is refused, or gives a sound vault with all that was in it.
func rewriteEverything(_ kit: Kit) throws {
    let wreck = try Wreck()
    let step = kit.size(101, 1)
    kit.each((wreck.bytes.count + step - 1) / step) { index in
        var random = Seeded(index)
        var bytes = wreck.bytes
        bytes[index * step] ^= UInt8.random(in: 1...255, using: &random)
        kit.count("bytes flipped")
        if let violation = try wreck.rewriteViolation(bytes) { kit.violate("byte \(index * step): \(violation)") }
    }
}

extension Wreck {
    /// What does not hold after a rewrite of these bytes that keeps all saves.
    fileprivate func rewriteViolation(_ damaged: [UInt8]) throws -> String? {
        let image = Image(damaged, master: master)
        do {
            let save = try Transaction(Image.path, in: image.world, wait: 0) { _ in try Secret(copying: master.span) }
            try save.rewrite(keeping: 1)
        } catch is FormatError {
            return image.bytes.count == damaged.count ? nil : "it was refused, and the vault is another"
        } catch VaultError.readOnly {
            return image.bytes == damaged ? nil : "it was refused, and the vault is another"
        }
        switch try Self.soundContents(of: image.open()) {
        case .success(let found): return found == contents ? nil : "\(found.count) contents of \(contents.count)"
        case .failure(let violation): return violation.what
        }
    }
}
