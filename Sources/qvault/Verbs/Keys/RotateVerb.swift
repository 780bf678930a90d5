import VaultCrypto
import VaultFormat
import VaultStore

extension Verb {
    static let rekeyRotate = Verb.at(
        name: "rekey rotate", summary: "a new master key, and everything encrypted anew",
        options: [.vault, .wait, .noProgress, .yes, .json] + Option.slotCredentials + Option.use,
        example: "qvault rekey rotate -f family.qvault --slot-secret-file recovery.txt",
        note: "after this nobody reads what is saved from now on with an old copy and an old secret"
    ) { path, arguments in
        let credentials = try SlotCredentials(arguments)
        let change = try KeyChange(path, arguments)
        let kept = try credentials.keep(change.key, change.vault, arguments, path)
        let transaction = try change.begin()
        let (record, keys) = try Progress.showing("rewritten", total: transaction.before.byteCount, arguments) {
            update in
            try transaction.rotate(progress: update) { try kept.slots($0, of: transaction.before) }
        }
        Session.saved(record, keys, at: transaction.givenPath)
        Compaction.tellOfLinks(transaction)
        // The session of the old master key is of no use; if it cannot be removed, it expires.
        try? Keyring.drop(keys.vaultID)
        try Messages.done(
            "\(path): a new master key; key slots kept: \(kept.count), dropped: \(kept.dropped)", arguments,
            json: JSON(
                joining: .path(path),
                ["save": record.core.sequence, "slots_kept": kept.count, "slots_dropped": kept.dropped]))
        Messages.note(
            "note: older copies of \(path) still open with the old secrets; what is saved from now on does not. Audit keys must be exported anew"
        )
        return .done
    }
}
