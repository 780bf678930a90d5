import VaultFormat
import VaultStore

extension Verb {
    static let cat = Verb(
        name: "cat", summary: "write records to standard output", operands: "NAME…", operandCount: 1...Int.max,
        options: [.vault, .moment] + Option.use,
        example: (
            "qvault cat -f documents.qvault Documents/notes.txt", "the file's bytes, each checked before it is written"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let vault = try Session.openAsOf(path, arguments)
            var out = StandardOutput()
            for entry in try arguments.operands.map({ try content($0, in: vault) }) {
                try vault.read(entry) { try out.write($0) }
            }
            try out.flush()
            return .done
        }
    }
}
