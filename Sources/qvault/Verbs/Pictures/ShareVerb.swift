import VaultCrypto
import VaultFormat
import Cards
import Pictures
import VaultIO
import VaultStore
import Watermark

extension Verb {
    static let share = Verb.at(
        name: "share", summary: "write marked copies of attachments, or of a card's pictures, and note to whom",
        operands: "ATTACHMENT…|CARD…",
        options: [
            .vault, .find, .wait,
            Option(
                .until, value: "DAY",
                help: "the day it is given for: 2026-12-31, or 30d from now; the mark says so, and 'due' lists it then"),
            Option(.note, value: "TEXT", help: "a note for yourself, kept in the vault"),
            Option(
                .recipient, value: "NAME", help: "who gets the copy; may be repeated, for a copy each", repeats: true),
            Option(
                .layout, value: "a4|a4-grid",
                help:
                    "all pictures on one page (A4), one below the other, cards at their true size; a4-grid: two abreast; a PDF unless -o says"
            ),
        ] + CopyTarget.options + [
            .hideOfCard,
            Option(.sign, help: "refuse a picture that is too narrow for the signed strip that copies get"),
            Option(.noSign, help: "a copy without the strip below it that 'verify-copy' checks"),
        ] + Option.mark.filter { $0.name != .recipient } + Option.copyLimits + Option.use,
        example: "qvault share id-front.jpg --recipient 招商银行 --purpose 开户 --max-bytes 2MB -o front-bank.jpg",
        note: "'qvault shares' lists what was given away"
    ) { path, arguments in
        guard !arguments.has(.sign) || !arguments.has(.noSign) else {
            throw Failure(.usage, "share: --sign or --no-sign, not both")
        }
        let _: Sheet.Arrangement? = try arguments.value(.layout, or: "share: --layout takes a4 or a4-grid")
        let limits = try MarkedCopy.Limits(arguments)
        // A copy that is only looked at is none that was given away.
        let look = try CopyTarget("share", arguments, isNamed: false)
        guard !look.isPreview else { return try preview(look, Session.open(path, arguments), arguments, limits) }
        let key = try VaultSecret(path, arguments)
        let arguments = try ShareQuestions.answered(arguments, path, key)
        let target = try CopyTarget("share", arguments, isNamed: false)
        let orders = try arguments.forEachRecipient()
        let (copies, lines) = try target.undoingFolder { try note(target, limits, path, key, orders) }
        var out = StandardOutput()
        for copy in copies {
            try copy.publish()
            if let path = copy.path {
                Messages.done("shared as \(path); 'qvault shares' lists it")
            } else {
                let bytes = copy.bytes
                try out.write(bytes.span)
            }
        }
        try out.write(lines)
        try out.flush()
        return .done
    }.picking(.withAttachments)

    /// Makes copies and notes them: one that nobody knows of could not be traced. Others can save again before they go
    /// out, perhaps to somebody who takes his time.
    ///
    /// - Parameter orders: the arguments for each recipient.
    private static func note(
        _ target: CopyTarget, _ limits: MarkedCopy.Limits, _ path: BytePath, _ key: VaultSecret, _ orders: [Arguments]
    ) throws -> (copies: [OutgoingCopy], lines: String) {
        let arguments = orders[0]
        let until = try arguments.lastDay
        let transaction = try Session.begin(path, arguments, key: key)
        let seed = try transaction.watermarkSeed()
        let originals = try SharedOriginal.all(arguments, in: transaction.before)
        try target.require(pictures: originals.count, recipients: orders.count)
        let shared = try arguments.has(.layout) ? nil : OutgoingCopies(target, arguments)
        var taken: Set<BytePath> = []
        var parts:
            [(
                original: SharedOriginal, id: RecordID, profile: MarkProfile, order: MarkedCopy.Order,
                made: OutgoingCopy
            )] = []
        for arguments in orders {
            for original in originals {
                let id = try transaction.makeID()
                let (profile, order) = try order(
                    original, as: id.bytes, transaction.before, seed, arguments, limits)
                let suffix = CopyNames.suffix(for: profile.recipient)
                // A page is a PDF of its own.
                let copies = try shared ?? OutgoingCopies(target.document(original.name, suffix, taken), arguments)
                let made = try original.copy(transaction.before, order, seed, into: copies, suffix)
                if shared == nil { try copies.finish() }
                made.path.map { _ = taken.insert($0) }
                parts.append((original, id, profile, order, made))
            }
        }
        try shared?.finish()
        var lines = ""
        for part in parts {
            try transaction.put(
                part.made.copy, in: part.made.picture, as: part.id, of: part.original.entry, part.profile, part.order,
                until: until, note: arguments.validText(.note),
                page: part.original.page.map { ($0.sheet, part.original.shown) }, seed: seed)
            guard arguments.has(.json) else { continue }
            let file = part.made.path.map { JSON.path($0, key: "file") } ?? [:]
            lines +=
                JSON(joining: ["id": part.id, "attachment": part.original.entry.id], file, part.made.members).line
                + "\n"
        }
        try Session.commit(transaction)
        Compaction.offer(transaction.before)
        return (parts.prefix(shared?.isDocument == true ? 1 : parts.count).map(\.made), lines)
    }

