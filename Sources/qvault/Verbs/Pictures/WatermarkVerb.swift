import VaultCrypto
import VaultFormat
import Cards
import Pictures
import VaultStore
import Watermark

extension Verb {
    static let watermarkFile = Verb(
        name: "watermark file", summary: "mark a picture before it is shared; the original stays as it is",
        operands: "IN… -o OUT", operandCount: 1...Int.max,
        options: CopyTarget.options + Option.mark + Option.copyLimits,
        example: (
            "qvault watermark file id-front.jpg --recipient 招商银行 --purpose 开户 -o marked.jpg",
            "JPEG, PNG, PDF, HEIC, WebP, TIFF; JPEG, PNG and scans stay as they are but for strokes; GPS and names go"
        )
    ) { arguments in
        let target = try CopyTarget("watermark file", arguments, isNamed: true)
        let profile = try MarkProfile(arguments)
        let (text, limits) = (try profile.textNow(), try MarkedCopy.Limits(arguments))
        let seed = try SeedFile.seed()
        let document = try OutgoingDocument(target)
        var out = StandardOutput()
        var written: Set<BytePath> = []
        var made: [(source: BytePath, copy: OutgoingCopy)] = []
        for source in arguments.operands.map(BytePath.init) {
            var random = SystemRandom()
            let picture = try FilePicture(source)
            var order = MarkedCopy.Order(
                text, profile.style, original: Array(try picture.sha256()[..<16]), share: try random.bytes(16),
                limits: limits)
            try order.take(arguments, isLook: target.isPreview)
            let copy = try target.undoingFolder {
                try outgoing(picture, order, seed, for: target, besides: written, in: document, arguments)
            }
            made.append((source, copy))
            if document != nil { continue }
            guard let path = copy.path else {
                if target.isPreview {
                    try TerminalGraphics.draw(copy.bytes, source.lastComponent)
                } else {
                    let bytes = copy.bytes
                    try out.write(bytes.span)
                }
                continue
            }
            written.insert(path)
            try copy.publish()
            try report(copy, of: source, as: path, into: &out, arguments)
        }
        if let document {
            try document.finish(replacing: arguments.has(.force))
            try document.publish()
            for one in made { try report(one.copy, of: one.source, as: document.path, into: &out, arguments) }
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
            let members = JSON.path(source, key: "source") + JSON.path(path, key: "file") + made.members
            try out.write(JSON.object(members).line + "\n")
        }
        let copy = made.copy
        if copy.pages.isEmpty {
            Messages.done("marked \(source) as \(path) (\(copy.picture.width) × \(copy.picture.height))", arguments)
        } else {
            Messages.done("marked \(source) as \(path); pages: \(copy.pages.count)", arguments)
        }
    }

    private static func outgoing(
        _ picture: FilePicture, _ order: MarkedCopy.Order, _ seed: borrowing WatermarkSeed, for target: CopyTarget,
        besides taken: Set<BytePath>, in document: OutgoingDocument?, _ arguments: Arguments
    ) throws -> OutgoingCopy {
        do {
            if let document { return try document.add(picture, order, seed: seed, arguments) }
            return try OutgoingCopy(
                of: picture, order, seed: seed, named: picture.path.lastComponent, for: target, besides: taken,
                arguments)
        } catch let error as MarkError { throw error.failure(picture.path.description, picture) }
    }

    static let watermarkSet = Verb(
        name: "watermark set", summary: "say what mark an attachment is shown and shared with",
        operands: "ATTACHMENT…", operandCount: 1...Int.max,
        options: [.vault, .markPreview, .json, .wait] + Option.mark + Option.use,
        example: (
            "qvault watermark set id-front.jpg --template bank --recipient 招商银行 --purpose 开户",
            "'attach show' and 'share' draw it; 'get' gives the original"
        )
    ) { arguments in try change(arguments) { _, _ in nil } }

    static let watermarkEdit = Verb(
        name: "watermark edit", summary: "change the mark of an attachment: only what the options say",
        operands: "ATTACHMENT…", operandCount: 1...Int.max,
        options: [.vault, .markPreview, .json, .wait] + Option.mark + Option.use,
        example: ("qvault watermark edit id-front.jpg --opacity 0.4", "the rest of it stays as it is")
    ) { arguments in try change(arguments) { try mark(of: $0, in: $1) } }

