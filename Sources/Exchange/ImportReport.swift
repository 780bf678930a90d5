import Pictures
import VaultCrypto
import VaultFormat
import Cards

/// The report of an import, for a person who wants to delete the source (Spec/product/export.md, 7). It holds no value of a
/// field: a hash of a card would let a weak password be guessed.
package struct ImportReport {
    private let json: JSON

    /// - Parameters:
    ///   - format: the name of the format.
    ///   - source: what was read.
    /// - Throws: `CryptoError`.
    package init(
        _ format: String, _ source: [UInt8], _ batch: ImportBatch, _ outcome: ImportOutcome, isDryRun: Bool
    ) throws {
        var (cards, fields, files, byteCount) = (0, 0, 0, 0)
        var records: [JSON] = []
        for (index, item) in batch.items.enumerated() {
            guard let id = outcome.records[index] else { continue }
            let card: Card? = if case .card(let card) = item.content { card } else { nil }
            if let card { (cards, fields) = (cards + 1, fields + card.lines.count) }
            let attachments = try item.attachments.map { file in
                (files, byteCount) = (files + 1, byteCount + file.content.count)
                let json: JSON = [
                    "name": String(decoding: file.name, as: UTF8.self), "size": file.content.count,
                    "sha256": item.texts.contains(file.name) ? nil : hexText(try SHA256.hash(file.content.span)),
                ]
                return json.withoutNulls
            }
            let record: JSON = [
                "place": item.place, "id": id, "kind": card?.schema.name, "fields": card?.lines.count,
                "trash": item.isDeleted ? true : nil, "attachments": attachments.isEmpty ? nil : attachments,
            ]
            records.append(record.withoutNulls)
        }
        func list(_ problems: [ImportProblem]) -> [JSON] { problems.map { ["place": $0.place, "what": $0.what] } }
        json = [
            "format": format, "dry_run": isDryRun, "source_size": source.count,
            "source_sha256": hexText(try SHA256.hash(source.span)), "cards": cards, "fields": fields,
            "attachments": files, "attachment_bytes": byteCount, "added": outcome.added, "changed": outcome.changed,
            "unchanged": outcome.unchanged, "trash": outcome.deleted, "skipped": list(batch.problems),
            "notices": list(batch.notices), "records": records,
        ]
    }

    /// The report as a line of JSON.
    package var line: String { json.line }
}
