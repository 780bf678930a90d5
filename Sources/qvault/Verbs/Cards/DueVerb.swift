import Glibc
import Portfolio
import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Verb {
    static let due = Verb.at(
        name: "due", summary: "what ends soon or has ended, and what keeps the vault safe",
        options: [
            .vault, .moment, Option(.within, value: "TIME", help: "how far to look ahead: 7d, 4w, 1y (30d)"), .json,
            Option(.format, value: "ics", help: "a calendar file, which is not encrypted"),
            Option(.exitCode, help: "exit with 1 if something has ended, or ends within 7 days"),
            Option(.notify, help: "say how much on the desktop, and print nothing"), .ifUnlocked,
        ] + Option.use,
        example: "qvault due --within 1y", note: "passports, bank cards, shares, backups; the earliest first"
    ) { path, arguments in
        let limit = try days(arguments.text(.within) ?? "30d")
        guard ["ics", nil].contains(arguments.text(.format)) else { throw Failure(.usage, "due: --format takes ics") }
        guard try !arguments.has(.ifUnlocked) || isUnlocked(path) else { return .done }
        let vault = try Session.openAsOf(path, arguments)
        let report = ProblemReport()
        let items = try Due.today(in: vault, within: limit, report, isPresent: !arguments.has(.at))
        try write(items, arguments)
        let code = report.exitCode(hint: "'qvault verify' tells more of damage")
        guard code == .done else { return code }
        if items.isEmpty { Messages.done("nothing ends within \(limit) days") }
        return arguments.has(.exitCode) && items.contains { $0.level == .urgent } ? .inPart : .done
    }

    private static func write(_ items: [Due], _ arguments: Arguments) throws {
        if arguments.has(.notify) {
            if !items.isEmpty { try Desktop.notify(items) }
        } else if arguments.has(.format) {
            var calendar = CalendarText(at: Timestamp(second: Machine.store.now().seconds))
            for item in items { calendar.add(item.day, id: item.id, part: item.key, "\(item.label): \(item.rawTitle)") }
            try StandardOutput.print(raw: calendar.text)
        } else {
            try StandardOutput.list(zip(items, items.rows), arguments, json: \.0.json, text: \.1)
        }
    }

    /// Days of a length of time.
    fileprivate static func days(_ text: String, _ option: Phrase = "--within") throws -> Int64 {
        guard let days = TimeSpan.days(text), days >= 1 else {
            throw Failure(.usage, "due: \(option) takes a time of a day or more, like 7d, 4w or 1y")
        }
        return days
    }

    /// True if a vault can be opened without asking anybody.
    static func isUnlocked(_ path: BytePath) throws -> Bool {
        try Keyring.timeLeft(LockedVault(path, in: Machine.store).header) != nil
    }

    static let dueSnooze = Verb.at(
        name: "due snooze", summary: "put off what is due; it comes back after a while", operands: "NAME TIME",
        options: [.vault, dueField, .wait, .savesAsJSON] + Option.use,
        example: "qvault due snooze passport 2w",
        note: "NAME is a card, an attachment that was shared, position, backup, check or drill"
    ) { path, arguments in
        let days = try days(arguments.words[1], "TIME")
        return try answer(Session.begin(path, arguments), arguments, until: Machine.today.advanced(by: days))
    }

    static let dueDone = Verb.changing(
        name: "due done", summary: "take what is due from the list, until the card has another date", operands: "NAME",
        options: [dueField],
        example: "qvault due done passport", note: "'card edit passport valid_until=…' puts the next date in its place"
    ) { try answer($0, $1, until: nil) }

    private static let dueField = Option(.field, value: "KEY", help: "this field's date alone")

    /// Notes what a person says of the dates of one record.
    private static func answer(
        _ transaction: VaultTransaction, _ arguments: Arguments, until day: Day?
    ) throws -> ExitCode {
        let name = arguments.operands[0]
        let subject =
            try name == Array(Due.positionName.utf8)
            ? Due.positionName
            : Upkeep.Task(rawValue: String(decoding: name, as: UTF8.self))?.rawValue
                ?? "\(subject(name, transaction.before))"
        let key = arguments.text(.field)
        let found = try Due.today(in: transaction.before, within: 366).filter { item in
            (item.id == subject || item.parent.map { "\($0)" } == subject) && (key == nil || item.key == key)
        }
        guard !found.isEmpty else {
            throw Failure(
                .notFound, "'\(printable(name))' has nothing that is due within a year",
                hint: "'qvault due --within 1y' lists what is")
        }
        if day == nil, let next = try renewed(found, transaction) {
            return try Session.commit(transaction, arguments, saying: "next payment \(next.text)")
        }
        // Nobody is done with the position for ever.
        let day = day ?? (subject == Due.positionName ? Machine.today.advanced(by: 30) : nil)
        try transaction.note(found.map { DueAnswer($0, until: day) })
        return try Session.commit(
            transaction, arguments, saying: day.map { "put off until \($0.text)" } ?? "done: taken from the list")
    }

    /// Who has paid a premium is done with it: the policy is renewed.
    ///
    /// - Returns: the next payment; nil where no premium is among what is due.
    private static func renewed(_ items: [Due], _ transaction: VaultTransaction) throws -> Day? {
        guard let item = items.first(where: { $0.schema?.name == "policy" && $0.key == "next_payment" }),
            let id = RecordID(hex: item.id), let entry = try transaction.entry(id)
        else { return nil }
        guard item.days <= 30 else {
            throw Failure(
                .notFound, "the next payment is on \(item.day.text): nothing is due within 30 days",
                hint: "'qvault policy renew' moves it all the same")
        }
        let next = try renew(entry, transaction)
        let rest = items.filter { $0.key != item.key }
        if !rest.isEmpty { try transaction.note(rest.map { DueAnswer($0, until: nil) }) }
        return next
    }

    private static func subject(_ name: [UInt8], _ vault: Vault) throws -> RecordID {
        do { return try CardArguments.card(name, in: vault, changes: true).id } catch VaultError.noSuchRecord {
            return try AttachmentArguments.attachment(name, in: vault).id
        }
    }
}

/// One message on the person's desktop.
private enum Desktop {
    static func notify(_ items: [Due]) throws {
        guard isInstalled("notify-send") else {
            throw Failure(.failure, "due: --notify takes notify-send", hint: "install libnotify-bin")
        }
        var text = items.counts.said
        // Names on a screen that others see only where the person wants them.
        if try Config.flag(.notifyNames) { text += "\n" + items.rows.prefix(5).joined(separator: "\n") }
        unsafe setenv("QUICKVAULT_NOTICE", text, 1)
        guard unsafe system("notify-send -a QuickVault QuickVault \"$QUICKVAULT_NOTICE\" >/dev/null 2>&1") == 0 else {
            throw Failure(.failure, "due: notify-send failed: no desktop, perhaps")
        }
    }
}
