import VaultCrypto
import VaultFormat
import Cards
import Pictures
import VaultStore

extension Option {
    static let title = Option(.title, value: "TEXT", help: "what the card is called")
    static let group = Option(.group, value: "NAME", help: "the group it is in")
    static let tag = Option(.tag, value: "TAG", help: "a tag; may be given more than once", repeats: true)
    static let kind = Option(.kind, value: "KIND", help: "only cards of this kind")
    static let onlyGroup = Option(.group, value: "NAME", help: "only cards in this group")
    static let onlyTag = Option(.tag, value: "TAG", help: "only cards with this tag; of several all", repeats: true)
    static let stdout = Option(.stdout, help: "to standard output, and not to the clipboard")
    static let reveal = Option(.reveal, help: "show sensitive values too")
}

extension Verb {
    static let cardAdd = Verb.at(
        name: "card add", summary: "add a card; without fields it asks for each", operands: "[KIND [KEY=VALUE…]]",
        options: [.vault, .title, .group, .tag, Option(.pin, help: "list it first"), .wait, .json] + Option.use,
        example:
            "qvault card add address --title Home name=Li phone=13800138000 province=浙江省 city=杭州市 district=西湖区 address=文三路1号",
        note: "'card kinds' lists kinds and fields; values on the command line can be seen by other programs of yours"
    ) { path, arguments in
        let schema = try arguments.operands.first.map { try CardArguments.schema($0) } ?? CardForm.askKind()
        var card = Card(of: schema)
        let values = try CardArguments.fields(arguments.operands.dropFirst())
        let title = try arguments.name(.title)
        card.overview.group = try arguments.name(.group)
        card.overview.tags = try Card.tags(arguments.texts(.tag), "--tag")
        card.overview.isPinned = arguments.has(.pin)
        let key = try VaultSecret(path, arguments)
        guard values.isEmpty, Terminal.isPresent else {
            try card.take(values)
            card.overview.title = Array((title ?? card.defaultTitle(LocalizedLabel.spoken)).utf8)
            try add(card, path, key, arguments)
            return .done
        }
        // The vault's password first: a wrong one must not cost what was typed.
        let vault = try Session.open(path, key, arguments)
        let files = try CardForm.ask(&card, title: title, groups: vault.cardGroups())
        try CardForm.saving(to: path) { try add(card, path, key, arguments, files) }
        return .done
    }

    private static func add(
        _ card: Card, _ path: BytePath, _ key: VaultSecret, _ arguments: Arguments, _ files: [NewAttachment] = []
    ) throws {
        let transaction = try Session.begin(path, arguments, key: key)
        let id = try transaction.makeID()
        var card = card
        card.overview.group = try card.overview.group.map { try CardArguments.group($0, in: transaction.before) }
        try transaction.store(card, as: id)
        try transaction.attach(files, to: id)
        try Session.commit(transaction)
        let title = printable(card.overview.title)
        try Messages.done(
            files.isEmpty
                ? "added card '\(title)' to \(path)" : "added card '\(title)' with \(files.shownNames) to \(path)",
            arguments,
            json: ["id": id, "kind": card.schema.name, "title": card.title, "save": transaction.before.sequence + 1])
        Compaction.offer(transaction.before)
    }

    static let cardShow = Verb.reading(
        name: "card show", summary: "show a card, or one field of it", operands: "NAME",
        options: [
            Option(.field, value: "KEY", help: "this field's value alone, in full"), .reveal,
            Option(
                .qr, help: "draw a QR code: of a wireless network the one that telephones join it with, else of --field"
            ),
            Option(.qrOut, value: "FILE", help: "write that QR code as a picture, .png or .svg"), .json,
        ],
        example: "qvault card show Home --field phone",
        note: "the value and nothing else; 'copy' takes it to the clipboard"
    ) { vault, arguments in
        let entry = try CardArguments.card(arguments.operands[0], in: vault, kind: arguments.kind)
        let card = try vault.card(entry).hidingAmounts(arguments.has(.private))
        let isRevealed = arguments.has(.reveal)
        if arguments.has(.qr) || arguments.has(.qrOut) { return try draw(card, arguments) }
        if let key = arguments.text(.field) {
            let asked = try AskedField(key, of: card)
            // Asked for by name: in full, so that no script takes asterisks for the value.
            return try StandardOutput.print(raw: Terminal.shown(asked.value) + "\n")
        }
        let files = try vault.attachments(of: entry)
        if arguments.has(.json) { return try StandardOutput.print(card.json(entry, isRevealed: isRevealed, files)) }
        try StandardOutput.show(card.shown(isRevealed: isRevealed) + attachments(files, vault))
        if !isRevealed, card.lines.contains(where: \.isSensitive) { Messages.advise("--reveal shows what is hidden") }
        guard !arguments.has(.plain), TerminalGraphics.isDrawing else { return .done }
        for file in files {
            if let picture = try vault.thumbnail(of: file) { try TerminalGraphics.draw(picture, file.overview.title) }
        }
        return .done
    }.picking(.all)

