import Cards
import Pictures
import Testing
import VaultFormat
import VaultStore
import VaultTesting
import Watermark

/// Files that belong to a card, and their thumbnails.
struct AttachmentTests {
    private static func picture(_ gray: UInt8) throws -> [UInt8] {
        try Picture(width: 64, height: 48, pixels: [UInt8](repeating: gray, count: 64 * 48 * 3)).jpeg(quality: 90)
    }

    private static func attach(
        _ fixture: VaultFixture, _ card: RecordID, _ name: String, _ content: [UInt8], seed: UInt64
    ) throws -> Attached {
        var attached: Attached?
        try fixture.save(seed: seed) { save in
            attached = try save.attach(
                NewAttachment(anyType: content, name: Array(name.utf8)), to: #require(try save.entry(card)),
                among: save.before.entries())
        }
        return try #require(attached)
    }

    private static func card(_ fixture: VaultFixture, seed: UInt64) throws -> RecordID {
        var card: RecordID?
        try fixture.save(seed: seed) { save in
            let (note, id) = (try #require(Schema.named("note")), try save.makeID())
            let overview = Overview(title: Array("n".utf8))
            try save.put(Card(schema: note, overview: overview, fields: RecordFields()), as: id)
            card = id
        }
        return try #require(card)
    }

    /// Each attachment has its thumbnail, and one of its name on another card is another one.
    @Test func aNameIsTakenOnItsCardOnly() throws {
        let fixture = try VaultFixture()
        let cards = try [Self.card(fixture, seed: 1), Self.card(fixture, seed: 2)]
        let first = try Self.attach(fixture, cards[0], "a.jpg", Self.picture(200), seed: 3)
        let other = try Self.attach(fixture, cards[0], "b.jpg", Self.picture(90), seed: 4)
        let twin = try Self.attach(fixture, cards[1], "a.jpg", Self.picture(30), seed: 5)
        #expect([first, other, twin].allSatisfy { !$0.isReplaced && $0.obstacle == nil })
        #expect(Set([first, other, twin].map(\.id)).count == 3)
        let again = try Self.attach(fixture, cards[0], "a.jpg", Self.picture(10), seed: 6)
        #expect(again.isReplaced && again.id == first.id)
        let vault = try fixture.open()
        let tones = try [first, other, twin].map { attached in
            let entry = try #require(try vault.entry(attached.id))
            let thumbnail = try #require(try vault.thumbnail(of: entry))
            return try Int(Picture(reading: thumbnail, width: 64, height: 64).pixels[0])
        }
        #expect(zip(tones, [10, 90, 30]).allSatisfy { abs($0 - $1) < 4 }, "\(tones)")
        #expect(try vault.entries().count { $0.kind == .thumbnail } == 3)
        #expect(try vault.entry(first.id)?.overview.mediaType == "image/jpeg")
    }

    /// A thumbnail that cannot be made any more goes; only of a picture it is said why.
    @Test(
        arguments: [
            (Array("words".utf8), false), ([0xFF, 0xD8, 0xFF], true), ([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10], true),
        ] as [([UInt8], Bool)])
    func thumbnailsThatCannotBe(_ content: [UInt8], _ isPicture: Bool) throws {
        let fixture = try VaultFixture()
        let card = try Self.card(fixture, seed: 1)
        _ = try Self.attach(fixture, card, "a", Self.picture(200), seed: 2)
        let attached = try Self.attach(fixture, card, "a", content, seed: 3)
        #expect(attached.isReplaced && (attached.obstacle != nil) == isPicture)
        let vault = try fixture.open()
        let entry = try #require(try vault.entry(attached.id))
        #expect(try vault.thumbnail(of: entry) == nil)
        #expect(try vault.entries().count { $0.kind == .thumbnail } == 0)
    }

    // MARK: Texts

    /// A text of an attachment, as somebody else stored it, that is none: the attachment is replaced all the same, and its
    /// text can be read anew. A query names it, and answers by the attachment alone.
    @Test func aTextThatIsNoneStandsInNobodysWay() throws {
        let fixture = try VaultFixture()
        let card = try Self.card(fixture, seed: 1)
        let content = Array("words".utf8)
        let attached = try Self.attach(fixture, card, "a.txt", content, seed: 2)
        let id = try Vault.textID(of: attached.id)
        for (index, bad) in [[0xFF], [0xA0], [0xA1, 0x64] + Array("text".utf8) + [0x61, 0x78]].enumerated() {
            try fixture.save(seed: UInt64(3 + 2 * index)) { save in
                try save.put(
                    id, kind: .attachmentText, parent: attached.id, overview: Overview(title: Array("a.txt".utf8)),
                    content: bad)
            }
            var vault = try fixture.open()
            let entry = try #require(try vault.entry(attached.id))
            #expect(throws: FormatError.self) { try vault.text(of: entry) }
            #expect(try !vault.hasText(of: entry, readFrom: content))
            var damaged: [RecordID] = []
            let clock = QueryClock(now: .zero, today: Day(second: 0)) { _ in .zero }
            let query = try Query("a.txt", clock: clock)
            let hits = try vault.find(query, clock: clock) { entry, _ in damaged.append(entry.id) }.hits
            #expect(hits.map(\.entry.id) == [attached.id] && damaged.allSatisfy { $0 == id })
            _ = try Self.attach(fixture, card, "a.txt", content, seed: UInt64(4 + 2 * index))
            vault = try fixture.open()
            #expect(try vault.textEntry(of: entry) == nil)
        }
        let text = try #require(try AttachmentText(pages: ["one\u{7} \n\n\n two", ""], of: content))
        try fixture.save(seed: 20) { save in try save.put(text, of: attached.id, Array("a.txt".utf8)) }
        let vault = try fixture.open()
        let entry = try #require(try vault.entry(attached.id))
        #expect(try vault.text(of: entry) == text && text.pages == ["one\n\n two", ""])
        #expect(try vault.hasText(of: entry, readFrom: content) && !vault.hasText(of: entry, readFrom: [1]))
    }

    /// The content as Spec/product/records.md, 6 has it, and as much of it as there may be.
    @Test func bytesOfTexts() throws {
        let text = try #require(try AttachmentText(pages: ["a", "b"], of: []))
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        let content =
            [0xA2, 0x64] + Array("text".utf8) + [0x63] + Array("a\u{0C}b".utf8) + [0x66] + Array("sha256".utf8)
        #expect(text.bytes == content + [0x78, 64] + Array(digest.utf8))
        let full = String(repeating: "x", count: AttachmentText.byteCount)
        #expect(try AttachmentText(pages: [full], of: []) != nil)
        #expect(try AttachmentText(pages: [full, ""], of: []) == nil)
    }

    // MARK: Pictures

    @Test(
        arguments: [
            (.unknown, "is neither JPEG nor PNG"), (.corrupt("why"), "is damaged or cut short (why)"),
            (.unsupported, "is a kind of picture that is not handled"), (.tooLarge, "has too many pixels"),
            (.noMemory, "takes more memory than there is"),
        ] as [(PictureError, String)])
    func reasons(_ error: PictureError, _ words: String) { #expect(error.reason.description == words) }

    @Test func theLibrarySaysWhatIsDamaged() throws {
        let picture = try Self.picture(90)
        #expect(throws: PictureError.unknown) { try Picture.thumbnail(of: Array("words".utf8)) }
        #expect {
            try Picture.thumbnail(of: Array(picture.dropLast(40)))
        } throws: { if case .corrupt(let why)? = $0 as? PictureError { !why.isEmpty } else { false } }
        // A JPEG has 65,500 pixels a side at most.
        #expect(
            try !Picture(width: 65_500, height: 1, pixels: .init(repeating: 0, count: 196_500)).jpeg(quality: 50)
                .isEmpty)
        #expect(throws: PictureError.self) {
            try Picture(width: 65_501, height: 1, pixels: .init(repeating: 0, count: 196_503)).jpeg(quality: 50)
        }
    }

    // MARK: Types

    private static func box(_ length: UInt8, _ brands: String) -> [UInt8] {
        [0, 0, 0, length] + Array("ftyp".utf8) + Array(brands.utf8)
    }

    @Test(
        arguments: [
            (Array("RIFF....WEBP".utf8), .webp), (Array("RIFF....WEB".utf8), nil), (Array("RIFF....WAVE".utf8), nil),
            (Array("RIFX....WEBP".utf8), nil), ([0x49, 0x49, 42, 0], .tiff), ([0x4D, 0x4D, 0, 42], .tiff),
            ([0x49, 0x49, 43, 0], .tiff), ([0x4D, 0x4D, 0, 43], .tiff), ([0x49, 0x49, 0, 42], nil),
            (box(16, "heic...."), .heic), (box(16, "heic..."), nil), (box(16, "isomheic"), nil),
            (box(20, "isom....heix"), .heic), (box(20, "isom....isomheic"), nil), (box(24, "isom....isomheic"), .heic),
            (box(23, "isom....isomheic"), nil), (box(200, "isom....isomheic"), .heic),
            (box(200, "isom...." + String(repeating: "isom", count: 11) + "heis"), .heic),
            (box(200, "isom...." + String(repeating: "isom", count: 12) + "heis"), nil),
            (box(24, "isom....heimabcd"), .heic),
        ] as [([UInt8], MediaType?)])
    func typesAtTheirBounds(_ bytes: [UInt8], _ type: MediaType?) {
        #expect(MediaType(sniffing: bytes) == type)
    }
}
