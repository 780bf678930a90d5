import Cards
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let undo = Verb.changing(
        name: "undo", summary: "take back a save, as a new save", operands: "[SAVE]", options: [.dryRun],
        example: "qvault undo -f documents.qvault",
        note:
            "without a number the last one; what it added goes into the trash, the rest is as before; 'undo' again redoes"
    ) { transaction, arguments in
        let vault = transaction.before
        let save = try arguments.operands.first.map(number) ?? vault.sequence
        let reversal: SaveReversal
        do { reversal = try SaveReversal(of: save, in: vault) } catch let obstacle as ReversalObstacle {
            throw failure(obstacle, in: vault)
        }
        guard !notesCopies(reversal) else {
            throw Failure(
                .refused, "save \(save) notes copies that were given away: these notes stay",
                hint: "'qvault shares' lists them")
        }
        do { try transaction.takeBack(reversal) } catch VaultError.kindConflict(let path) {
            throw Failure(
                .refused, "'\(path)' was a folder before save \(save) and is a file now, or the other way round",
                hint: "'qvault unpack --at \(save - 1) -o DIR' writes what there was before")
        }
        let counts: Phrase = "to the trash: \(reversal.removedCount), as before: \(reversal.restoredCount)"
        return try Session.commit(transaction, arguments, saying: "save \(save) is undone: \(counts)")
    }

    private static func number(_ word: [UInt8]) throws -> UInt64 {
        guard let number = UInt64(String(decoding: word, as: UTF8.self)), number > 0 else {
            throw Failure(
                .usage, "undo: '\(printable(word))' is no number of a save", hint: "'qvault history' lists the saves")
        }
        return number
    }
}

extension Verb {
    /// True if the save noted copies that were given away.
    private static func notesCopies(_ reversal: SaveReversal) -> Bool {
        reversal.changes.contains { $0.entry.isShare && $0.change == .added }
    }

    /// The failure that an obstacle is for the command.
    private static func failure(_ obstacle: ReversalObstacle, in vault: Vault) -> Failure {
        switch obstacle {
        case .noChange(let save, let newest):
            Failure(
                .invalid, "save \(save) changed no record",
                hint: newest.map { "'qvault undo \($0)' takes back the newest one that did" }
                    ?? "'qvault history' lists the saves")
        case .purged(let save): Failure(.refused, "save \(save) purged records, which are gone")
        case .moved(let save, let paths):
            Failure(
                .refused, "save \(save) moved records: \(list(paths))", hint: "'qvault mv' moves them back")
        case .builtOn(let save, let paths, let latest):
            Failure(
                .refused, "later saves changed what save \(save) brought, or added to it: \(list(paths))",
                hint: canUndo(latest, in: vault)
                    ? "'qvault undo \(latest)' takes back the last of them first"
                    : "'qvault history NAME' lists the versions of each, and 'undelete --at' brings one back")
        case .forgotten(let save):
            Failure(
                .refused, "the versions from before save \(save) are no longer kept",
                hint: "'qvault history' lists the saves")
        }
    }

    /// True if a hint may name a save.
    private static func canUndo(_ save: UInt64, in vault: Vault) -> Bool {
        do { return try !notesCopies(SaveReversal(of: save, in: vault)) } catch { return false }
    }

    /// `a, b, c, …`
    private static func list(_ paths: [BytePath]) -> String {
        paths.prefix(3).map(\.description).listed + (paths.count > 3 ? ", …" : "")
    }
}
