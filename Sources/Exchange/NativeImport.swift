import Cards
import Pictures
import VaultCrypto
import VaultFormat
import VaultStore
import Watermark

/// Reads what `NativeExport` wrote, line by line (Spec/product/export.md).
struct NativeImport {
    var batch = ImportBatch()
    private var budget = TextBudget()
    /// True once the first line was read.
    private(set) var hasHead = false

    /// - Parameter lines: each with its number, the first is 1.
    /// - Throws: `ImportError` for another format; a line that is wrong is a problem of its own.
    mutating func take(_ line: [UInt8], _ number: Int) throws {
        let place: Phrase = "line \(number)"
        try budget.takeRecord(line: number)
        // Each line is parsed by itself.
        var values = TextBudget()
        try values.takeValues(ofJSON: line.span)
        let record: JSON
        do { record = try JSON(parsing: line) } catch let error as MalformedText {
            guard hasHead else { throw MalformedText(error.what, line: number) }
            return batch.leaveOut(place, error.what)
        }
        guard hasHead else {
            try check(record)
            return hasHead = true
        }
        do {
            if let item = try item(record, place) { batch.items.append(item) }
        } catch let problem as ImportFileError {
            batch.leaveOut(place, problem.what)
        } catch let error as FormatError {
            batch.leaveOut(place, error.what)
        }
    }

    private func check(_ head: JSON) throws {
        guard head["format"]?.text == "quickvault-export" else {
            throw MalformedText("not an export of QuickVault", line: 1)
        }
        guard head["version"]?.number == 1 else {
            throw ImportError.unsupported(
                "the export is of a version that this program does not know", hint: "use a newer qvault")
        }
    }

    /// - Returns: nil where the fields of a card are wrong, which is noted.
    private mutating func item(_ record: JSON, _ place: Phrase) throws -> ImportItem? {
        guard let kind = record["kind"]?.text else { throw ImportFileError("kind: is missing") }
        let overview = try overview(record)
        let owner = try id(record["owner"])
        var item: ImportItem
        if kind == "attachment" {
            guard TreeName.isValid(overview.title) else { throw ImportFileError("title: is no name for a file") }
            item = ImportItem(place, overview, .attachment(try source(record), owner: owner))
        } else if kind == "setting" {
            item = ImportItem(place, overview, .setting(try setting(record)))
        } else if let number = Self.marks[kind] {
            let content = try bytes(record["content"]) ?? fields(record).bytes
            if number == .watermark { _ = try MarkProfile(parsing: content) }
            if number == .share { _ = try RecordFields(parsing: content) }
            guard number != .watermarkSeed || content.count == WatermarkSeed.byteCount else {
                throw ImportFileError("content: is no watermark seed")
            }
            item = ImportItem(place, overview, .other(kind: number, content, owner: owner))
        } else if let schema = Schema.named(kind) {
            guard let card = try card(record, schema, overview, place) else { return nil }
            item = ImportItem(place, overview, .card(card))
        } else {
            guard let number = UInt16(kind.dropFirst(5)).map(Entry.Kind.init), kind.hasPrefix("kind-"),
                Self.isForeign(number), let content = try bytes(record["content"])
            else { throw ImportFileError("kind: '\(printable(kind.utf8))' is no kind of records") }
            item = ImportItem(place, overview, .other(kind: number, content, owner: owner))
        }
        item.id = try id(record["id"])
        noteUnknown(in: record, place)
        if kind == "watermark", let owner, item.id == nil { item.id = try Vault.markID(of: owner) }
        if kind == "watermark-seed" { item.id = try Vault.seedRecordID() }
        let (created, updated) = (record["created"]?.timestamp, record["updated"]?.timestamp)
        if let created, let updated { (item.created, item.updated) = (created, updated) }
        let times = [("created", created == nil), ("updated", updated == nil), ("modified", overview.modified == nil)]
        for (name, isUnread) in times where isUnread && record[name].map({ !$0.isNull }) ?? false {
            batch.leaveOut(place, "\(name): is no time that can be kept")
        }
        return item
    }

