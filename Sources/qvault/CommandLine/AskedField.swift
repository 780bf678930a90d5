import Cards
import VaultFormat
import VaultIO
import VaultStore

/// The value of a card that a person asks for by a key or a label.
struct AskedField {
    let value: String
    /// The name of what it is.
    let name: Phrase

    /// The label of a one-time password means its present code, and the key means the secret that makes codes.
    ///
    /// - Throws: `Failure` where the card has no such field, or where its codes count: showing one uses it up.
    init(_ key: String, of card: Card) throws {
        let line = try CardArguments.line(key, of: card)
        guard line.key == card.oneTimePasswordLine?.key, key != line.key else {
            (value, name) = (line.value, "\(line.label?.said ?? printable(line.key.utf8))")
            return
        }
        guard let code = try card.presentCode() else {
            throw Failure(
                .invalid, "'\(printable(card.overview.title))' has no code that goes by the clock",
                hint: "'qvault otp' gives the next of codes that count; --field \(line.key) is the secret")
        }
        (value, name) = (code, "present code")
    }
}

extension Card {
    /// The code of its field `totp` now; nil where it has none, and of codes that count.
    ///
    /// - Throws: `CryptoError`.
    func presentCode() throws -> String? {
        guard let text = fields.texts["totp"], let secret = try? OneTimePassword(text),
            case .time(let period) = secret.counter
        else { return nil }
        return try secret.code(counter: UInt64(max(0, Machine.store.now().seconds)) / period)
    }
}
