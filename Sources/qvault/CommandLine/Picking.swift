import Cards
import Glibc
import VaultFormat
import VaultIO
import VaultStore

extension Ambiguity {
    /// Candidates that are listed at a terminal, at most.
    private static let listed = 20

    /// Runs a verb, and again with what a person picks where a name is ambiguous.
    static func asking(_ arguments: Arguments, _ run: (Arguments) throws -> ExitCode) throws -> ExitCode {
        do { return try run(arguments) } catch let ambiguity as Ambiguity {
            let isAsked = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && Terminal.isPresent
            guard isAsked, !arguments.has(.json), ambiguity.candidates.count <= listed,
                let picked = arguments.operands.firstIndex(of: ambiguity.name)
            else { throw ambiguity }
            return try asking(arguments.replacing(picked, with: ambiguity.pick()), run)
        }
    }

    private func pick() throws -> [UInt8] {
        let width = "\(candidates.count)".count
        let rows = candidates.enumerated().map {
            "  \(padded("\($0 + 1)", width, left: true))  \(terminalSafe($1.shown))\n"
        }
        try Terminal.write(Phrase("'\(printable(name))' may mean:").line + "\n" + rows.joined())
        while true {
            let answer = try Terminal.ask("number (Enter: none): ")
            if answer.isEmpty { throw Failure(self) }
            if let number = Int(answer), 1...candidates.count ~= number { return candidates[number - 1].word }
        }
    }
}

extension CardPicker {
    /// Runs a verb, for the card that a person picks where none is named.
    static func asking(_ arguments: Arguments, _ verb: Verb, _ run: (Arguments) throws -> ExitCode) throws -> ExitCode {
        guard arguments.isToPick, let wanted = verb.picked else { return try run(arguments) }
        guard isPossible(arguments), !arguments.has(.json) else { throw Failure(lacking: verb) }
        let path = try Session.vaultPath(arguments)
        let choice = try withVault(path) {
            let vault = try Session.openAsOf(path, arguments)
            return try shown(arguments) { try CardPicker(vault, wanted, usual: verb.usual) }
        }
        guard let choice else { throw VaultError.cancelled }
        return try run(arguments.picking(choice.card.id))
    }

    /// Shows a list on a screen of its own, which is gone when something was picked.
    private static func shown(_ arguments: Arguments, _ make: () throws -> CardPicker) throws -> Choice? {
        var picker = try make()
        let screen = try LiveScreen(arguments)
        defer { screen.close() }
        return try picker.run(on: screen)
    }

    /// Shows all cards, and does with one what a person picks.
    static func run(_ path: BytePath, _ vault: Vault, header: [String], _ arguments: Arguments) throws -> ExitCode {
        let choice = try shown(arguments) {
            try CardPicker(vault, header: header, usual: "copy", Action.all)
        }
        guard let choice else { return .done }
        let verb = choice.action?.verb ?? .copy
        let words = (choice.action?.words ?? []).map { Array($0.utf8) }
        let start = ContinuousClock.now
        let given = try Arguments(
            [Array("-f".utf8), path.bytes] + words + [Array(hexText(choice.card.id.bytes).utf8)], for: verb,
            arguments.opened)
        do {
            let code = try verb.run(given)
            EventLog.note(verb, code, since: start)
            return code
        } catch {
            EventLog.note(verb, failure(for: error, vault: path).code, since: start)
            throw error
        }
    }
}

extension CardPicker.Action {
    /// The actions on a card besides copying it.
    static var all: [CardPicker.Action] {
        [
            .init(letter: "o", label: "present code", verb: .oneTimePassword) { card, _ in
                card.oneTimePasswordLine != nil
            },
            .init(letter: "p", label: "password", verb: .copy, words: ["--field", "password"]) { card, _ in
                card.lines.contains { $0.key == "password" }
            },
            .init(letter: "v", label: "view", verb: .cardShow) { _, _ in true },
            .init(letter: "e", label: "edit", verb: .cardEdit) { _, _ in true },
            .init(letter: "s", label: "a shared copy", verb: .share) { _, files in !files.isEmpty },
        ]
    }
}

extension Verb {
    /// The verb's action on a card, in a word.
    fileprivate var usual: Phrase {
        switch name {
        case "copy": "copy"
        case "otp": "present code"
        case "share": "a shared copy"
        default: "view"
        }
    }
}
