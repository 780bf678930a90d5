import VaultIO
import VaultStore
import Cards
import QuickVault

/// Opens the vault, or makes it.
func open(_ path: String, password: String) async throws -> VaultFile {
    let key = try VaultKey(password: password)
    do {
        return try await VaultFile.open(path, with: key, memory: path + ".seen")
    } catch let error as IOError where error.isMissing {
        return try await VaultFile.create(at: path, with: key, memory: path + ".seen")
    }
}

/// A line for a person. `code` and the cases of `VaultError` are for the program.
func message(for error: any Error) -> String {
    switch error {
    case let error as FormatError where error.code == .wrongKey: "this password does not open the vault"
    case VaultError.rollback: "this file is older than the one that was used last"
    case let error as CardProblem: error.complaints.map { "\($0.key) \($0.what)" }.joined(separator: "; ")
    default: "\(error)"
    }
}
