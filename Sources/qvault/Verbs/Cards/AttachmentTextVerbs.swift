import CSystem
import Cards
import Pictures
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import Watermark

extension Verb {
    static let attachRecognize = Verb.at(
        name: "attach ocr", summary: "read the text of attachments, for find to find it",
        operands: "[ATTACHMENT|CARD…]",
        options: [
            .vault, .find, .wait, .noProgress, .dryRun, .savesAsJSON, .languages,
            Option(.again, help: "also of those whose text is there"),
            Option(.clear, help: "put the texts into the trash; nothing is read"), .noSandbox,
        ] + Option.use,
        example: "qvault attach ocr 张三", note: "by pdftotext and tesseract; without a name all that have no text yet"
    ) { path, arguments in
        if arguments.has(.clear) { return try clear(path, arguments) }
        Saving.begin(path)
        let reader = try TextReader(arguments)
        let key = try VaultSecret(path, arguments)
        let vault = try Session.open(path, key, arguments)
        let wanted = try reader.wanted(in: vault, arguments)
        guard !arguments.has(.dryRun) else {
            if arguments.has(.json) { throw Failure(.usage, "attach ocr: -n names what would be read, without --json") }
            for entry in wanted { Messages.say("would read: \(printable(entry.overview.title))") }
            return .done
        }
        let (texts, isWhole) = try reader.texts(of: wanted, in: vault, arguments)
        var leftOut = reader.failedCount
        if !texts.isEmpty {
            // Reading took its time; what changed meanwhile has another text.
            let transaction = try Session.begin(path, arguments, key: key)
            for (entry, text) in texts {
                guard let now = try transaction.before.entry(entry.id), now.revision == entry.revision else {
                    leftOut += 1
                    Messages.say("\(printable(entry.overview.title)): changed meanwhile: its text is not stored")
                    continue
                }
                try transaction.put(text, of: entry.id, entry.overview.title)
            }
            if !transaction.isEmpty { try Session.commit(transaction) }
        }
        let silent = texts.filter { !$0.text.saysSomething }.count
        Messages.done("attachments read: \(texts.count); of them without any text: \(silent)")
        guard isWhole else {
            Messages.say("stopped: what was read is saved; 'qvault attach ocr' goes on")
            return .inPart
        }
        return leftOut > 0 ? .inPart : .done
    }

    static let attachText = Verb.reading(
        name: "attach text", summary: "show the text of an attachment that was read", operands: "ATTACHMENT",
        options: [.json], example: "qvault attach text id-front.jpg", note: "'qvault attach ocr' reads it"
    ) { vault, arguments in
        let entry = try AttachmentArguments.attachment(arguments.operands[0], in: vault)
        let name = printable(entry.overview.title)
        guard let text = try vault.text(of: entry) else {
            throw Failure(
                .notFound, "the text of '\(name)' was not read yet",
                hint: "'qvault attach ocr \(shellWord(entry.overview.title))' reads it")
        }
        let content = try vault.content(of: entry, limit: Vault.maximumAttachmentByteCount)
        let isOld = try !text.isText(of: content)
        if isOld { Messages.say("\(name): changed since its text was read; 'qvault attach ocr' reads it anew") }
        if arguments.has(.json) {
            let json: JSON = [
                "id": entry.id, "name": String(decoding: entry.overview.title, as: UTF8.self),
                "pages": text.pages.json, "is_old": isOld,
            ]
            return try StandardOutput.print(json.line + "\n")
        }
        var out = StandardOutput()
        for (number, page) in text.pages.enumerated() {
            if number > 0 { try out.write("\n") }
            for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
                try out.write(printable(line.utf8) + "\n")
            }
        }
        try out.flush()
        return .done
    }

    /// Takes texts away.
    private static func clear(_ path: BytePath, _ arguments: Arguments) throws -> ExitCode {
        guard ![.again, .languages].contains(where: { arguments.has($0) }) else {
            throw Failure(.usage, "attach ocr: --clear goes without --again and --languages")
        }
        let transaction = try Session.begin(path, arguments)
        let vault = transaction.before
        let named = try AttachmentArguments.attachmentsOrAll(arguments, in: vault)
        let texts = try named.compactMap { try vault.textEntry(of: $0) }
        for text in texts { try transaction.trash(text) }
        guard !arguments.has(.dryRun) else {
            Messages.done("texts that would go to the trash: \(texts.count)")
            return try Session.plan(transaction)
        }
        if !transaction.isEmpty { try Session.commit(transaction) }
        return Messages.done("texts moved to the trash: \(texts.count)")
    }
}

