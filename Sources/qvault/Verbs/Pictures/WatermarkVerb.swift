import VaultCrypto
import VaultFormat
import Cards
import Pictures
import VaultStore
import Watermark

extension Verb {
    static let watermarkFile = Verb(
        name: "watermark file", summary: "mark a picture before it is shared; the original stays as it is",
        operands: "IN… -o OUT",
        options: CopyTarget.options + [.hide, .until, .sign] + Option.mark + Option.copyLimits,
        example: "qvault watermark file id-front.jpg --recipient 招商银行 --purpose 开户 -o marked.jpg",
        note:
            "JPEG, PNG, PDF, HEIC, WebP, TIFF; besides strokes a copy bears a signal that nobody sees; GPS and names go"
    ) { arguments in
        let target = try CopyTarget("watermark file", arguments, isNamed: true)
        let profile = try MarkProfile(arguments)
        let limits = try MarkedCopy.Limits(arguments)
        // The text is looked at before anything is made.
        _ = try profile.textNow(arguments)
        let seed = try target.isPreview ? .ofNobody() : SeedFile.seed()
        let copies = try OutgoingCopies(target, arguments)
        var out = StandardOutput()
        var made: [(source: BytePath, copy: OutgoingCopy)] = []
        for source in arguments.operands.map(BytePath.init) {
            var random = SystemRandom()
            let picture = try FilePicture(source)
            var order = try MarkedCopy.Order(
                profile, original: Array(try picture.sha256()[..<16]), share: try random.bytes(16), limits, arguments,
                isLook: target.isPreview)
            if arguments.has(.sign) { try order.sign(profile, arguments, by: seed) }
            let copy = try target.undoingFolder {
                try copies.add(picture, order, seed: seed, named: source.lastComponent, shown: source.description)
            }
            made.append((source, copy))
            if copies.isDocument { continue }
            try copy.publish()
            if let path = copy.path {
                try report(copy, of: source, as: path, into: &out, arguments)
            } else if target.isPreview {
                try target.show(copy.bytes, source.lastComponent)
            } else {
                let bytes = copy.bytes
                try out.write(bytes.span)
            }
        }
        if copies.isDocument, let path = made.last?.copy.path {
            try copies.finish()
            try made.last?.copy.publish()
            for one in made { try report(one.copy, of: one.source, as: path, into: &out, arguments) }
        }
        try out.flush()
        return .done
    }

    /// Says what was made.
    private static func report(
        _ made: OutgoingCopy, of source: BytePath, as path: BytePath, into out: inout StandardOutput,
        _ arguments: Arguments
    ) throws {
        if arguments.has(.json) {
            let json = JSON(joining: .path(source, key: "source"), .path(path, key: "file"), made.members)
            try out.write(json.line + "\n")
        }
        let (picture, pages) = (made.copy.picture, made.copy.pages.count)
        Messages.done(
            pages == 0
                ? "marked \(source) as \(path) (\(picture.width) × \(picture.height))"
                : "marked \(source) as \(path); pages: \(pages)")
    }

    static let watermarkSet = Verb.at(
        name: "watermark set", summary: "say what mark an attachment is shown and shared with", operands: "ATTACHMENT…",
        options: [.vault, .markPreview, .json, .wait] + Option.mark + Option.use,
        example: "qvault watermark set id-front.jpg --template bank --recipient 招商银行 --purpose 开户",
        note: "'attach show' and 'share' draw it; 'get' gives the original"
    ) { path, arguments in try change(path, arguments) { _, _ in nil } }

    static let watermarkEdit = Verb.at(
        name: "watermark edit", summary: "change the mark of an attachment: only what the options say",
        operands: "ATTACHMENT…", options: [.vault, .markPreview, .json, .wait] + Option.mark + Option.use,
        example: "qvault watermark edit id-front.jpg --opacity 0.4", note: "the rest of it stays as it is"
    ) { path, arguments in try change(path, arguments) { try mark(of: $0, in: $1) } }