    private static let members: Set<String> = [
        "kind", "id", "owner", "title", "title_hex", "group", "tags", "pinned", "created", "updated", "modified",
        "type", "overview", "content", "fields", "own", "value", "file", "sha256", "size",
    ]

    /// Names members that a reader passes over, since it does not know them.
    private mutating func noteUnknown(in record: JSON, _ place: Phrase) {
        var unknown = (record.members ?? []).map(\.0).filter { !Self.members.contains($0) }
        for field in record["own"]?.items ?? [] {
            unknown += (field.members ?? []).map(\.0).filter { !["label", "value", "sensitive"].contains($0) }.map {
                "own: \($0)"
            }
        }
        for name in unknown { batch.leaveOut(place, "\(printable(name.utf8)): is no member that is known") }
    }

    /// Kinds of what belongs to marks.
    private static let marks = [
        "watermark": Entry.Kind.watermark, "share": Entry.Kind.share, "watermark-seed": Entry.Kind.watermarkSeed,
    ]

    /// True if a number is that of no kind that has a name.
    private static func isForeign(_ kind: Entry.Kind) -> Bool {
        let known = [Entry.Kind.attachment, .thumbnail, .attachmentText, .setting] + marks.values
        return kind.rawValue > 15 && Schema.of(kind) == nil && !known.contains(kind)
    }

    private func id(_ value: JSON?) throws -> RecordID? {
        guard let text = value?.text else { return nil }
        guard let bytes = hexadecimalBytes(text), bytes.count == 16 else { throw ImportFileError("an id is 32 digits") }
        return RecordID(bytes)
    }

    private func bytes(_ value: JSON?) throws -> [UInt8]? {
        guard let text = value?.text else { return nil }
        let letters = Array(text.utf8)
        guard let bytes = Base64.decoded(letters.span) else { throw ImportFileError("content: is no base64") }
        return bytes
    }

    private func overview(_ record: JSON) throws -> Overview {
        let title = record["title"]?.text.map { Array($0.utf8) } ?? record["title_hex"]?.text.flatMap(hexadecimalBytes)
        guard let title, !title.isEmpty else { throw ImportFileError("title: is missing") }
        guard title.count <= Card.titleByteCount else { throw ImportFileError("title: is longer than 255 bytes") }
        var overview = Overview(title: title)
        overview.group = record["group"]?.text
        let tags = record["tags"].flatMap { $0.isNull ? nil : $0.items ?? [$0] } ?? []
        overview.tags = tags.compactMap(\.text)
        guard overview.tags.count == tags.count else { throw ImportFileError("tags: are no list of texts") }
        overview.isPinned = record["pinned"]?.flag ?? false
        overview.modified = record["modified"]?.text.flatMap { Int64($0) }.map(FileTime.init)
        if record["kind"]?.text == "attachment" { overview.mediaType = record["type"]?.text }
        for name in overview.tags + [overview.group].compactMap(\.self) {
            if let what = Card.complaint(aboutName: name) { throw ImportFileError("'\(printable(name.utf8))' \(what)") }
        }
        if let more = try bytes(record["overview"]) { try overview.setUnknown(more) }
        return overview
    }