extension Option {
    static let languages = Option(
        .languages, value: "A+B…", help: "that pictures are in, by tesseract's names; else chi_sim+eng")
}

extension AttachmentArguments {
    /// The attachments that are named or found; all where none is asked for.
    static func attachmentsOrAll(_ arguments: Arguments, in vault: Vault) throws -> [Entry] {
        guard arguments.operands.isEmpty, !arguments.has(.find) else { return try attachments(arguments, in: vault) }
        return try vault.entries(where: \.isAttachment)
    }
}

/// Reads the text of files, one after the other, and says what cannot be read.
final class TextReader {
    private let decoder: DocumentDecoder
    private let languages: String
    /// Files that could not be read, each of which was named.
    private(set) var failedCount = 0

    /// - Throws: `Failure` where there is no decoder, or the languages are none.
    init(_ arguments: Arguments) throws {
        languages = try arguments.validText(.languages) ?? DocumentDecoder.usualLanguages
        let names = languages.split(separator: "+", omittingEmptySubsequences: false)
        let isWhole = names.allSatisfy { name in
            !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        }
        guard isWhole, languages.utf8.count <= 64 else {
            throw Failure(.usage, "--languages takes names as tesseract has them, with + between: chi_sim+eng")
        }
        guard let decoder = DocumentDecoder.chosen(arguments) else {
            let error = MarkError.noDecoder
            throw Failure(.invalid, "attach: the text of attachments \(error.reason)", hint: error.hint(nil))
        }
        self.decoder = decoder
    }

    /// The attachments that are to be read: those without a text, or with the text of what they were.
    func wanted(in vault: Vault, _ arguments: Arguments) throws -> [Entry] {
        let all = try AttachmentArguments.attachmentsOrAll(arguments, in: vault)
        let isNamed = !arguments.operands.isEmpty || arguments.has(.find)
        return try all.filter { entry in
            // Nobody asked for what is no picture or document.
            guard isNamed || entry.overview.mediaType != MediaType.other.rawValue else { return false }
            guard !arguments.has(.again) else { return true }
            return try !vault.hasText(
                of: entry, readFrom: vault.content(of: entry, limit: Vault.maximumAttachmentByteCount))
        }
    }

    /// The texts of attachments; false where the person stopped it.
    func texts(
        of entries: [Entry], in vault: Vault, _ arguments: Arguments
    ) throws -> (texts: [(entry: Entry, text: AttachmentText)], isWhole: Bool) {
        var texts: [(entry: Entry, text: AttachmentText)] = []
        do {
            try Progress.showing("read", total: entries.reduce(0) { $0 + $1.length }, arguments) { progress in
                var done: UInt64 = 0
                for entry in entries {
                    var content = try vault.content(of: entry, limit: Vault.maximumAttachmentByteCount)
                    defer { wipeBytes(&content) }
                    if let text = try text(of: content, entry.overview.title) { texts.append((entry, text)) }
                    done += entry.length
                    progress(done)
                }
            }
            return (texts, true)
        } catch VaultError.cancelled {
            qv_forget_interrupt()
            return (texts, false)
        }
    }

    /// The text of a file; nil, and said, where it cannot be read.
    ///
    /// - Throws: `Failure` where nothing can be read.
    func text(of content: [UInt8], _ name: [UInt8]) throws -> AttachmentText? {
        let reason: Phrase
        do {
            if let text = try AttachmentText(pages: decoder.text(of: content, languages: languages), of: content) {
                return text
            }
            reason = "has more than \(sizeText(UInt64(AttachmentText.byteCount))) of text"
        } catch let error as MarkError {
            guard !error.isOfMachine else { throw error.failure(printable(name), content) }
            reason = error.reason
        }
        Messages.say("\(printable(name)): not read: it \(reason)")
        failedCount += 1
        return nil
    }
}

extension MarkError {
    /// True if it is about what is installed, and not about a file.
    fileprivate var isOfMachine: Bool {
        switch self {
        case .noDecoder, .noProgram, .noLanguage, .noSandbox: true
        case .page(_, let error): error.isOfMachine
        default: false
        }
    }
}
