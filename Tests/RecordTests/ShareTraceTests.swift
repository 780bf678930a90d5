import Pictures
import Testing
import VaultFormat
import Cards
import VaultStore
import VaultTesting
import Watermark

/// A leak held against the copies of one picture (Spec/product/watermark.md, 8).
struct ShareTraceTests {
    /// Waves and grain: what registration takes.
    private static func picture(_ width: Int, _ height: Int, grain: UInt32 = 1) throws -> [UInt8] {
        var (pixels, state): ([UInt8], UInt32) = ([], grain)
        for y in 0..<height {
            for x in 0..<width {
                state = state &* 1_664_525 &+ 1_013_904_223
                let wave = 90 + (x / 37 + y / 23) % 3 * 40 + Int(state >> 27)
                pixels += [UInt8(wave), UInt8(wave - x % 50), UInt8(wave - y % 70)]
            }
        }
        return try Picture(width: width, height: height, pixels: pixels).jpeg(quality: 92)
    }

    private struct Scene {
        let fixture: VaultFixture
        let attachment: RecordID
        let original: [UInt8]
        var copies: [[UInt8]] = []

        func trace(_ leak: [UInt8], unreadable: (Share) -> Void = { _ in }) throws -> ShareTrace.Outcome {
            let vault = try fixture.open()
            return try vault.trace(
                leak, of: #require(try vault.entry(attachment)), decoder: nil, unreadable: unreadable)
        }
    }

    private static func scene() throws -> Scene {
        let (fixture, original) = (try VaultFixture(), try picture(1200, 900))
        var id: RecordID?
        try fixture.save(seed: 1) { save in
            let note = try #require(Schema.named("note"))
            let card = try save.makeID()
            try save.put(
                Card(schema: note, overview: Overview(title: Array("n".utf8)), fields: RecordFields()), as: card)
            let file = try #require(NewAttachment(name: Array("a.jpg".utf8), content: original))
            id = try save.attach(file, to: #require(try save.entry(card)), among: []).id
        }
        let attachment = try #require(id)
        var scene = Scene(fixture: fixture, attachment: attachment, original: original)
        var made: [[UInt8]] = []
        try fixture.save(seed: 2) { save in
            let seed = try save.watermarkSeed()
            let entry = try #require(try save.before.entry(attachment))
            for recipient in ["one bank", "two bank"] {
                let profile = MarkProfile(text: "for {recipient} only {date}", recipient: recipient)
                let share = try save.makeID()
                let order = MarkedCopy.Order(
                    try profile.markText(day: "2026-01-31"), MarkStyle(), original: attachment.bytes, share: share.bytes
                )
                let file = PictureInMemory()
                let copy = try MarkedCopy(of: original, order, seed: seed, into: file)
                try save.put(copy, in: file, as: share, of: entry, profile, order, seed: seed)
                made.append(file.bytes)
            }
        }
        scene.copies = made
        return scene
    }

    private func again(_ jpeg: [UInt8]) throws -> [UInt8] {
        try Picture(reading: jpeg, width: 9999, height: 9999).jpeg(quality: 75)
    }

    @Test func aCopyIsFound() throws {
        let scene = try Self.scene()
        let names = Dictionary(
            uniqueKeysWithValues: try scene.fixture.open().shares().map { ($0.id, $0.texts["recipient"] ?? "") })
        for (place, name) in ["one bank", "two bank"].enumerated() {
            guard case .matches(let same, let none) = try scene.trace(scene.copies[place]) else {
                return #expect(Bool(false))
            }
            #expect(
                same.map { names[$0.share.id] } == [name] && same[0].score == nil && same[0].verdict == .found
                    && none == 0)
            guard case .matches(let found, let residual) = try scene.trace(again(scene.copies[place])) else {
                return #expect(Bool(false))
            }
            #expect(
                names[found.first?.share.id ?? scene.attachment] == name && found.first?.verdict == .found
                    && residual <= LeakTrace.residualLimit)
            #expect(found.dropFirst().allSatisfy { $0.verdict != .found })
        }
        guard case .matches(let clean, _) = try scene.trace(again(scene.original)) else { return #expect(Bool(false)) }
        #expect(clean.isEmpty, "the original is none of its copies")
    }

    /// The version that was shared is compared, not the one of today.
    @Test func theOldVersionIsCompared() throws {
        let scene = try Self.scene()
        try scene.fixture.save(seed: 3) { save in
            let entry = try #require(try save.before.entry(scene.attachment))
            try save.put(
                entry.id, kind: entry.kind, parent: entry.parent, overview: entry.overview,
                content: Array("no picture".utf8))
        }
        guard case .matches(let found, _) = try scene.trace(again(scene.copies[0])) else { return #expect(Bool(false)) }
        #expect(found.first?.verdict == .found)
    }

    @Test func copiesWithoutKeysAreTold() throws {
        let scene = try Self.scene()
        let shares = try scene.fixture.open().shares()
        for (number, share) in shares.enumerated() {
            try scene.fixture.save(seed: 10 + UInt64(number)) { save in
                let entry = try #require(try save.before.entry(share.id))
                var fields = try RecordFields(parsing: save.before.content(of: entry, limit: 1 << 16))
                fields.texts["lattice_key"] = "00"
                try save.put(
                    entry.id, kind: entry.kind, parent: entry.parent, overview: entry.overview, content: fields.bytes)
            }
        }
        var told: [RecordID] = []
        guard case .matches(let found, _) = try scene.trace(again(scene.copies[0]), unreadable: { told.append($0.id) })
        else { return #expect(Bool(false)) }
        #expect(found.isEmpty && Set(told) == Set(shares.map(\.id)))
    }

    @Test func verdicts() {
        #expect([6, 5.99, 4.75, 4.74].map { LeakTrace.Verdict($0) } == [.found, .likely, .likely, .none])
    }
}