    private mutating func card(
        _ record: JSON, _ schema: Schema, _ overview: Overview, _ place: Phrase
    ) throws -> Card? {
        if let content = try bytes(record["content"]) {
            return Card(schema: schema, overview: overview, fields: try RecordFields(parsing: content))
        }
        if let what = Card.complaint(aboutName: String(decoding: overview.title, as: UTF8.self)) {
            throw ImportFileError("title: \(what)")
        }
        let fields = try fields(record)
        // A record that a vault exported is taken as it is; one that a person wrote is checked.
        let card = Card(schema: schema, overview: overview, fields: fields)
        guard record["id"] == nil else { return card }
        var checked = Card(schema: schema, overview: overview)
        var wrong = checked.set(fields.texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        wrong += checked.add(fields.own)
        wrong += checked.missing(besides: wrong)
        for complaint in wrong { batch.leaveOut(place, "\(complaint.key): \(complaint.what)") }
        return wrong.isEmpty ? checked : nil
    }

    private func fields(_ record: JSON) throws -> RecordFields {
        var fields = RecordFields()
        guard record["fields"].map({ $0.members != nil || $0.isNull }) ?? true else {
            throw ImportFileError("fields: is no object")
        }
        for (key, value) in record["fields"]?.members ?? [] {
            guard let text = value.text else { throw ImportFileError("\(key): is no text") }
            fields.texts[key] = text
        }
        for field in record["own"]?.items ?? [] {
            guard let label = field["label"]?.text, let value = field["value"]?.text else {
                throw ImportFileError("own: a field has a label and a value")
            }
            fields.own.append(.init(label: label, value: value, isSensitive: field["sensitive"]?.flag ?? false))
        }
        return fields
    }

    private func setting(_ record: JSON) throws -> Setting {
        let name = record["title"]?.text ?? ""
        if let what = Setting.complaint(aboutName: name) { throw ImportFileError("'\(printable(name.utf8))' \(what)") }
        if let content = try bytes(record["content"]) { return try Setting(parsing: content) }
        let value = record["value"]
        let parsed: Setting.Value? =
            switch record["type"]?.text {
            case "text": value?.text.map { .text($0) }
            case "secret": value?.text.map { .secret($0) }
            case "number": value?.text.flatMap { ExactDecimal($0) }.map { .number($0) }
            case "flag": value?.flag.map { .flag($0) }
            case "list": value?.items.map { .list($0.compactMap(\.text)) }
            case "file": try bytes(value).map { .file($0) }
            default: nil
            }
        guard let parsed else { throw ImportFileError("value: is none of its type") }
        return Setting(parsed)
    }

    private func source(_ record: JSON) throws -> ImportItem.AttachmentSource {
        if let content = try bytes(record["content"]) {
            if let hash = record["sha256"]?.text, try fingerprint(content) != hash {
                throw ImportFileError("content: is not what was exported")
            }
            return .bytes(content)
        }
        guard let file = record["file"]?.text,
            file.utf8.split(separator: 0x2F).allSatisfy({ TreeName.isValid(Array($0)) }), file.utf8.first != 0x2F
        else { throw ImportFileError("file: is missing, or no path beneath the folder") }
        return .file(BytePath(file), sha256: record["sha256"]?.text)
    }
}

extension ImportBatch {
    /// Records from the lines that `NativeExport` wrote.
    ///
    /// - Throws: `ImportError`.
    public init(native bytes: [UInt8]) throws {
        var work = NativeImport()
        var number = 0
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            number += 1
            if end > start { try work.take(Array(bytes[start..<end]), number) }
            start = end + 1
        }
        guard work.hasHead else { throw MalformedText("nothing is in it", line: 1) }
        self = work.batch
    }
}

extension Card {
    /// Adds fields of one's own that a person or a program wrote; two of one label get numbers.
    ///
    /// - Returns: what is wrong, all of it.
    fileprivate mutating func add(_ own: [RecordFields.CustomField]) -> [Complaint] {
        var labels = FreeLabels(self)
        return own.filter { !$0.value.isEmpty }.flatMap { field in
            let label = labels.free(field.label)
            guard fields.own.count < Self.ownFieldCount else {
                return [Complaint(key: label, what: "is one field too many: 256 at most")]
            }
            let wrong = set([(label, field.value)])
            if fields.own.last?.label == label { fields.own[fields.own.count - 1].isSensitive = field.isSensitive }
            return wrong
        }
    }
}