    /// Shows what copies would look like. They bear no signature and no signal of this vault: nobody could trace them.
    private static func preview(
        _ target: CopyTarget, _ vault: Vault, _ arguments: Arguments, _ limits: MarkedCopy.Limits
    ) throws -> ExitCode {
        let seed = try WatermarkSeed.ofNobody()
        let copies = try OutgoingCopies(target, arguments)
        for original in try SharedOriginal.all(arguments, in: vault) {
            let nobody = [UInt8](repeating: 0, count: 16)
            let order = try order(original, as: nobody, vault, seed, arguments, limits, isLook: true).order
            let made = try original.copy(vault, order, seed, into: copies, nil)
            try target.show(made.bytes, original.entry.overview.title)
        }
        return .done
    }

    private static func order(
        _ original: SharedOriginal, as id: [UInt8], _ vault: Vault, _ seed: borrowing WatermarkSeed,
        _ arguments: Arguments,
        _ limits: MarkedCopy.Limits, isLook: Bool = false
    ) throws -> (profile: MarkProfile, order: MarkedCopy.Order) {
        let entry = original.entry
        let profile = try MarkProfile(arguments, changing: vault.mark(of: entry.id))
        for option in [OptionName.recipient, .purpose] where arguments.has(option) {
            let name = option.word.dropFirst(2)
            if profile.text.contains("{\(name)}") { continue }
            Messages.say("warning: the mark's text does not name the \(name): --text with it in braces does")
        }
        if arguments.has(.until), !profile.text.contains("{until}") {
            Messages.say(
                "warning: the mark's text does not say until when: --template does, or --text with until in braces")
        }
        let hiding = try HiddenFields.hiding(arguments, of: original.entries, in: vault)
        var order = try MarkedCopy.Order(
            profile, original: entry.id.bytes, share: id, limits, arguments,
            hiding: hiding.map { original.page?.onPage($0) ?? $0 }, isLook: isLook)
        if !arguments.has(.noSign) { try order.sign(profile, arguments, by: seed) }
        return (profile, order)
    }

    static let sharesRevoke = Verb.changing(
        name: "shares revoke", summary: "note that a copy was asked back", operands: "ID…",
        example: "qvault shares revoke 7f3a09c1",
        note: "an id as 'qvault shares' shows it; the copy itself is not in our hands"
    ) { transaction, arguments in
        let day = Machine.today.text
        for name in arguments.operands {
            let word = String(decoding: name, as: UTF8.self).lowercased()
            let named = try transaction.before.shares().filter { hexText($0.id.bytes).hasPrefix(word) }
            guard word.count >= 4, named.count == 1 else {
                throw Failure(.notFound, "'\(printable(name))' names no single copy", hint: "'qvault shares' lists ids")
            }
            try transaction.revoke(named[0], on: day)
        }
        return try Session.commit(
            transaction, arguments, saying: "copies that were asked back: \(arguments.operands.count)")
    }