    /// Draws a field, or a wireless network, as a QR code.
    private static func draw(_ card: Card, _ arguments: Arguments) throws -> ExitCode {
        guard !arguments.has(.json), !arguments.has(.reveal) else {
            throw Failure(.usage, "card show: --qr and --qr-out go without --json and --reveal")
        }
        let field = try arguments.text(.field).map { try AskedField($0, of: card).value }
        guard let text = field ?? card.wirelessNetwork else {
            throw Failure(.usage, "card show: a QR code holds one field", hint: "--field KEY names it")
        }
        let code = try QRCode(Secret(copying: Array(text.utf8).span))
        if let path = arguments.bytes(.qrOut).map(BytePath.init) {
            try checkFree([.qrOut], arguments)
            try code.write(to: path)
            Messages.done("wrote the QR code to \(path)")
        }
        return arguments.has(.qr) ? try StandardOutput.print(raw: code.text) : .done
    }

    /// What is attached to a card, a line each: name, type, size, and the mark's text.
    private static func attachments(_ entries: [Entry], _ vault: Vault) throws -> String {
        guard !entries.isEmpty else { return "" }
        let rows = try entries.map { entry in
            let mark = try vault.mark(of: entry.id).map { "  [\(printable($0.text.utf8))]" } ?? ""
            return [
                printable(entry.overview.title), "\(entry.overview.mediaType ?? "")  \(sizeText(entry.length))\(mark)",
            ]
        }
        return "\(Phrase("attachments:").said)\n" + inColumns(rows).map { "  \($0)\n" }.joined()
    }

    static let cardEdit = Verb.at(
        name: "card edit", summary: "change fields of a card: those given, or all at the terminal or in $EDITOR",
        operands: "NAME [KEY=VALUE…]",
        options: [.vault, .title] + CardPlacing.options + [.wait, .savesAsJSON] + Option.use,
        example: "qvault card edit Home phone=0571-88888888 postal_code=", note: "'history' keeps the card as it was"
    ) { path, arguments in
        let values = try CardArguments.fields(arguments.operands.dropFirst())
        let title = try arguments.name(.title)
        let placing = try CardPlacing(arguments)
        let key = try VaultSecret(path, arguments)
        // Nobody else waits while a person thinks.
        let isAsked = values.isEmpty && title == nil && placing.isEmpty
        let edited = try isAsked ? Editor.edit(path, arguments, key: key) : nil
        let transaction = try Session.begin(path, arguments, key: key)
        let entry = try CardArguments.card(
            arguments.operands[0], in: transaction.before, kind: arguments.kind, changes: true)
        let old = try transaction.before.card(entry)
        var card = try edited.map { $0.card.done(since: $0.old, to: old) } ?? old.changed(values, title: title)
        try placing.apply(to: &card.overview, in: transaction.before)
        // Text that only looks the same is another.
        guard card != old || card.fields.bytes != old.fields.bytes else {
            return Messages.done("no change: the card already has these values")
        }
        try transaction.store(card, as: entry.id)
        return try Session.commit(
            transaction, arguments, saying: "changed card '\(printable(card.overview.title))'", offersCompaction: true)
    }.picking(.all)

