import Pictures
import Exchange
import Cards

/// What an import made, in a form that tests compare.
func cards(_ batch: ImportBatch) -> [Card] {
    batch.items.compactMap { if case .card(let card) = $0.content { card } else { nil } }
}

func own(_ card: Card?) -> [String] { (card?.fields.own ?? []).map { "\($0.label)=\($0.value)" } }

func said(_ batch: ImportBatch) -> [String] { batch.problems.map { "\($0.place): \($0.what)" } }

func files(_ batch: ImportBatch) -> [String] {
    batch.items.flatMap(\.attachments).map { file in
        "\(String(decoding: file.name, as: UTF8.self))=\(String(decoding: file.content, as: UTF8.self))"
    }
}

/// The XML that KeePass exports, with the parts of one database.
func keePass(_ body: String, meta: String = "", limit: Int = 5) throws -> ImportBatch {
    let text = """
        <KeePassFile><Meta>\(meta)</Meta><Root><Group><UUID>r</UUID><Name>Root</Name>\(body)</Group></Root></KeePassFile>
        """
    return try ImportBatch(keePass: Array(text.utf8), limit: limit)
}
