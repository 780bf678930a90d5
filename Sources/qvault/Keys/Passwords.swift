import Glibc
import VaultCrypto
import VaultFormat

/// The source of a password. The sources are tried in the order of the contract; the first that is given counts.
enum PasswordSource {
    case descriptor(Int32)
    case file(BytePath)
    case command([UInt8])
    case terminal

    /// The password that opens a vault, from an option or the environment; nil when none is given.
    ///
    /// - Parameter readsInput: whether data comes from standard input, which then cannot carry the password too.
    static func given(_ arguments: Arguments, readsInput: Bool = false) throws -> PasswordSource? {
        let names: Names = (.passwordFd, .passwordFile, .passwordCommand)
        if let option = try option(names, arguments, readsInput: readsInput) { return option }
        if let file = environment(bytes: "QVAULT_PASSWORD_FILE").map({ BytePath($0) }) {
            if readsInput, file.isStandardInput { throw Failure.secretBesideData }
            return .file(file)
        }
        return environment(bytes: "QVAULT_PASSWORD_COMMAND").map { .command($0) }
    }

    /// The source of a password to set, by its options; nil when there are none.
    static func givenNew(_ arguments: Arguments) throws -> PasswordSource? {
        try option((.newPasswordFd, .newPasswordFile, .newPasswordCommand), arguments)
    }

    /// The options for one password.
    private typealias Names = (descriptor: OptionName, file: OptionName, command: OptionName)

    private static func option(
        _ names: Names, _ arguments: Arguments, readsInput: Bool = false
    ) throws -> PasswordSource? {
        if let number = try arguments.number(names.descriptor, in: 0...65_535) {
            if number == 0 && readsInput { throw Failure.secretBesideData }
            return .descriptor(Int32(number))
        }
        if let file = arguments.bytes(names.file).map({ BytePath($0) }) {
            if readsInput, file.isStandardInput { throw Failure.secretBesideData }
            return .file(file)
        }
        return arguments.bytes(names.command).map { .command($0) }
    }

    /// The terminal, for want of a source.
    static func orTerminal(_ source: PasswordSource?, hint: Phrase? = nil) throws -> PasswordSource {
        if let source { return source }
        guard Terminal.isPresent else {
            throw Failure(
                .locked, "locked: no password source and no terminal",
                hint: hint
                    ?? "set QVAULT_PASSWORD_COMMAND, or give --password-file; 'qvault unlock' asks once for a while")
        }
        return .terminal
    }

    /// True if a person types it, and may try again.
    var isTerminal: Bool { if case .terminal = self { true } else { false } }

    /// The password of a vault that exists.
    func read(for vault: BytePath) throws -> Secret { try read("password for \(vault): ") }

    /// A password to set: asked for twice on a terminal, long enough, and with a word on how good it is.
    func readNew(for vault: BytePath, _ derivation: KeyDerivation) throws -> Secret {
        for attempt in 1... {
            do {
                let secret = try read("new password for \(vault): ")
                try Self.check(secret)
                if isTerminal {
                    let again = try Terminal.askPassword("repeat the password: ")
                    guard secret.isEqual(to: again) else { throw Failure(.invalid, "the two passwords differ") }
                }
                let isWeak = try Strength.tell(secret, derivation)
                if isWeak, isTerminal {
                    let again = try Terminal.askPassword(
                        "weak: type it once more to take it, or Enter for another one: ")
                    guard secret.isEqual(to: again) else { throw Failure(.invalid, "choose another password") }
                }
                return secret
            } catch let failure as Failure where failure.code == .invalid && isTerminal && attempt < 5 {
                if failure.isOfEmptyPassword { try Terminal.say("nothing was typed") } else { Messages.say(failure) }
            }
        }
        preconditionFailure("attempts do not end")
    }

    /// At least 8 characters, counted as Unicode scalars, and not only spaces. When opening a vault anything will do.
    private static func check(_ password: borrowing Secret) throws {
        let (characters, isBlank, hasControl) = password.withSpan { bytes in
            (
                bytes.indices.reduce(0) { $0 + (bytes[$1] & 0xC0 == 0x80 ? 0 : 1) },
                bytes.indices.allSatisfy { bytes[$0] == 0x20 },
                bytes.indices.contains { bytes[$0] < 0x20 || bytes[$0] == 0x7F }
            )
        }
        let hint: Phrase = "'qvault key generate' makes one that is easy to remember and hard to guess"
        guard characters >= 8 else {
            throw Failure(.invalid, "the password has \(characters) characters; a new one needs at least 8", hint: hint)
        }
        guard !isBlank else { throw Failure(.invalid, "the password is nothing but spaces", hint: hint) }
        if hasControl {
            Messages.say("warning: the password holds a control character, perhaps a carriage return: it is part of it")
        }
    }

    private func read(_ prompt: Phrase) throws -> Secret {
        switch self {
        case .descriptor(let number): return try readSecret(from: number, named: "descriptor \(number)")
        case .file(let path): return try readSecret(fromFile: path)
        case .command(let command):
            let time = try Config.milliseconds(.passwordCommandTimeout)
            return try readSecret(fromCommand: command, within: time)
        case .terminal: return try Terminal.askPassword(prompt)
        }
    }
}
