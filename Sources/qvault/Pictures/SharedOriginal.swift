import Cards
import Pictures
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import Watermark

/// An attachment, or a page of several, of which copies are made.
struct SharedOriginal {
    /// The attachments that it shows: one, or several on a page.
    let entries: [Entry]
    /// The name of copies, but for whom they are.
    let name: [UInt8]
    /// The page of which a copy is made; nil for the attachment alone.
    let page: DrawnSheet?
    /// The names of what it shows.
    let shown: [UInt8]

    /// The attachment, or the first one of the page: the copy is noted with it.
    var entry: Entry { entries[0] }

    /// All that the arguments ask for.
    static func all(_ arguments: Arguments, in vault: Vault) throws -> [SharedOriginal] {
        let entries = try AttachmentArguments.attachments(arguments, in: vault)
        let names = try CopyNames(vault)
        guard
            let arrangement: Sheet.Arrangement = try arguments.value(.layout, or: "share: --layout takes a4 or a4-grid")
        else {
            return entries.map {
                SharedOriginal(entries: [$0], name: names.name(of: $0), page: nil, shown: $0.overview.title)
            }
        }
        if let document = entries.first(where: { $0.overview.mediaType == MediaType.pdf.rawValue }) {
            throw Failure(
                .invalid, "\(printable(document.overview.title)): a PDF has pages of its own: without --layout")
        }
        // The back of a card stands below its front.
        let isBack = { (entry: Entry) in
            ["back", "反面", "背面"].contains { entry.title.lowercased().contains($0) }
        }
        let ordered =
            arguments.operands.count == 1 ? entries.filter { !isBack($0) } + entries.filter(isBack) : entries
        do {
            guard
                let page = try vault.sheet(
                    of: ordered, arrangement, hiding: HiddenFields.hiding(arguments, of: ordered, in: vault),
                    isSigned: !arguments.has(.noSign), decoder: .chosen(arguments))
            else {
                throw Failure(
                    .invalid, "so many pictures do not fit on one page: \(entries.count)",
                    hint: arrangement == .grid
                        ? "name those that are to be on it; --no-sign leaves more room"
                        : "name those that are to be on it; --layout a4-grid puts two abreast, --no-sign leaves more room"
                )
            }
            let shown = Array(ordered.map(\.overview.title).joined(separator: Array(" + ".utf8)))
            return [SharedOriginal(entries: ordered, name: names.name(of: ordered), page: page, shown: shown)]
        } catch let error as MarkError {
            throw Failure(.invalid, "no page of them: one \(error.reason)", hint: error.hint(nil))
        }
    }

    func copy(
        _ vault: Vault, _ order: MarkedCopy.Order, _ seed: borrowing WatermarkSeed, into copies: OutgoingCopies,
        _ suffix: String?
    ) throws -> OutgoingCopy {
        var content = try page?.jpeg ?? vault.content(of: entry, limit: Vault.maximumAttachmentByteCount)
        defer { wipeBytes(&content) }
        return try copies.add(
            content, order, seed: seed, named: name, shown: printable(shown), suffix: suffix)
    }
}
