import Cards
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore

/// A failure of the command: exit code, a line that names the object and the place, and a hint.
struct Failure: Error {
    let code: ExitCode
    let message: Phrase
    var hint: Phrase?
    /// True if a password source gave an empty password.
    var isOfEmptyPassword = false

    init(_ code: ExitCode, _ message: Phrase, hint: Phrase? = nil) {
        (self.code, self.message, self.hint) = (code, message, hint)
    }

    /// What an operation refuses, in the command's words.
    init(_ refusal: Refusal, hint: Phrase? = nil) {
        let code: ExitCode =
            switch refusal.reason {
            case .notFound: .notFound
            case .invalid: .invalid
            case .misused: .usage
            }
        self.init(code, refusal.key.map { "\($0): \(refusal.what)" } ?? refusal.what, hint: hint ?? refusal.hint)
    }

    /// The refusal to replace a file.
    static func overwriting(_ path: BytePath) -> Failure {
        Failure(.refused, "\(path): exists and would be overwritten", hint: "--force replaces it")
    }

    /// A name that several things have, where nobody is asked.
    init(_ ambiguity: Ambiguity) {
        let names = ambiguity.candidates.map(\.shown).joined(separator: ", ")
        let name = printable(ambiguity.name)
        self.init(
            .notFound,
            at(
                ambiguity.vault,
                ambiguity.isExact
                    ? "'\(name)' is ambiguous: \(names)" : "nothing is called '\(name)'; there is: \(names)"),
            hint: ambiguity.isExact ? "give the whole path, or a longer id" : "a change takes the whole name, or an id")
    }
}

/// Every error of the library in the command's words: the one place where they become exit codes and hints.
func failure(for error: any Error, vault: BytePath?) -> Failure {
    switch error {
    case let failure as Failure: failure
    case let ambiguity as Ambiguity: Failure(ambiguity)
    case let refusal as Refusal: Failure(refusal)
    case let error as FormatError:
        Failure(error.code.exitCode, at(error.file ?? vault, error.message), hint: hint(for: error))
    case let error as VaultError: describe(error, vault)
    case let refusal as ReplicaRefusal: Failure(refusal.exitCode, at(vault, refusal.message))
    case let error as IOError:
        Failure(error.isMissing ? .notFound : .io, "\(error.path): \(error.message)", hint: hint(for: error, vault))
    case CryptoError.outOfMemory: Failure(.failure, "out of memory")
    case let error as CryptoError: Failure(.failure, "libcrypto failed: \("\(error)")")
    default: Failure(.failure, "\("\(error)")")
    }
}

private func at(_ vault: BytePath?, _ what: Phrase) -> Phrase { vault.map { "\($0): \(what)" } ?? what }

private func hint(for error: FormatError) -> Phrase? {
    switch error.code {
    case .damaged, .malformed:
        "'qvault verify --map' shows what is damaged; restore a backup, or 'qvault salvage' gets out what can be read; 'qvault repair' mends a backup that has parity; --at SAVE shows an earlier state"
    case .tampered: "somebody changed this file on purpose: keep it for inspection, restore from a backup"
    case .unsupported: "use a newer qvault"
    case .wrongKey: "passwords are taken as they are, with their spaces and capitals"
    case .refused where error.needsConsent: "give it with --accept-kdf-cost, if you trust where the file comes from"
    default: nil
    }
}

private func hint(for error: IOError, _ vault: BytePath?) -> Phrase? {
    if Saving.isDone { return "the vault was saved; only a later step failed" }
    if error.isSpaceExhausted { return "free some space and try again; no vault was changed" }
    guard error.isMissing else { return nil }
    return error.path == vault ? "check the path; 'qvault create' makes a new vault" : "check the path"
}

/// A vault's error with its exit code, the name of the vault where the message has none, and a hint.
private func describe(_ error: VaultError, _ vault: BytePath?) -> Failure {
    func failure(_ code: ExitCode, hint: Phrase? = nil) -> Failure {
        Failure(code, at(vault, error.message), hint: hint)
    }
    return switch error {
    case .exists: Failure(.refused, error.message, hint: "choose another name")
    case .busy: failure(.busy, hint: "try again, or wait longer with --wait")
    case .readOnly(.copy): failure(.refused, hint: "'qvault restore' makes a vault of it")
    case .readOnly(.writeFeatures): failure(.notAVault)
    case .readOnly(.damaged(let damage)):
        failure(
            damage.code.exitCode, hint: "'qvault salvage' gets what can be read into a new vault; or restore a backup")
    case .noSuchRecord: failure(.notFound, hint: "'qvault ls' lists what is there")
    case .noSuchSave: failure(.notFound, hint: "'qvault history' lists the saves")
    case .kindConflict: failure(.refused, hint: "remove it first, or store under another name with --as")
    case .invalidName:
        Failure(
            .invalid, error.message,
            hint: "a path has up to 1,024 names of 1 to 255 bytes between slashes, none of them . or ..")
    case .duplicateName: Failure(.invalid, error.message, hint: "store them one by one with --as")
    case .taken(_, inTrash: false): failure(.refused, hint: "choose another name, or remove it first")
    case .taken(_, inTrash: true):
        failure(
            .refused, hint: "choose another name; 'qvault undelete' brings it back, 'qvault purge' removes it for good")
    case .movedApart:
        failure(
            .refused, hint: "move it in one of them with 'qvault mv', so that both have the same path, and merge then")
    case .outcomeUnknown: failure(.io, hint: "the save may or may not be there; 'qvault ls' tells")
    case .rollback:
        failure(
            .older,
            hint:
                "was an old copy put in its place? --allow-rollback takes it as it is from now on; 'qvault merge' joins copies that were edited apart"
        )
    case .notRemoved: failure(.io, hint: "remove the file by hand")
    case .replaced: failure(.busy, hint: "try again")
    case .savedUnderneath(let path):
        failure(.busy, hint: "'qvault merge \(path)' brings it in; file locks do not work on this file system")
    case .changedUnderneath:
        failure(
            .busy, hint: "file locks do not work on this file system: run one writing command at a time, and try again")
    case .cancelled: Failure(.failure, error.message)
    }
}
