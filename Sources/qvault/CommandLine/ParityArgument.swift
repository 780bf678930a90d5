import VaultFormat
import VaultStore

extension Arguments {
    /// The share of `--parity`, in percent; nil for none.
    ///
    /// - Parameter standard: the share where none is given.
    func parity(standard: Int? = Vault.standardParity) throws -> Int? {
        guard let text = text(.parity) else { return standard }
        if text == "none" { return nil }
        let digits = text.hasSuffix("%") ? text.dropLast() : text[...]
        guard let percent = Int(digits), percent == 0 || 3...26 ~= percent else {
            throw Failure(.usage, "--parity: '\(printable(text.utf8))' is no share from 3% to 26%; 0% is none")
        }
        return percent == 0 ? nil : percent
    }
}
