import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Whatever byte of a vault is flipped, writing it anew is refused, or gives a sound vault with all that was in it; a
/// record whose header is damaged is told of, and not repairs in silence. No vector's vault is worse
/// for it.
func rewriteEverything(_ kit: SoakRun) throws {
    let wreck = try Wreck()
    let step = kit.size(101, 1)
    kit.each((wreck.bytes.count + step - 1) / step) { index in
        var random = Seeded(index)
        var bytes = wreck.bytes
        bytes[index * step] ^= UInt8.random(in: 1...255, using: &random)
        kit.count("bytes flipped")
        if let violation = try wreck.rewriteViolation(bytes) { kit.violate("byte \(index * step): \(violation)") }
    }
    let places = Set(try Image(wreck.bytes, master: wreck.master).open().versions().map { Int($0.place) })
    for place in places {
        var bytes = wreck.bytes
        bytes[place + 40] ^= 1
        let image = Image(bytes, master: wreck.master)
        kit.count("headers flipped")
        if try rewrite(image) { kit.violate("the record at \(place) has a damaged header, and was written anew") }
    }
    kit.each(Vector.all.count) { index in try rewriteVector(Vector.all[index], kit) }
}

/// Writes a vault anew; false where that is refused.
private func rewrite(_ image: Image) throws -> Bool {
    do {
        let save = try VaultTransaction(Image.path, in: image.environment, timeout: .zero) { _ in
            try Secret(copying: image.master.span)
        }
        try save.rewrite(keeping: 1)
        return true
    } catch is FormatError { return false } catch is VaultError { return false }
}

private func rewriteVector(_ vector: Vector, _ kit: SoakRun) throws {
    let locked = Image(vector.file, master: [])
    guard let master = try? vector.unlock(LockedVault(Image.path, in: locked.environment)) else { return }
    let image = Image(vector.file, master: master.withSpan { span in span.indices.map { span[$0] } })
    let before = outcome { try image.open().verify().worst }
    guard try rewrite(image) else { return kit.count("vectors refused") }
    kit.count("vectors written anew")
    // A record that breaks a rule (a folder with content) is carried over as it is.
    let after = outcome { try image.open().verify().worst }
    if after != "ok", after != before { kit.violate("\(vector.name): \(before), and written anew \(after)") }
}

extension Wreck {
    /// The violation after a rewrite of these bytes that keeps all saves.
    fileprivate func rewriteViolation(_ damaged: [UInt8]) throws -> String? {
        let image = Image(damaged, master: master)
        do {
            let save = try VaultTransaction(Image.path, in: image.environment, timeout: .zero) { _ in
                try Secret(copying: master.span)
            }
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
