import VaultCrypto
import VaultFormat
import Cards
import Pictures
import Exchange
import VaultIO
import VaultStore

/// What an import took, for a person who wants to delete the source (Spec/product/export.md, 7). It holds no value of a
/// field: a hash of a card would let a weak password be guessed.
struct ImportReport {
    private let members: [(String, JSON)]

    init(_ input: ImportInput, _ batch: ImportBatch, _ outcome: ImportOutcome, isDryRun: Bool) throws {
        var (cards, fields, files, byteCount) = (0, 0, 0, 0)
        var records: [JSON] = []
        for (index, item) in batch.items.enumerated() {
            guard let id = outcome.records[index] else { continue }
            var own: [(String, JSON)] = [("place", .text(item.place.description)), ("id", .text(hexText(id.bytes)))]
            if case .card(let card) = item.content {
                (cards, fields) = (cards + 1, fields + card.lines.count)
                own += [("kind", .text(card.schema.name)), ("fields", .integer(Int64(card.lines.count)))]
            }
            if item.isDeleted { own.append(("trash", .bool(true))) }
            let attachments = try item.attachments.map { file in
                (files, byteCount) = (files + 1, byteCount + file.content.count)
                var members: [(String, JSON)] = [
                    ("name", .text(String(decoding: file.name, as: UTF8.self))),
                    ("size", .integer(Int64(file.content.count))),
                ]
                if !item.texts.contains(file.name) {
                    members.append(("sha256", .text(hexText(try SHA256.hash(file.content.span)))))
                }
                return JSON.object(members)
            }
            if !attachments.isEmpty { own.append(("attachments", .list(attachments))) }
            records.append(.object(own))
        }
        func list(_ problems: [ImportProblem]) -> JSON {
            .list(
                problems.map {
                    .object([("place", .text($0.place.description)), ("what", .text($0.what.description))])
                })
        }
        members = [
            ("format", .text(input.format.rawValue)), ("dry_run", .bool(isDryRun)),
            ("source_size", .integer(Int64(input.bytes.count))),
            ("source_sha256", .text(hexText(try SHA256.hash(input.bytes.span)))),
            ("cards", .integer(Int64(cards))), ("fields", .integer(Int64(fields))),
            ("attachments", .integer(Int64(files))), ("attachment_bytes", .integer(Int64(byteCount))),
            ("added", .integer(Int64(outcome.added))), ("changed", .integer(Int64(outcome.changed))),
            ("unchanged", .integer(Int64(outcome.unchanged))), ("trash", .integer(Int64(outcome.deleted))),
            ("skipped", list(batch.problems)), ("notices", list(batch.notices)), ("records", .list(records)),
        ]
    }

    /// The report as a line of JSON.
    var line: String { JSON.object(members).line }

    /// - Throws: `VaultError.exists`; `IOError`.
    func write(to path: BytePath) throws {
        let new = try AtomicFile(path, Machine.store.files)
        try new.file.writeAll(Array((line + "\n").utf8).span, at: 0)
        try new.publish()
    }
}
