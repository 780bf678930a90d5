import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import VaultStore

/// The dialogue for a person who types `qvault` and has no vault yet.
enum Welcome {
    /// True if there is somebody to welcome: a terminal, and no vault where the default one would be.
    static func isWanted(_ path: BytePath) -> Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && environment(bytes: "QVAULT_FILE") == nil
            && (try? Machine.store.files.status(path)) == nil
    }

    /// Makes the default vault.
    static func run(_ path: BytePath) throws -> ExitCode {
        let arguments = try Arguments([], for: .create)
        let greeting: Phrase = "qvault keeps files in one encrypted file. There is none yet; this makes \(path)"
        try StandardOutput.print(greeting.said + "\n\n")
        return try withVault(path) {
            try Machine.store.files.makeFolders(path.parent)
            let sheet = try Session.create(path, arguments) { creation, _ in
                let sheet = try RecoverySheet.text(of: creation.addRecoveryKey(), for: path)
                try Session.commit(creation)
                return sheet
            }
            let parts: (Phrase, Phrase) = (
                "Done. Should the password ever be forgotten, this recovery key opens the vault; it is shown once:",
                "Now try: qvault put FILE, qvault ls, qvault get FILE; 'qvault --help' lists all"
            )
            try StandardOutput.print("\n" + parts.0.said + "\n\n")
            try sheet.withSpan {
                try writeAll($0, to: STDOUT_FILENO, named: "standard output")
            }
            do { _ = try Terminal.ask("Press Enter when it is written down: ") } catch VaultError.cancelled
                where qv_interrupted() == 0
            {}  // the end of input will do
            try StandardOutput.print(parts.1.said + "\n")
            return .done
        }
    }
}
