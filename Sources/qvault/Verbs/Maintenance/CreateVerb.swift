import Glibc
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let create = Verb.at(
        name: "create", summary: "make a new, empty vault", operands: "[FILE]",
        options: [.vault, .compression, .savesAsJSON] + Option.derivation + Option.newPassword + [.recoveryOut],
        example: "qvault create family.qvault", note: "asks for a new password and makes the vault"
    ) { path, arguments in
        guard path.bytes.last != 0x2F else { throw Failure(.usage, "create: '\(path)' is no name for a file") }
        // The default vault's folder may not be there yet.
        if arguments.operands.isEmpty { try Machine.store.files.makeFolders(path.parent) }
        try Session.create(path, arguments) { creation, written in
            if let output = arguments.bytes(.recoveryKeyOut).map(BytePath.init) {
                // The key is durable before the vault that it opens.
                let key = try creation.addRecoveryKey()
                let sheet = try RecoverySheet.text(of: key, for: path, at: creation.finish())
                try writePrivately(sheet, to: output)
                written.append(output)
            }
            try Session.commit(creation)
        }
        Messages.done("created \(path)")
        if !arguments.has(.recoveryKeyOut) {
            Messages.advise("'qvault key recovery -f \(path)' makes a recovery key, should the password be forgotten")
        }
        try Strength.tellCost(arguments)
        return .done
    }
}
