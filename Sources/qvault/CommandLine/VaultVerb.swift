import Glibc
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    /// A verb that works on a vault: its path is found, and errors name it.
    static func at(
        name: String, summary: Phrase, operands: String = "", operandCount: ClosedRange<Int>? = nil, options: [Option],
        example: String, note: Phrase, _ body: @escaping @Sendable (BytePath, Arguments) throws -> ExitCode
    ) -> Verb {
        Verb(
            name: name, summary: summary, operands: operands, operandCount: operandCount, options: options,
            example: example, note: note
        ) { arguments in
            // `[FILE]` is the vault.
            let path = try Session.vaultPath(arguments, operand: operands == "[FILE]" ? arguments.operands.first : nil)
            return try withVault(path) { try body(path, arguments) }
        }
    }

    /// A verb that reads a vault, as it is or as `--at` says.
    static func reading(
        name: String, summary: Phrase, operands: String = "", operandCount: ClosedRange<Int>? = nil,
        options: [Option] = [], example: String, note: Phrase,
        _ body: @escaping @Sendable (Vault, Arguments) throws -> ExitCode
    ) -> Verb {
        at(
            name: name, summary: summary, operands: operands, operandCount: operandCount,
            options: [.vault, .moment] + options + Option.use, example: example, note: note
        ) { path, arguments in try body(Session.openAsOf(path, arguments), arguments) }
    }

    /// A verb that changes a vault: the body makes its changes in a transaction, and commits it.
    static func changing(
        name: String, summary: Phrase, operands: String = "", operandCount: ClosedRange<Int>? = nil,
        options: [Option] = [], example: String, note: Phrase,
        _ body: @escaping @Sendable (VaultTransaction, Arguments) throws -> ExitCode
    ) -> Verb {
        let showsOwn = options.contains { $0.name == .json }
        return at(
            name: name, summary: summary, operands: operands, operandCount: operandCount,
            options: [.vault] + options + (showsOwn ? [.wait] : [.wait, .savesAsJSON]) + Option.use, example: example,
            note: note
        ) { path, arguments in try body(Session.begin(path, arguments), arguments) }
    }
}