    /// Sets or changes marks.
    ///
    /// - Parameter start: what the options change; nil for a new mark.
    private static func change(
        _ path: BytePath, _ arguments: Arguments, from start: (Entry, Vault) throws -> MarkProfile?
    ) throws -> ExitCode {
        if arguments.has(.preview), arguments.has(.json) {
            throw Failure(.usage, "watermark: --preview draws in the terminal, without --json")
        }
        let transaction = try arguments.has(.preview) ? nil : Session.begin(path, arguments)
        let vault = try transaction?.before ?? Session.open(path, arguments)
        var out = StandardOutput()
        for name in arguments.operands {
            let entry = try AttachmentArguments.attachment(name, in: vault)
            let profile = try MarkProfile(arguments, changing: start(entry, vault))
            let picture = try draft(profile, on: entry, in: vault)
            if transaction == nil { try TerminalGraphics.draw(picture, entry.overview.title) }
            try transaction?.setMark(profile, on: entry)
            if arguments.has(.json) { try out.write(profile.json(entry).line + "\n") }
        }
        guard let transaction else { return .done }
        try Session.commit(transaction)
        try out.flush()
        Messages.done("attachments with a mark: \(arguments.operands.count)")
        Compaction.offer(vault)
        return .done
    }

    static let watermarkShow = Verb.reading(
        name: "watermark show", summary: "what mark an attachment has", operands: "ATTACHMENT",
        options: [.markPreview, .json],
        example: "qvault watermark show id-front.jpg --preview", note: "drawn in the terminal; without it, in words"
    ) { vault, arguments in
        let entry = try AttachmentArguments.attachment(arguments.operands[0], in: vault)
        let profile = try mark(of: entry, in: vault)
        if arguments.has(.preview) {
            try TerminalGraphics.draw(draft(profile, on: entry, in: vault), entry.overview.title)
        } else if arguments.has(.json) {
            try StandardOutput.print(profile.json(entry))
        } else {
            try StandardOutput.show(profile.lines)
        }
        return .done
    }

    static let watermarkRemove = Verb.changing(
        name: "watermark rm", summary: "take the mark of an attachment away", operands: "ATTACHMENT…",
        example: "qvault watermark rm id-front.jpg", note: "the picture was never changed: it is shown as it is again"
    ) { transaction, arguments in
        let vault = transaction.before
        let named = try arguments.operands.map { try AttachmentArguments.attachment($0, in: vault) }
        let marked = try named.filter { try vault.mark(of: $0.id) != nil }
        for entry in marked { try transaction.setMark(nil, on: entry) }
        if !marked.isEmpty { try Session.commit(transaction) }
        return Messages.done("marks removed: \(marked.count)")
    }

    private static func mark(of entry: Entry, in vault: Vault) throws -> MarkProfile {
        guard let profile = try vault.mark(of: entry.id) else {
            throw Failure(
                .notFound, "'\(printable(entry.overview.title))' has no mark",
                hint: "'qvault watermark set' gives it one")
        }
        return profile
    }

    /// An attachment as it looks with a mark.
    private static func draft(_ profile: MarkProfile, on entry: Entry, in vault: Vault) throws -> [UInt8] {
        var content = try vault.content(of: entry, limit: Vault.maximumAttachmentByteCount)
        defer { wipeBytes(&content) }
        do {
            return try profile.drafted(on: content, entry.id, seed: vault.watermarkSeed() ?? .ofNobody())
        } catch let error as MarkError {
            throw error.failure(printable(entry.overview.title), content)
        }
    }
}

extension MarkProfile {
    /// Its text and style, by key; nil for a default.
    private var rows: [(key: String, value: String?)] {
        let usual: Phrase = "auto"
        return [
            ("text", text), ("recipient", recipient), ("purpose", purpose),
            ("angle", MarkStyle.text(style.angle)),
            ("opacity", style.opacity.map(MarkStyle.text) ?? usual.said),
            ("size", style.size.map(MarkStyle.text) ?? usual.said), ("gap", MarkStyle.text(style.gap)),
            ("ink", style.isLight.map { $0 ? "white" : "black" } ?? usual.said), ("font", style.family ?? usual.said),
            ("layout", style.layout.rawValue), ("trace", style.isTracedAllOver ? "all" : "strokes"),
            ("focus", style.focus?.text),
        ]
    }

    fileprivate var lines: String {
        rows.map { row in
            let lines = (row.value ?? "-").split(separator: "\n").map { printable($0.utf8) + "\n" }
            return padded(row.key, 11) + lines.joined(separator: padded("", 11))
        }.joined()
    }

    fileprivate func json(_ attachment: Entry) -> JSON {
        JSON(
            joining: ["attachment": attachment.id], .path(BytePath(attachment.overview.title), key: "name"),
            [
                "text": text, "recipient": recipient, "purpose": purpose, "angle": style.angle,
                "opacity": style.opacity, "size": style.size, "gap": style.gap,
                "ink": style.isLight.map { $0 ? "white" : "black" }, "font": style.family,
                "layout": style.layout.rawValue, "trace_all": style.isTracedAllOver, "focus": style.focus?.text,
            ])
    }
}
