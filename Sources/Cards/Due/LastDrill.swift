public import Values
import VaultFormat
public import VaultStore

/// The last trial restoration of a vault: a setting that begins with its time, so that every machine knows of it
/// (Spec/product/records.md, 7).
extension Vault {
    static let lastDrillName = "drill.last"

    /// When a backup of this vault was last tried; nil for never, and of a setting that says something else.
    ///
    /// - Throws: `FormatError` of a setting that cannot be read; `IOError`.
    public func lastDrill() throws -> Timestamp? { try setting(Self.lastDrillName)?.drillTime }
}

extension Setting {
    /// The time with which it begins; nil of one that begins otherwise.
    var drillTime: Timestamp? {
        guard case .text(let text) = value, let word = text.split(separator: " ").first else { return nil }
        return Timestamp(String(word))
    }
}

extension VaultTransaction {
    /// Notes that a backup was tried.
    ///
    /// - Parameters:
    ///   - time: when.
    ///   - what: which, and what was found, for people.
    public func noteDrill(at time: Timestamp, _ what: String) throws {
        try put(Setting(.text("\(time.text) \(what)")), as: Vault.lastDrillName)
    }
}
