import VaultCrypto
import VaultFormat
import Cards
import Pictures
import VaultStore
import Watermark

extension Verb {
    static let attachAdd = Verb.at(
        name: "attach add", summary: "attach pictures or PDFs to a card", operands: "CARD FILE…",
        options: [
            .vault, .wait, .savesAsJSON,
            Option(
                .as, value: "NAME",
                help:
                    "what a file shows, as front or 正面: its name in the vault; may be repeated, for each file in its order",
                repeats: true),
            Option(.watermark, value: "TEXT", help: "what a mark says on all that is shown and shared of them"),
            Option(.ocr, help: "read their text too, as 'attach ocr' does"), .languages, .noSandbox,
        ] + Option.use,
        example: "qvault attach add Home id-front.jpg",
        note: "JPEG, PNG, HEIC, WebP, TIFF and PDF, by what is in them; 10 MiB at most"
    ) { path, arguments in
        let limit = try Config.attachmentLimit()
        // All are read before the vault is locked: what is wrong with one is said, and nothing is saved.
        let paths = arguments.operands.dropFirst().map { BytePath($0) }
        let names = try AttachmentArguments.names(paths, arguments.all(.as))
        let files = try zip(paths, names).map { path, name in
            try AttachmentArguments.attachment(path, as: name, limit: limit)
        }
        let mark = try arguments.validText(.watermark).map { try AttachmentArguments.mark($0, on: files) }
        if !arguments.has(.ocr), [.languages, .noSandbox].contains(where: { arguments.has($0) }) {
            throw Failure(.usage, "attach add: --languages and --no-sandbox go with --ocr")
        }
        guard Set(names).count == names.count else {
            throw Failure(.invalid, "two of the files have one name", hint: "--as gives them others")
        }
        let key = try VaultSecret(path, arguments)
        let reader = arguments.has(.ocr) ? try TextReader(arguments) : nil
        if reader != nil {
            // Reading takes its time: a wrong password or name is told before.
            _ = try CardArguments.card(arguments.operands[0], in: Session.open(path, key, arguments), changes: true)
        }
        let texts = try files.map { try reader?.text(of: $0.content, $0.name) }
        let transaction = try Session.begin(path, arguments, key: key)
        let vault = transaction.before
        let card = try CardArguments.card(arguments.operands[0], in: vault, changes: true)
        let entries = try vault.entries()
        for (file, text) in zip(files, texts) {
            let attached = try transaction.attach(file, to: card, among: entries, mark: mark, text: text)
            if attached.isReplaced { Messages.done("\(printable(file.name)): a new version of what was there") }
            if let obstacle = attached.obstacle {
                Messages.say("\(printable(file.name)): warning: stored, but without a thumbnail: it \(obstacle)")
            }
        }
        try Session.commit(transaction)
        Messages.done("attached to '\(printable(card.overview.title))': \(files.count)")
        Messages.advise("the files themselves stay where they are, unencrypted")
        if mark == nil, let picture = files.first {
            let what = files.count > 1 ? shellWord(card.overview.title) + " --layout a4" : shellWord(picture.name)
            Messages.advise("'qvault share \(what) --recipient NAME --purpose TEXT' gives a marked copy away")
        }
        Compaction.offer(vault)
        return reader?.failedCount ?? 0 == 0 ? .done : .inPart
    }

    static let attachList = Verb.reading(
        name: "attach list", summary: "list what is attached to a card, or to all", operands: "[CARD]",
        options: [.json],
        example: "qvault attach list Home", note: "one line a file: id, media type, size, card and name"
    ) { vault, arguments in
        let card = try arguments.operands.first.map { try CardArguments.card($0, in: vault) }
        let all = try Names.list(vault)
        let listing = all.selecting { $1.isAttachment && (card == nil || $1.parent == card?.id) }
        let pictured = Set(all.lazy.filter { $0.entry.kind == .thumbnail }.compactMap(\.entry.parent))
        let digits = listing.idDigitCount()
        return try StandardOutput.list(listing, arguments) { path, entry in
            AttachmentArguments.json(entry, path, hasThumbnail: pictured.contains(entry.id))
        } text: { path, entry in
            let type = padded(printable((entry.overview.mediaType ?? "").utf8), 15)
            return "\("\(entry.id)".prefix(digits))  \(type)  \(padded(sizeText(entry.length), 10))  \(path)"
        }
    }

