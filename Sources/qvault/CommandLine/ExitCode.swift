import VaultFormat
import VaultStore

/// The command's exit codes: a contract (`qvault help exit-codes`). Numbers are never reused.
enum ExitCode: Int32, CaseIterable, Sendable {
    case done = 0
    case inPart = 1
    case usage = 2
    case wrongKey = 3
    case repairable = 4
    case lost = 5
    case tampered = 6
    case older = 7
    case notAVault = 8
    case busy = 9
    case notFound = 10
    case invalid = 11
    case refused = 12
    case io = 13
    case locked = 14
    case failure = 15

    /// Its meaning, as the manual says it.
    var meaning: Phrase {
        switch self {
        case .done: "done; for verify: sound"
        case .inPart:
            "done in part: what was left out is listed, all else is durable; or with --exit-code: there is something"
        case .usage: "usage"
        case .wrongKey: "wrong password"
        case .repairable: "damaged, and repairable from what is at hand"
        case .lost: "damaged, and something is lost"
        case .tampered: "tampered with: the key is right, the authentication is not"
        case .older: "older or forked copy than this machine has seen, or not the expected fingerprint"
        case .notAVault: "not a vault, or made by a newer program"
        case .busy: "busy: another writer holds the lock past --wait, or got in the way"
        case .notFound: "no such record or file, or the name is ambiguous"
        case .invalid: "invalid input: a name, a password, a kind of file"
        case .refused:
            "refused: it would overwrite something, too many wrong passwords, the vault asks for too little or too much hashing, or is a backup"
        case .io: "I/O error; the vault is as before, or the message says 'outcome unknown'"
        case .locked: "locked: no password source and no terminal"
        case .failure: "any other failure"
        }
    }

    /// The worst of several files.
    static func worst(_ codes: [ExitCode]) -> ExitCode {
        let order: [ExitCode] = [.tampered, .lost, .older, .repairable, .notAVault, .wrongKey, .io, .refused]
        return order.first(where: codes.contains) ?? codes.first { $0 != .done } ?? .done
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

extension ReplicaRefusal {
    var exitCode: ExitCode {
        switch self {
        case .ahead, .forked: .older
        case .otherVault, .isBackup, .missing: .refused
        }
    }
}
