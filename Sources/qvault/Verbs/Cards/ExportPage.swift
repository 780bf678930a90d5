import Cards
import Values
import VaultFormat
import VaultStore

/// A page that shows what an export holds, for any browser: cards with their values, attachments and files as links
/// (Spec/product/export.md, 1).
struct ExportPage {
    let vault: Vault
    let records: [Entry]
    let files: TreeListing
    /// The paths of attachments beneath the folder of the export.
    let paths: [RecordID: String]

    /// Hands out the page in parts.
    ///
    /// - Throws: all that reading cards throws; what `put` throws.
    func write(_ put: (String) throws -> Void) throws {
        let title = Phrase("exported on \(Machine.today.text)").said.htmlEscaped
        try put(
            """
            <!DOCTYPE html>
            <html lang="\(Language.current.rawValue)"><head><meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width"><title>\(title)</title>
            <style>\(Self.style)</style></head><body><h1>\(title)</h1>
            <p>\(Phrase("Nothing here is encrypted: whoever has this folder can read it.").said.htmlEscaped)
            \(Phrase("Settings, marks and the notes of copies stand in records.jsonl alone.").said.htmlEscaped)</p>

            """)
        let attachments = Dictionary(grouping: records.filter(\.isAttachment), by: \.parent)
        let cards = Dictionary(grouping: records.filter(\.isCard), by: \.kind)
        for schema in Schema.cards {
            guard let members = cards[schema.kind] else { continue }
            try put("<h2>\(schema.label.said.htmlEscaped) <small>\(members.count)</small></h2>\n")
            for entry in members.sorted(by: { $0.title < $1.title }) {
                try put(section(vault.card(entry), entry, attachments[entry.id] ?? []))
            }
        }
        // A query may ask for attachments without their cards.
        let owners = Set(cards.values.joined().map(\.id))
        let alone = records.filter { $0.isAttachment && $0.parent.map(owners.contains) != true }.compactMap { entry in
            paths[entry.id].map { Self.link(Self.encoded(Array($0.utf8)), entry.title) }
        }
        let stored = files.filter { $0.entry.kind != .folder }.map { path, _ in
            Self.link("files/" + Self.encoded(path.bytes), path.description)
        }
        if !alone.isEmpty || !stored.isEmpty {
            try put(
                "<h2>\(Phrase("Files").said.htmlEscaped) <small>\(alone.count + stored.count)</small></h2>\n<ul>\n")
            for link in alone + stored { try put("<li>\(link)</li>\n") }
            try put("</ul>\n")
        }
        try put("</body></html>\n")
    }

    private func section(_ card: Card, _ entry: Entry, _ attachments: [Entry]) -> String {
        let marks = [entry.overview.group.map { "[\($0)]" }].compactMap(\.self) + entry.overview.tags.map { "#\($0)" }
        var html =
            "<section><h3>\(entry.title.htmlEscaped) <small>\(marks.joined(separator: " ").htmlEscaped)</small></h3>\n"
        html += "<table>\n"
        for line in card.lines {
            let label = (line.label?.said ?? line.key).htmlEscaped
            let value = (line.closedWord?.label.said ?? line.value).split(
                separator: "\n", omittingEmptySubsequences: false
            )
            .map { String($0).htmlEscaped }.joined(separator: "<br>")
            html += "<tr><th>\(label)</th><td>\(value)</td></tr>\n"
        }
        html += "</table>\n"
        for file in attachments.sorted(by: { $0.title < $1.title }) {
            guard let path = paths[file.id] else { continue }
            let address = Self.encoded(Array(path.utf8))
            let isShown = ["image/jpeg", "image/png", "image/webp"].contains(file.overview.mediaType)
            if isShown { html += "<a href=\"\(address)\"><img loading=\"lazy\" alt=\"\" src=\"\(address)\"></a>\n" }
            html += "<p>\(Self.link(address, file.title))</p>\n"
        }
        return html + "</section>\n"
    }

    private static func link(_ address: String, _ name: String) -> String {
        "<a href=\"\(address)\">\(name.htmlEscaped)</a>"
    }

    /// A path as an address has it: all bytes but letters, digits and `-._~/` by their numbers.
    private static func encoded(_ path: [UInt8]) -> String {
        path.map { byte in
            let isPlain =
                byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
            return isPlain || "-._~/".utf8.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + hexText([byte]).uppercased()
        }.joined()
    }

    private static let style = """
        body{font:15px/1.5 sans-serif;color:#222;max-width:52em;margin:2em auto;padding:0 1em}
        h1{font-size:1.4em}h2{font-size:1.15em;margin:2em 0 .4em;border-bottom:1px solid #bbb}h3{font-size:1em;margin:0 0 .3em}
        small{color:#666;font-weight:normal}section{margin:1em 0;padding:.8em 1em;border:1px solid #ddd;border-radius:6px}
        table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.1em .8em .1em 0;overflow-wrap:anywhere}
        th{font-weight:normal;color:#666;white-space:nowrap}img{max-width:16em;max-height:12em;margin:.5em .5em 0 0}p{margin:.2em 0}
        @media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}section{border-color:#444}th,small{color:#aaa}a{color:#8ab4f8}}
        """
}