    static let attachShow = Verb.at(
        name: "attach show", summary: "look at an attachment, without a file on any disk", operands: "NAME",
        options: [
            .vault, .moment, Option(.preview, help: "draw it in the terminal"),
            .graphics,
            Option(.viewer, value: "CMD", help: "the program to look with; else the configured one, or one found"),
        ] + Option.use,
        example: "qvault attach show id-front.jpg --preview", note: "'get' writes the file; --preview draws it here"
    ) { path, arguments in
        let isPreview = arguments.has(.preview) || arguments.has(.graphics)
        if isPreview, arguments.has(.viewer) {
            throw Failure(.usage, "attach show: --preview draws in the terminal, without a --viewer")
        }
        let graphics: TerminalGraphics? = try arguments.value(
            .graphics, or: "--graphics takes one of \(TerminalGraphics.names)")
        let vault = try Session.openAsOf(path, arguments)
        let entry = try AttachmentArguments.attachment(arguments.operands[0], in: vault)
        var content = try AttachmentArguments.shown(entry, in: vault, present: vault.reopened())
        defer { wipeBytes(&content) }
        if isPreview {
            try TerminalGraphics.draw(content, entry.overview.title, with: graphics)
        } else {
            try Viewer.show(content, entry, arguments.text(.viewer))
        }
        return .done
    }

    static let attachRemove = Verb.changing(
        name: "attach rm", summary: "put attachments into the trash", operands: "NAME…", options: [.find, .dryRun],
        example: "qvault attach rm id-front.jpg",
        note: "'qvault undelete' brings it back; 'purge' takes it out for good"
    ) { transaction, arguments in
        let vault = transaction.before
        let named =
            try arguments.operands.map { try AttachmentArguments.attachment($0, in: vault) }
            + QueryArguments.found(arguments, in: vault, where: \.isAttachment)
        let doomed = Vault.withDependents(named, among: try transaction.before.entries())
        var seen: Set<RecordID> = []
        for entry in doomed where seen.insert(entry.id).inserted { try transaction.trash(entry) }
        return try Session.commit(
            transaction, arguments, saying: "attachments moved to the trash: \(Set(named.map(\.id)).count)",
            offersCompaction: true)
    }
}

extension Option {
    static let graphics = Option(
        .graphics, value: "KIND", help: "draw with kitty, sixel or blocks; else what the terminal says")
}

/// A program of the person's for looking at pictures and documents.
private enum Viewer {
    private static let pictures = ["imv", "feh", "nsxiv", "sxiv", "eog", "gwenview", "display", "display-im6.q16"]
    private static let documents = ["zathura", "evince", "okular", "mupdf", "xpdf"]

    static func show(_ content: [UInt8], _ entry: Entry, _ given: String?) throws {
        let known = entry.overview.mediaType == MediaType.pdf.rawValue ? documents : pictures
        let hasScreen = environment("DISPLAY") != nil || environment("WAYLAND_DISPLAY") != nil
        guard let viewer = try given ?? Config.text(.viewer) ?? (hasScreen ? known.first(where: isInstalled) : nil)
        else {
            throw Failure(
                .failure, "no program to look at '\(printable(entry.overview.title))' with",
                hint: "--preview draws pictures in the terminal; --viewer CMD names a program")
        }
        let file = try MemoryFile("attachment")
        try file.write(content.span)
        guard file.run(viewer) else {
            throw Failure(.failure, "'\(printable(viewer.utf8))' failed", hint: "--viewer CMD names another program")
        }
    }
}