    /// Sets or changes marks.
    ///
    /// - Parameter start: what the options change; nil for a new mark.
    private static func change(
        _ arguments: Arguments, from start: (Entry, Vault) throws -> MarkProfile?
    ) throws -> ExitCode {
        let path = try Session.vaultPath(arguments)
        if arguments.has(.preview), arguments.has(.json) {
            throw Failure(.usage, "watermark: --preview draws in the terminal, without --json")
        }
        return try withVault(path) {
            guard !arguments.has(.preview) else {
                let vault = try Session.open(path, arguments)
                for name in arguments.operands {
                    let entry = try AttachmentArguments.attachment(name, in: vault)
                    let profile = try MarkProfile(arguments, changing: start(entry, vault))
                    let picture = try draft(profile, on: entry, in: vault)
                    try TerminalGraphics.draw(picture, entry.overview.title)
                }
                return .done
            }
            let transaction = try Session.begin(path, arguments)
            let vault = transaction.before
            var out = StandardOutput()
            for name in arguments.operands {
                let entry = try AttachmentArguments.attachment(name, in: vault)
                let profile = try MarkProfile(arguments, changing: start(entry, vault))
                _ = try draft(profile, on: entry, in: vault)
                try transaction.setMark(profile, on: entry)
                if arguments.has(.json) { try out.write(profile.json(entry) + "\n") }
            }
            try Session.commit(transaction)
            try out.flush()
            Messages.done("attachments with a mark: \(arguments.operands.count)", arguments)
            Compaction.offer(vault, arguments)
            return .done
        }
    }

    static let watermarkShow = Verb.reading(
        name: "watermark show", summary: "what mark an attachment has", operands: "ATTACHMENT", operandCount: 1...1,
        options: [.markPreview, .json],
        example: ("qvault watermark show id-front.jpg --preview", "drawn in the terminal; without it, in words")
    ) { vault, arguments in
        let entry = try AttachmentArguments.attachment(arguments.operands[0], in: vault)
        let profile = try mark(of: entry, in: vault)
        if arguments.has(.preview) {
            try TerminalGraphics.draw(draft(profile, on: entry, in: vault), entry.overview.title)
        } else if arguments.has(.json) {
            try StandardOutput.print(profile.json(entry) + "\n")
        } else {
            try StandardOutput.print(profile.lines)
        }
        return .done
    }

    static let watermarkRemove = Verb.changing(
        name: "watermark rm", summary: "take the mark of an attachment away", operands: "ATTACHMENT…",
        operandCount: 1...Int.max,
        example: ("qvault watermark rm id-front.jpg", "the picture was never changed: it is shown as it is again")
    ) { transaction, arguments in
        let vault = transaction.before
        let named = try arguments.operands.map { try AttachmentArguments.attachment($0, in: vault) }
        let marked = try named.filter { try vault.mark(of: $0.id) != nil }
        for entry in marked { try transaction.setMark(nil, on: entry) }
        if !marked.isEmpty { try Session.commit(transaction) }
        Messages.done("marks removed: \(marked.count)", arguments)
        return .done
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

    fileprivate func json(_ attachment: Entry) -> String {
        return JSON.object(
            [("attachment", .text(hexText(attachment.id.bytes)))]
                + JSON.path(BytePath(attachment.overview.title), key: "name")
                + [
                    ("text", .text(text)), ("recipient", recipient.map { .text($0) } ?? .null),
                    ("purpose", purpose.map { .text($0) } ?? .null), ("angle", .real(style.angle)),
                    ("opacity", style.opacity.map { .real($0) } ?? .null),
                    ("size", style.size.map { .real($0) } ?? .null),
                    ("gap", .real(style.gap)),
                    ("ink", style.isLight.map { .text($0 ? "white" : "black") } ?? .null),
                    ("font", style.family.map { .text($0) } ?? .null), ("layout", .text(style.layout.rawValue)),
                    ("trace_all", .bool(style.isTracedAllOver)),
                    ("focus", style.focus.map { .text($0.text) } ?? .null),
                ]
        ).line
    }
}
