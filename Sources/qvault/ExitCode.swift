import VaultCrypto
import VaultFormat
import VaultStore

/// The command's exit codes: a contract (README, "Exit codes"). Numbers are never reused.
enum ExitCode: Int32, Sendable {
    case done = 0
    case failure = 1
    case usage = 2
    case wrongKey = 3
    case repairable = 4
    case lost = 5
    case tampered = 6
    case notAVault = 8
    case busy = 9
    case notFound = 10
    case invalid = 11
    case refused = 12
    case io = 13
    case locked = 14

    /// The worst of several files.
    static func worst(_ codes: [ExitCode]) -> ExitCode {
        let order: [ExitCode] = [.tampered, .lost, .repairable, .notAVault, .wrongKey, .io, .refused]
        return order.first(where: codes.contains) ?? codes.first { $0 != .done } ?? .done
    }
}

/// What the command says when it fails: exit code, a line that names what and where, and what to do.
struct Failure: Error {
    let code: ExitCode
    let message: String
    var hint: String?

    init(_ code: ExitCode, _ message: String, hint: String? = nil) {
        (self.code, self.message, self.hint) = (code, message, hint)
    }
}

extension FormatError.Code {
    var exitCode: ExitCode {
        switch self {
        case .wrongKey: .wrongKey
        case .repairable: .repairable
        case .damaged, .malformed: .lost
        case .tampered: .tampered
        case .notAVault, .unsupported: .notAVault
        case .invalid: .invalid
        case .refused: .refused
        }
    }
}

/// Every error of the library in the command's words: the one place where they become exit codes and hints.
func failure(for error: any Error, vault: Path?) -> Failure {
    let place = vault.map { "\($0): " } ?? ""
    switch error {
    case let failure as Failure: return failure
    case let error as FormatError: return Failure(error.code.exitCode, place + describe(error), hint: hint(for: error))
    case let error as VaultError: return describe(error, place)
    case let error as IOError:
        return Failure(
            error.isMissing ? .notFound : .io, "\(error.path): cannot \(error.operation): \(error.reason)",
            hint: hint(for: error, vault: vault))
    case CryptoError.outOfMemory: return Failure(.failure, "out of memory")
    case let error as CryptoError: return Failure(.failure, "libcrypto failed: \(error)")
    default: return Failure(.failure, "\(error)")
    }
}

private func describe(_ error: FormatError) -> String {
    let place = error.offset.map { " at byte \($0)" } ?? ""
    switch error.code {
    case .wrongKey: return "wrong password: \(error.what)"
    case .repairable, .damaged: return "damaged\(place): \(error.what)"
    case .malformed: return "breaks the format\(place): \(error.what)"
    case .tampered: return "tampered with\(place): \(error.what)"
    case .notAVault: return "not a vault: \(error.what)"
    case .unsupported: return "made by a newer program: \(error.what)"
    case .invalid, .refused: return error.what
    }
}

private func hint(for error: FormatError) -> String? {
    switch error.code {
    case .damaged, .malformed: "'qvault verify --keyless --map' shows what is damaged; restore from a backup if you can"
    case .tampered: "somebody changed this file on purpose: keep it for inspection, restore from a backup"
    case .unsupported: "use a newer qvault"
    case .wrongKey: "passwords are taken as they are, with their spaces and capitals"
    case .refused where error.what.contains("consent"):
        "give it with --accept-kdf-cost, if you trust where the file comes from"
    default: nil
    }
}

private func hint(for error: IOError, vault: Path?) -> String? {
    if error.isSpaceExhausted { return "free some space and try again; no vault was changed" }
    guard error.isMissing else { return nil }
    return error.path == vault ? "check the path; 'qvault create' makes a new vault" : "check the path"
}

private func describe(_ error: VaultError, _ place: String) -> Failure {
    switch error {
    case .exists(let path):
        Failure(.refused, "\(path): exists and would be overwritten", hint: "choose another name")
    case .busy:
        Failure(.busy, place + "another program is writing to the vault", hint: "try again, or wait longer with --wait")
    case .readOnly(let obstacle): describe(obstacle, place)
    case .noSuchRecord(let name):
        Failure(.notFound, "\(place)no record '\(name)'", hint: "'qvault ls' lists what is there")
    case .ambiguous(let name, let candidates):
        Failure(
            .notFound, "\(place)'\(name)' is ambiguous: " + candidates.map(\.description).joined(separator: ", "),
            hint: "give the whole path, or a longer id")
    case .kindConflict(let path):
        Failure(
            .refused, "\(place)'\(path)' is a folder in one place and a file in the other",
            hint: "remove it first, or store under another name with --as")
    case .invalidName(let path):
        Failure(
            .invalid, "'\(path)' is no name to store under",
            hint: "give one with --as: components of 1 to 255 bytes between slashes, none of them . or ..")
    case .duplicateName(let path):
        Failure(.invalid, "two sources are called '\(path)'", hint: "store them one by one with --as")
    case .outcomeUnknown(let error):
        Failure(
            .io, "\(place)outcome unknown: cannot \(error.operation): \(error.reason)",
            hint: "the save may or may not be there; 'qvault ls' tells")
    case .cancelled: Failure(.failure, "stopped; nothing was changed")
    }
}

private func describe(_ obstacle: VaultError.Obstacle, _ place: String) -> Failure {
    switch obstacle {
    case .copy: Failure(.refused, place + "a backup, which is read-only", hint: "restore it to write to it")
    case .writeFeatures(let bits):
        Failure(.notAVault, "\(place)made by a newer program (write features \(bits)): it can be read only")
    case .damaged(let what):
        Failure(
            .repairable, "\(place)damaged (\(what)): it can be read, and is not written to",
            hint: "unpack it, and pack what you got into a new vault")
    case .leftover(let bytes):
        Failure(
            .repairable,
            "\(place)an unfinished save of \(bytes) bytes stands at the end: it can be read, and is not written to",
            hint: "unpack it, and pack what you got into a new vault")
    }
}
