import Cards
import Pictures
import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting
import Watermark

/// A vault with a picture or document, and copies of it that were given away.
struct TraceScene {
    let fixture: VaultFixture
    let attachment: RecordID
    let original: [UInt8]
    private(set) var copies: [[UInt8]] = []

    /// Waves and grain: what registration takes.
    static func pixels(_ width: Int, _ height: Int, grain: UInt32 = 1) -> Picture {
        var (pixels, state) = ([UInt8](repeating: 0, count: width * height * 3), grain)
        for place in 0..<width * height {
            let (x, y) = (place % width, place / width)
            state = state &* 1_664_525 &+ 1_013_904_223
            let wave = 90 + (x / 37 + y / 23) % 3 * 40 + Int(state >> 27)
            pixels[3 * place] = UInt8(wave)
            pixels[3 * place + 1] = UInt8(wave - x % 50)
            pixels[3 * place + 2] = UInt8(wave - y % 70)
        }
        return Picture(width: width, height: height, pixels: pixels)
    }

    static func picture(_ width: Int, _ height: Int, grain: UInt32 = 1) throws -> [UInt8] {
        try pixels(width, height, grain: grain).jpeg(quality: 92)
    }

    /// - Parameter decoder: what turns the original into pictures, if it is a document.
    init(
        _ original: [UInt8], for recipients: [String] = ["one bank", "two bank"], decoder: DocumentDecoder? = nil,
        _ change: (inout MarkStyle) -> Void = { _ in }
    ) throws {
        (fixture, self.original) = (try VaultFixture(), original)
        var style = MarkStyle()
        change(&style)
        var (id, made): (RecordID?, [[UInt8]]) = (nil, [])
        try fixture.save(seed: 1) { save in
            let (note, card) = (try #require(Schema.named("note")), try save.makeID())
            try save.put(
                Card(schema: note, overview: Overview(title: Array("n".utf8)), fields: RecordFields()), as: card)
            let file = try save.makeID()
            try save.put(
                file, kind: .attachment, parent: card, overview: Overview(title: Array("a".utf8)), content: original)
            id = file
        }
        attachment = try #require(id)
        let original16 = attachment.bytes
        try fixture.save(seed: 2) { save in
            let seed = try save.watermarkSeed()
            let entry = try #require(try save.before.entry(RecordID(original16)))
            for recipient in recipients {
                let profile = MarkProfile(text: "for {recipient} only {date}", recipient: recipient)
                let share = try save.makeID()
                var order = MarkedCopy.Order(
                    try profile.markText(day: "2026-01-31"), style, original: original16, share: share.bytes)
                (order.decoder, order.allowsFaint) = (decoder, true)
                let file = PictureInMemory()
                let copy = try MarkedCopy(of: original, order, seed: seed, into: file)
                try save.put(copy, in: file, as: share, of: entry, profile, order, seed: seed)
                made.append(file.bytes)
            }
        }
        copies = made
    }

    func trace(
        _ leak: [UInt8], decoder: DocumentDecoder? = nil, corners: [(x: Double, y: Double)]? = nil,
        view: LeakTrace.View = .asItIs, unreadable: (Share) -> Void = { _ in }
    ) throws -> ShareTrace.Outcome {
        let vault = try fixture.open()
        let entry = try #require(try vault.entry(attachment))
        return try vault.trace(
            LeakedFile(leak), of: entry, corners: corners, view: view, decoder: decoder, unreadable: unreadable)
    }

    /// The recipients of the copies that a leak may be, the likeliest first; nil of any other outcome.
    func found(
        _ leak: [UInt8], decoder: DocumentDecoder? = nil, view: LeakTrace.View = .asItIs
    ) throws -> [String]? {
        guard case .matches(let matches, _) = try trace(leak, decoder: decoder, view: view) else { return nil }
        return matches.map { "\($0.share.texts["recipient"] ?? "") \($0.verdict)" }
    }

    /// Changes the notes of all copies.
    func note(seed: UInt64, _ change: (inout [String: String]) -> Void) throws {
        let shares = try fixture.open().shares()
        try fixture.save(seed: seed) { save in
            for share in shares {
                let entry = try #require(try save.before.entry(share.id))
                var fields = try RecordFields(parsing: save.before.content(of: entry, limit: 1 << 16))
                change(&fields.texts)
                try save.put(
                    entry.id, kind: entry.kind, parent: entry.parent, overview: entry.overview, content: fields.bytes)
            }
        }
    }
}
