import VaultCrypto
import VaultFormat
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
}

/// Every error of the library in the command's words: the one place where they become exit codes and hints.
func failure(for error: any Error, vault: BytePath?) -> Failure {
    switch error {
    case let failure as Failure: failure
    case let error as FormatError: Failure(error.code.exitCode, at(vault, describe(error)), hint: hint(for: error))
    case let error as VaultError: describe(error, vault)
    case let error as IOError:
        Failure(error.isMissing ? .notFound : .io, "\(error.path): \(describe(error))", hint: hint(for: error, vault))
    case CryptoError.outOfMemory: Failure(.failure, "out of memory")
    case let error as CryptoError: Failure(.failure, "libcrypto failed: \("\(error)")")
    default: Failure(.failure, "\("\(error)")")
    }
}

/// The reason that the system gave, without the name.
func describe(_ error: IOError) -> Phrase {
    "cannot \(Phrase(stringLiteral: error.operation)): \(Phrase(stringLiteral: error.reason))"
}

private func at(_ vault: BytePath?, _ what: Phrase) -> Phrase { vault.map { "\($0): \(what)" } ?? what }

private func describe(_ error: FormatError) -> Phrase {
    switch (error.code, error.offset) {
    case (.wrongKey, _): "wrong password: \(error.what)"
    case (.repairable, let place?), (.damaged, let place?): "damaged at byte \(place): \(error.what)"
    case (.repairable, nil), (.damaged, nil): "damaged: \(error.what)"
    case (.malformed, let place?): "breaks the format at byte \(place): \(error.what)"
    case (.malformed, nil): "breaks the format: \(error.what)"
    case (.tampered, let place?): "tampered with at byte \(place): \(error.what)"
    case (.tampered, nil): "tampered with: \(error.what)"
    case (.notAVault, _): "not a vault: \(error.what)"
    case (.unsupported, _): "made by a newer program: \(error.what)"
    case (.invalid, _), (.refused, _): error.what
    }
}

private func hint(for error: FormatError) -> Phrase? {
    switch error.code {
    case .damaged, .malformed:
        "'qvault verify --map' shows what is damaged; restore a backup, or 'qvault salvage' gets out what can be read"
    case .tampered: "somebody changed this file on purpose: keep it for inspection, restore from a backup"
    case .unsupported: "use a newer qvault"
    case .wrongKey: "passwords are taken as they are, with their spaces and capitals"
    case .refused where error.needsConsent:
        "give it with --accept-kdf-cost, if you trust where the file comes from"
    default: nil
    }
}

private func hint(for error: IOError, _ vault: BytePath?) -> Phrase? {
    if Machine.hasSaved {
        return "the vault was saved; only a later step failed"
    }
    if error.isSpaceExhausted { return "free some space and try again; no vault was changed" }
    guard error.isMissing else { return nil }
    return error.path == vault ? "check the path; 'qvault create' makes a new vault" : "check the path"
}

private func describe(_ error: VaultError, _ vault: BytePath?) -> Failure {
    switch error {
    case .exists(let path):
        Failure(.refused, "\(path): exists and would be overwritten", hint: "choose another name")
    case .busy:
        Failure(
            .busy, at(vault, "another program is writing to the vault"), hint: "try again, or wait longer with --wait")
    case .readOnly(let obstacle): describe(obstacle, vault)
    case .noSuchRecord(let name):
        Failure(.notFound, at(vault, "no record '\(name)'"), hint: "'qvault ls' lists what is there")
    case .noSuchSave(let sequence?, let oldest):
        Failure(
            .notFound, at(vault, "save \(sequence) cannot be shown; the oldest that can is \(oldest)"),
            hint: "'qvault history' lists the saves")
    case .noSuchSave(nil, let oldest):
        Failure(
            .notFound, at(vault, "there was no save yet at that time; the oldest is \(oldest)"),
            hint: "'qvault history' lists the saves")
    case .ambiguous(let name, let candidates):
        Failure(
            .notFound,
            at(vault, "'\(name)' is ambiguous: \(candidates.map(\.description).joined(separator: ", "))"),
            hint: "give the whole path, or a longer id")
    case .kindConflict(let path):
        Failure(
            .refused, at(vault, "'\(path)' is a folder in one place and a file in the other"),
            hint: "remove it first, or store under another name with --as")
    case .invalidName(let path):
        Failure(
            .invalid, "'\(path)' is no name to store under",
            hint: "a path has up to 1,024 names of 1 to 255 bytes between slashes, none of them . or ..")
    case .duplicateName(let path):
        Failure(.invalid, "two sources are called '\(path)'", hint: "store them one by one with --as")
    case .taken(let path, inTrash: false):
        Failure(.refused, at(vault, "'\(path)' is there already"), hint: "choose another name, or remove it first")
    case .taken(let path, inTrash: true):
        Failure(
            .refused, at(vault, "'\(path)' is in the trash"),
            hint: "choose another name; 'qvault undelete' brings it back, 'qvault purge' removes it for good")
    case .movedApart(let path, let there):
        Failure(
            .refused, at(vault, "the folder '\(path)' is '\(there)' in the other vault"),
            hint: "move it in one of them with 'qvault mv', so that both have the same path, and merge then")
    case .outcomeUnknown(let error):
        Failure(
            .io, at(vault, "outcome unknown: \(describe(error))"),
            hint: "the save may or may not be there; 'qvault ls' tells")
    case .rollback(let freshness):
        Failure(
            .older, at(vault, describe(freshness) ?? "not what this machine has seen"),
            hint:
                "was an old copy put in its place? --allow-rollback takes it as it is from now on; 'qvault merge' joins copies that were edited apart"
        )
    case .notRemoved(let error):
        Failure(
            .io, at(vault, "destroyed, so no secret opens it; but its file could not be removed: \(describe(error))"),
            hint: "remove the file by hand")
    case .replaced:
        Failure(.busy, at(vault, "the vault's file was replaced while it was being read"), hint: "try again")
    case .changedUnderneath:
        Failure(
            .busy, at(vault, "another program saved although this one holds the lock; this command saved nothing"),
            hint: "file locks do not work on this file system: run one writing command at a time, and try again")
    case .cancelled: Failure(.failure, "stopped; nothing was changed")
    }
}

/// The fault of a vault that is not the newest state that this machine has seen; else nil.
func describe(_ freshness: Freshness) -> Phrase? {
    switch freshness {
    case .unknown, .asSeen, .newer: nil
    case .older(let seen): "older than this machine has seen: it was at save \(seen)"
    case .forked(let seen): "not what this machine has seen: it has another history since before save \(seen)"
    case .retired: "older than this machine has seen: its master key has been replaced"
    }
}

private func describe(_ obstacle: VaultError.Obstacle, _ vault: BytePath?) -> Failure {
    switch obstacle {
    case .copy:
        Failure(.refused, at(vault, "a backup, which is read-only"), hint: "'qvault restore' makes a vault of it")
    case .writeFeatures(let bits):
        Failure(.notAVault, at(vault, "made by a newer program (write features \(bits)): it can be read only"))
    case .damaged(let error):
        Failure(
            error.code.exitCode, at(vault, "damaged (\(error.what)): it can be read, and is not written to"),
            hint: "'qvault salvage' gets what can be read into a new vault; or restore a backup")
    }
}
