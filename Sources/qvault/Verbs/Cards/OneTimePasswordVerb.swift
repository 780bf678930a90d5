import Glibc
import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Verb {
    static let oneTimePassword = Verb.at(
        name: "otp", summary: "the one-time code of a login, to the clipboard", operands: "NAME",
        options: [
            .vault, .stdout, Option(.next, help: "the code after this one"), .json,
            Option(
                .from, value: "FILE",
                help: "take the secret from a picture of a QR code, or from a text; '-' reads text"), .wait,
        ] + Option.use,
        example: "qvault otp GitHub --stdout",
        note: "six digits; 'otp GitHub --from qr.png' stores the secret that a site shows"
    ) { path, arguments in
        if let source = arguments.bytes(.from) { return try take(from: source, path, arguments) }
        let key = try VaultSecret(path, arguments)
        let vault = try Session.open(path, key, arguments)
        let entry = try CardArguments.card(arguments.operands[0], in: vault)
        let card = try vault.card(entry)
        let (line, parameters) = try parameters(of: card)
        switch parameters.counter {
        case .event(let number):
            guard !arguments.has(.next) else {
                throw Failure(.usage, "otp: the code after this one comes with the next call: these codes count")
            }
            try Clipboard.check(arguments)
            // The counter is saved before the code is shown: no code is shown twice.
            try advance(line, of: entry, path, key, arguments)
            return try show(parameters.code(counter: number), of: entry, nil, arguments)
        case .time(let period):
            let now = UInt64(max(0, Machine.store.now().seconds))
            let counter = now / period + (arguments.has(.next) ? 1 : 0)
            let times = try Times(
                seconds: period - now % period, period: period, next: parameters.code(counter: counter + 1))
            return try show(parameters.code(counter: counter), of: entry, times, arguments)
        }
    }.picking(.withCodes)

    /// Seconds until the present code ends, how long each is good, and the code after the one that is shown.
    private struct Times {
        let seconds, period: UInt64
        let next: String
    }

    private static func show(
        _ code: String, of entry: Entry, _ times: Times?, _ arguments: Arguments
    ) throws -> ExitCode {
        if arguments.has(.json) {
            let json: JSON = ["code": code, "seconds": times?.seconds, "period": times?.period, "next": times?.next]
            return try StandardOutput.print(json)
        }
        if let times {
            Messages.done(
                arguments.has(.next)
                    ? "good in \(times.seconds) seconds, and for \(times.period) from then on"
                    : "good for \(times.seconds) seconds more")
        }
        return try Clipboard.copy(code, Copied(entry, "present code"), arguments)
    }

    private static func parameters(of card: Card) throws -> (line: Card.Line, OneTimePassword) {
        let title = printable(card.overview.title)
        guard let line = card.oneTimePasswordLine else {
            throw Failure(
                .notFound, "'\(title)' has no secret for one-time codes",
                hint: "'qvault otp NAME --from qr.png' stores the one that a site shows")
        }
        do { return (line, try OneTimePassword(line.value)) } catch let problem as OneTimePassword.Problem {
            throw Failure(.invalid, "'\(title)': \(printable(line.key.utf8)) \(problem.what)")
        }
    }

    /// Saves the counter of the next code, unless somebody else has used this one meanwhile.
    private static func advance(
        _ line: Card.Line, of entry: Entry, _ path: BytePath, _ key: VaultSecret, _ arguments: Arguments
    ) throws {
        let transaction = try Session.begin(path, arguments, key: key)
        guard let now = try transaction.before.entry(entry.id) else {
            throw VaultError.noSuchRecord(BytePath(entry.overview.title))
        }
        var card = try transaction.before.card(now)
        guard card.oneTimePasswordLine?.value == line.value, let next = try OneTimePassword.advanced(line.value) else {
            throw Failure(.failure, "the card was changed meanwhile", hint: "try again")
        }
        try CardArguments.require(card.set([(line.key, next)]), of: card.schema)
        try transaction.put(card, as: entry.id)
        try Session.commit(transaction)
    }

    /// The codes of addresses, each of which may hold several.
    private static func codes(in lines: [String], _ source: BytePath) throws -> [OneTimeCodes.Code] {
        try lines.flatMap { line in
            // A note is not a secret, even if all of its letters are of base32.
            guard line.contains("://") || line.utf8.count >= 16 && !line.contains(" ") else {
                throw Failure(.invalid, "\(source): holds no 'otpauth://' address, and no secret in base32")
            }
            do { return try OneTimeCodes(line).codes } catch let problem as OneTimePassword.Problem {
                throw Failure(.invalid, "\(source): \(problem.what)")
            }
        }
    }

    /// The code that a card means: the only one, or the only one of its title and user.
    private static func chosen(
        of codes: [OneTimeCodes.Code], for card: Card, _ source: BytePath
    ) throws -> OneTimeCodes.Code {
        if codes.count == 1 { return codes[0] }
        let title = String(decoding: card.overview.title, as: UTF8.self).lowercased()
        var fitting = codes.filter { $0.issuer.lowercased() == title || $0.account.lowercased() == title }
        if fitting.count > 1, let user = card.fields.texts["username"] {
            fitting = fitting.filter { $0.account == user }
        }
        guard fitting.count == 1 else {
            let names = codes.map { $0.issuer.isEmpty ? $0.account : "\($0.issuer): \($0.account)" }
            throw Failure(
                .invalid, "\(source): holds \(codes.count) codes: \(printable(names.listed.utf8))",
                hint: "'qvault import' takes them all")
        }
        return fitting[0]
    }

    /// Stores a secret from a picture or a text.
    private static func take(from source: [UInt8], _ path: BytePath, _ arguments: Arguments) throws -> ExitCode {
        guard ![.stdout, .json, .next].contains(where: arguments.has) else {
            throw Failure(.usage, "otp: --from stores a secret, and prints no code")
        }
        let isInput = source == Array("-".utf8)
        let key = try VaultSecret(path, arguments, readsInput: isInput)
        let codes = try codes(in: QRPicture.lines(from: source), BytePath(source))
        let transaction = try Session.begin(path, arguments, key: key)
        let entry = try CardArguments.card(arguments.operands[0], in: transaction.before, changes: true)
        var card = try transaction.before.card(entry)
        let text = try chosen(of: codes, for: card, BytePath(source)).address
        let old = card.oneTimePasswordLine
        try CardArguments.require(card.set([(old?.key ?? "totp", text)]), of: card.schema)
        try transaction.put(card, as: entry.id)
        try Session.commit(transaction)
        Messages.done("changed card '\(printable(card.overview.title))'")
        if let old, old.value != text {
            Messages.note("note: another secret for one-time codes was there; 'qvault history' keeps it")
        }
        return .done
    }
}