    static let cardRemove = Verb.at(
        name: "card rm", summary: "put cards into the trash, with what belongs to them", operands: "NAME…",
        options: [
            .vault, .find, Option(.purge, help: "take them out of this file for good, with all their versions"),
            .dryRun, .yes, .wait, .noProgress, .savesAsJSON,
        ] + Option.use,
        example: "qvault card rm Home", note: "'qvault undelete' brings it back"
    ) { path, arguments in
        let isPurge = arguments.has(.purge)
        let transaction = try Session.begin(path, arguments, key: VaultSecret(path, arguments, asksAgain: isPurge))
        let named =
            try arguments.operands.map {
                try CardArguments.card($0, in: transaction.before, kind: arguments.kind, changes: true)
            } + QueryArguments.foundCards(arguments, in: transaction.before)
        // A card that is named may be found too.
        var ids: Set<RecordID> = []
        let cards = named.filter { ids.insert($0.id).inserted }
        let before = try isPurge ? transaction.before.allEntries() : transaction.before.entries()
        var doomed = Vault.withDependents(cards, among: before)
        var seen: Set<RecordID> = []
        doomed = doomed.filter { seen.insert($0.id).inserted }
        if isPurge {
            let spared = Compaction.spared(doomed, named: [])
            let listing = try transaction.before.listing { seen.contains($0.id) && !spared.contains($0.id) }
            let changes = listing.map { RecordChange($0.path, .purged, $0.entry) }
            guard !arguments.has(.dryRun) else { return ShownSaves.plan(path, changes) }
            try Compaction.confirm(changes.count, arguments)
            let change = try Compaction.purge(changes, in: transaction, arguments)
            return Messages.done("records purged: \(changes.count), \(change)")
        }
        for entry in doomed { try transaction.trash(entry) }
        let parts = seen.count - Set(cards.map(\.id)).count
        return try Session.commit(
            transaction, arguments,
            saying: parts == 0
                ? "cards moved to the trash: \(seen.count)"
                : "cards moved to the trash: \(seen.count - parts), with what belongs to them: \(parts)",
            offersCompaction: true)
    }
}

extension Card {
    /// Applies the changes of the editor to the card as it is now; changes that somebody else made meanwhile are
    /// reported.
    fileprivate func done(since old: Card, to now: Card) -> Card {
        let (card, conflicts) = merged(since: old, into: now)
        for key in conflicts {
            Messages.say("\(printable(key.utf8)): was changed meanwhile too; 'qvault history' keeps the other value")
        }
        return card
    }

    /// Takes the values of a command line, by key or label; all that is wrong is said.
    mutating func take(_ values: [(key: String, value: String)]) throws {
        let values = keyed(values)
        try CardArguments.requireMeant(values, of: self)
        let wrong = set(values)
        _ = fillDerived()
        try CardArguments.require(wrong + missing(besides: wrong) + daysToCome, of: schema)
        for complaint in contradictions { Messages.say("warning: \(CardArguments.said(complaint))") }
    }

    /// What is wrong with its days by the clock of this machine.
    private var daysToCome: [Complaint] { complaintOfDays(after: Machine.today).map { [$0] } ?? [] }

    /// With other values, by key or label; all that is wrong is said.
    func changed(_ values: [(key: String, value: String)], title: String?) throws -> Card {
        var card = self
        let values = keyed(values)
        try CardArguments.requireMeant(values, of: card)
        let wrong = card.set(values) + card.daysToCome
        // A field that a newer program did not require is not required here either.
        let missing = card.missing(besides: wrong + self.missing(besides: []))
        try CardArguments.require(wrong + missing, of: schema)
        if let title { card.overview.title = Array(title.utf8) }
        card.followDerived(from: self)
        for complaint in card.contradictions where !contradictions.contains(complaint) {
            Messages.say("warning: \(CardArguments.said(complaint))")
        }
        return card
    }
}

extension VaultTransaction {
    /// Changes fields of a card; false where it has these values, or is not there.
    func change(_ id: RecordID, _ values: [(key: String, value: String)]) throws -> Bool {
        guard let entry = try entry(id) else { return false }
        let old = try before.card(entry)
        let card = try old.changed(values, title: nil)
        guard card != old else { return false }
        try put(card, as: id)
        return true
    }
}
