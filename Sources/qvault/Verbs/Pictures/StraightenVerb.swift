import Cards
import Glibc
import Pictures
import VaultCrypto
import VaultFormat
import VaultStore
import Watermark

extension Verb {
    static let attachStraighten = Verb.at(
        name: "attach straighten", summary: "find the card in a photo, and keep the card alone, seen from above",
        operands: "NAME",
        options: [
            .vault,
            Option(.preview, help: "draw in the terminal what was found, and ask there before it is saved"),
            .graphics,
            Option(
                .corners, value: "X,Y,…",
                help: "where the card's corners are, in pixels, clockwise from its upper left: 8 numbers"),
            Option(.turn, value: "DEGREES", help: "then turn it clockwise: 90, 180 or 270"),
            Option(
                .as, value: "NAME", help: "keep it as another attachment, as 正面; else as a new version of the photo"),
            .noSandbox, .dryRun, .wait, .savesAsJSON,
        ] + Option.use,
        example: "qvault attach straighten id-front.jpg --preview",
        note: "what was found is printed: file, corners, pixels; the photo stays in the history"
    ) { path, arguments in
        let graphics: TerminalGraphics? = try arguments.value(
            .graphics, or: "--graphics takes one of \(TerminalGraphics.names)")
        let isPreview = arguments.has(.preview) || graphics != nil
        if isPreview, arguments.has(.json) {
            throw Failure(.usage, "attach straighten: --preview draws in the terminal, without --json")
        }
        let key = try VaultSecret(path, arguments)
        let vault = try Session.open(path, key, arguments)
        let photo = try AttachmentArguments.attachment(arguments.operands[0], in: vault)
        let card = try StraightenedCard(photo, in: vault, arguments)
        if !arguments.has(.json) { try StandardOutput.print(card.line + "\n") }
        if isPreview { try TerminalGraphics.draw(card.file.content, card.file.name, with: graphics) }
        if isPreview, !arguments.has(.dryRun), isatty(STDIN_FILENO) == 1, Terminal.isPresent,
            try !Terminal.confirm("is this the card, and the right way up?", standard: true)
        {
            throw Failure(
                .refused, "nothing was saved",
                hint: "--turn 90 turns it; --corners X,Y,… says where it is in the photo, in pixels")
        }
        let transaction = try Session.begin(path, arguments, key: key)
        let now = try transaction.before.entry(photo.id)
        guard now?.revision == photo.revision,
            let owner = try photo.parent.flatMap({ try transaction.before.entry($0) })
        else {
            throw Failure(.refused, "\(printable(photo.overview.title)): changed meanwhile", hint: "try again")
        }
        let entries = try transaction.before.entries()
        let isAnother = arguments.has(.as)
        // Another attachment of that name would get a new version that nobody asked for.
        guard
            !entries.contains(where: {
                $0.isAttachment && $0.parent == owner.id && $0.overview.title == card.file.name
                    && (isAnother || $0.id != photo.id)
            })
        else {
            throw Failure(
                .refused, "'\(printable(owner.overview.title))' already has '\(printable(card.file.name))'",
                hint: "--as gives the card another name")
        }
        let attached = try transaction.attach(
            card.file, to: owner, among: entries, mark: isAnother ? transaction.before.mark(of: photo.id) : nil,
            replacing: isAnother ? nil : photo)
        if let obstacle = attached.obstacle {
            Messages.say("\(printable(card.file.name)): warning: stored, but without a thumbnail: it \(obstacle)")
        }
        guard !arguments.has(.dryRun) else { return try Session.plan(transaction) }
        try Session.commit(transaction)
        Messages.done("straightened: \(printable(card.file.name))")
        if !attached.isReplaced { return .done }
        Messages.advise("'qvault undo' takes it back; 'qvault compact' would take the photo before out of the history")
        return .done
    }
}

/// The card of a photo that is attached.
private struct StraightenedCard {
    /// The JPEG that is stored, with its name.
    let file: NewAttachment
    private let corners: CardPhoto.Corners, width: Int, height: Int
    private let photo: Entry

    /// - Throws: `Failure` where no card is found.
    init(_ photo: Entry, in vault: Vault, _ arguments: Arguments) throws {
        self.photo = photo
        let name = printable(photo.overview.title)
        var content = try vault.content(of: photo, limit: Vault.maximumAttachmentByteCount)
        defer { wipeBytes(&content) }
        let kind = try photo.parent.flatMap { try vault.entry($0) }.flatMap { Schema.of($0.kind)?.name }
        do {
            if try DocumentDecoder.decodes(MediaType(content)) {
                guard let decoder = DocumentDecoder.chosen(arguments) else { throw MarkError.noDecoder }
                var picture = try decoder.picture(content)
                swap(&picture, &content)
                wipeBytes(&picture)
            }
            let seen = try CardPhoto(content, kind: kind)
            corners = try Self.corners(of: seen, arguments).turned(Self.quarters(arguments))
            var card = try seen.straightened(corners)
            defer { wipeBytes(&card) }
            (width, height) = try Watermark.size(of: card)
            let title = try Self.name(photo, arguments)
            guard let file = NewAttachment(name: title, content: card, modified: photo.overview.modified) else {
                preconditionFailure("a JPEG that was just made is one")
            }
            self.file = file
        } catch let error as MarkError { throw error.failure(name, content) } catch let error as PictureError {
            throw Failure(.invalid, "\(name): it \(error.reason)")
        } catch let obstacle as CardPhoto.Obstacle {
            throw Failure(
                .invalid, "\(name): it \(obstacle.reason)",
                hint: obstacle == .severalCards
                    ? "--corners X,Y,… says where one of them is, in pixels; or take a photo of each"
                    : "--corners X,Y,… says where the card is, in pixels; or take the photo on a plain, darker ground")
        }
    }

    private static func corners(of photo: CardPhoto, _ arguments: Arguments) throws -> CardPhoto.Corners {
        guard let places = try arguments.corners() else { return try photo.corners() }
        guard let corners = CardPhoto.Corners(places, width: photo.width, height: photo.height) else {
            throw Failure(
                .usage,
                "--corners: no corners of an area within the photo of \(photo.width) × \(photo.height) pixels, clockwise from the upper left"
            )
        }
        return corners
    }

    private static func quarters(_ arguments: Arguments) throws -> Int {
        guard let text = arguments.text(.turn) else { return 0 }
        guard let place = ["90", "180", "270"].firstIndex(of: text) else {
            throw Failure(.usage, "--turn takes 90, 180 or 270")
        }
        return place + 1
    }

    /// The photo's name, or the one that is asked for, with the ending of a JPEG.
    private static func name(_ photo: Entry, _ arguments: Arguments) throws -> [UInt8] {
        let own = photo.overview.title
        let stem = own.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? Array(own[..<$0]) : nil } ?? own
        let isJPEG = photo.overview.mediaType == MediaType.jpeg.rawValue
        let path = BytePath(isJPEG ? own : stem + Array(".jpg".utf8))
        return try AttachmentArguments.names([path], arguments.bytes(.as).map { [$0] } ?? [])[0]
    }

    /// For people and scripts.
    var line: String {
        let places = corners.places.map { String(Int($0.rounded())) }.joined(separator: ",")
        return "\(printable(file.name))  \(places)  \(width)x\(height)"
    }
}