    static let shares = Verb.at(
        name: "shares", summary: "list the copies that were given away, the latest first",
        operands: "[ATTACHMENT|CARD|RECIPIENT]",
        options: [
            .vault, .moment, .json, Option(.format, value: "csv", help: "a table (CSV) of all that is noted of them"),
        ] + Option.use,
        example: "qvault shares id-front.jpg", note: "one line a copy: id, time, name, for whom and what for"
    ) { path, arguments in
        guard arguments.text(.format).map({ $0 == "csv" }) ?? true, !(arguments.has(.format) && arguments.has(.json))
        else { throw Failure(.usage, "shares: --format takes csv, without --json") }
        let vault = try Session.openAsOf(path, arguments)
        let report = ProblemReport()
        var shares = try vault.shares(damaged: report.add)
        if let name = arguments.operands.first.map({ String(decoding: $0, as: UTF8.self) }) {
            let given = shares.filter { $0.texts["recipient"]?.lowercased() == name.lowercased() }
            var asked: [RecordID] = []
            do {
                if given.isEmpty { asked = try AttachmentArguments.attachments(arguments, in: vault).map(\.id) }
            } catch VaultError
                .noSuchRecord(let path)
            {
                throw Failure(
                    .notFound, "'\(path)' is neither an attachment nor a card, and got no copy",
                    hint: "'qvault shares' lists all copies")
            }
            shares = given.isEmpty ? shares.filter { share in asked.contains { share.shows($0) } } : given
        }
        if arguments.has(.format) {
            try StandardOutput.print(Share.table(shares))
        } else if arguments.has(.json) {
            try StandardOutput.list(many: shares, arguments, json: \.json) { _, _ in }
        } else {
            try StandardOutput.show(inColumns(shares.map(\.row)).map { $0 + "\n" }.joined())
        }
        return report.exitCode(hint: "'qvault verify' tells more of damage")
    }
}

extension Share {
    /// The facts by which a person tells one copy from another.
    var cells: [String] {
        [
            "\("\(id)".prefix(8))", timeText(time, local: true),
            (card.map { printable($0.utf8) + "/" } ?? "") + printable(name),
        ]
            + ["recipient", "purpose"].map { printable((texts[$0] ?? "-").utf8) }
    }

    fileprivate var row: [String] {
        let notes: [Phrase?] = [
            texts["until"].map { "until \($0)" }, texts[Entry.revokedKey].map { "asked back \($0)" },
            isCardRemoved ? "its original was removed" : nil,
        ]
        return cells + [notes.compactMap { $0?.said }.joined(separator: "  ")]
    }

    /// A table of what is noted, for somebody who asks who has a document.
    fileprivate static func table(_ shares: [Share]) -> String {
        let keys = [
            "recipient", "purpose", "until", "revoked", "note", "text", "width", "height", "bytes", "sha256", "hidden",
        ]
        var writer = CSVWriter()
        writer.row(["id", "time", "name"] + keys)
        for share in shares {
            let name = String(decoding: share.name, as: UTF8.self)
            writer.row([hexText(share.id.bytes), timeText(share.time), name] + keys.map { share.texts[$0] ?? "" })
        }
        return writer.text
    }

    fileprivate var json: JSON {
        func noted(_ keys: String...) -> JSON { .object(keys.map { ($0, texts[$0].json) }) }
        func number(_ key: String) -> JSON { [key: texts[key].flatMap { Int64($0) }] }
        return JSON(
            joining: head, noted("recipient", "purpose", "until"), ["card_removed": isCardRemoved],
            noted("revoked", "note", "layout", "text"), number("width"), number("height"), number("bytes"),
            noted("sha256"), number("quality"), number("revision"), ["hidden": JSON.list(hidden.map(\.json))])
    }

    /// The members that tell which copy it is.
    var head: JSON {
        JSON(
            joining: ["id": id, "attachment": attachment], .path(BytePath(name), key: "name"),
            ["card": card, "time": time])
    }
}
