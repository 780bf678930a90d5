import Cards
import Values
import VaultFormat
import VaultStore

/// The names of copies that are given away: `张三-身份证-正面-招商银行-2026-11-25.jpg`.
struct CopyNames {
    /// Cards by id, and how many attachments each has.
    private let cards: [RecordID: Entry]
    private let counts: [RecordID: Int]

    /// Bytes of a part of a name, at most.
    private static let partByteCount = 60
    /// Kinds of cards whose name says nothing of what they hold.
    private static let plainKinds: Set = ["text", "note"]

    init(_ vault: Vault) throws {
        let entries = try vault.entries()
        cards = Dictionary(entries.filter(\.isCard).map { ($0.id, $0) }) { first, _ in first }
        counts = Dictionary(
            entries.filter(\.isAttachment).compactMap { $0.parent.map { ($0, 1) } }, uniquingKeysWith: +)
    }

    /// The name of an attachment's copies, but for whom they are: whose card it is, of what kind, and which of its attachments.
    func name(of attachment: Entry) -> [UInt8] {
        let name = attachment.overview.title
        let dot = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil } ?? name.count
        guard let card = attachment.parent.flatMap({ cards[$0] }),
            let stem = String(validating: name[..<dot], as: UTF8.self)
        else { return name }
        return Array(Self.joined(words(of: card) + (counts[card.id] == 1 ? [] : [stem])).utf8) + name[dot...]
    }

    /// The name of a page with several, without an ending: whose cards they are, and of what kinds.
    func name(of attachments: [Entry]) -> [UInt8] {
        let owners = Set(attachments.compactMap(\.parent)).compactMap { cards[$0] }.sorted { $0.title < $1.title }
        return Array(Self.joined(owners.flatMap(words)).utf8)
    }

    /// The title of a card, and its kind where that says something.
    private func words(of card: Entry) -> [String] {
        guard let schema = Schema.of(card.kind), !Self.plainKinds.contains(schema.name) else { return [card.title] }
        return [card.title, schema.label.said]
    }

    /// Parts with hyphens between them; one that another part says too is left out.
    private static func joined(_ parts: [String]) -> String {
        let words = parts.map(part).filter { !$0.isEmpty }
        let kept = words.indices.filter { place in
            !words.indices.contains { other in
                other != place && words[other].contains(words[place]) && (words[other] != words[place] || other < place)
            }
        }
        return kept.map { words[$0] }.joined(separator: "-")
    }

    /// For whom and of which day a copy is: `招商银行-2026-11-25`; nil where nobody is named.
    static func suffix(for recipient: String?) -> String? {
        guard let recipient, !recipient.isEmpty else { return nil }
        let who = part(recipient)
        return who.isEmpty ? Machine.today.text : who + "-" + Machine.today.text
    }

    /// A text as a part of a file's name: without points at its start, which hide a file.
    private static func part(_ text: String) -> String {
        var part = ""
        for character in text.trimmed.drop(while: { $0 == "." }) {
            let isPlain = character != "/" && !character.isWhitespace && terminalSafe("\(character)") == "\(character)"
            let next = isPlain ? character : "_"
            guard part.utf8.count + next.utf8.count <= partByteCount else { break }
            part.append(next)
        }
        return part
    }
}
