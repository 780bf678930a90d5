import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import Cards
import VaultIO
import VaultStore

/// The dialogue for a person who types `qvault` and has no vault yet: a vault, its recovery key, the first card.
enum Welcome {
    /// True if there is somebody to welcome.
    static var isPossible: Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && environment(bytes: "QVAULT_FILE") == nil
    }

    /// Makes the default vault.
    static func run(_ path: BytePath, _ given: Arguments) throws -> ExitCode {
        let arguments = try Arguments([], for: .create)
        try Terminal.say("QuickVault keeps cards, pictures and files in one encrypted file.")
        guard try Terminal.confirm("No vault yet. Make \(path)?", standard: true) else {
            Messages.say("nothing was made; 'qvault create FILE' makes a vault elsewhere")
            return .done
        }
        return try withVault(path) {
            try Terminal.say(
                "Choose a password of 8 characters or more; four words that do not belong together are a good one.")
            try Machine.store.files.makeFolders(path.parent)
            let sheet = try Session.create(path, arguments) { creation, _ in
                let key = try creation.addRecoveryKey()
                let sheet = try RecoverySheet.text(
                    of: key, for: path, at: creation.finish(), width: Int(qv_terminal_columns(STDOUT_FILENO)))
                try Session.commit(creation)
                // Who has just made it is not asked again for a while.
                try? Keyring.store(
                    creation.keys.master, LockedVault(path, in: Machine.store).header,
                    milliseconds: Config.milliseconds(.sessionTimeout), most: Config.milliseconds(.sessionMax))
                return sheet
            }
            do {
                try Terminal.showApart(
                    sheet, "Write it down, and press Enter: the screen is cleared then. ", isPlain: given.has(.plain))
            } catch VaultError.cancelled {
                // The vault is there: nothing of it was half made.
                Messages.say("made \(path)")
                Messages.hint(
                    "'qvault key recovery' makes a recovery key, if the one on the screen was not written down")
                throw VaultError.cancelled
            }
            Messages.say("made \(path); the recovery key opens it if the password is forgotten")
            try Strength.tellCost(arguments)
            try offerCard(path, arguments)
            return .done
        }
    }

    /// Offers the first card: what its kind requires, and a picture.
    private static func offerCard(_ path: BytePath, _ arguments: Arguments) throws {
        try CardKindMenu.write(CardKindMenu.usual)
        while true {
            let answer = try Terminal.ask(
                "A first card? (a number, another kind by its name, Enter for none): ", CardKindMenu.completion)
            if answer.allSatisfy(\.isWhitespace) { break }
            do {
                try FirstCard.add(CardKindMenu.kind(answer), to: path, arguments)
                break
            } catch let failure as Failure where failure.code == .invalid { Messages.say(failure) }
        }
        try Terminal.say("Next: 'qvault' lists the cards, 'qvault --help' lists all verbs")
    }
}
