import Foundation
import Testing
import VaultCrypto
import VaultFormat
import Cards
import Pictures
import Exchange
import VaultStore
import VaultTesting
import Watermark

/// Marks and shares as records, and copies that have to be smaller.
struct MarkTests {
    /// Red grows to the right, green downwards, with grain.
    private static func pixels(_ width: Int, _ height: Int) -> Picture {
        var pixels: [UInt8] = []
        var state: UInt32 = 1
        for y in 0..<height {
            for x in 0..<width {
                state = state &* 1_664_525 &+ 1_013_904_223
                pixels += [UInt8(x * 200 / width), UInt8(y * 200 / height), UInt8(state >> 26) + 90]
            }
        }
        return Picture(width: width, height: height, pixels: pixels)
    }

    private let picture = Result { try Self.pixels(600, 400).jpeg(quality: 90) }

    private func fixture() throws -> (fixture: VaultFixture, card: RecordID, attachment: RecordID) {
        let fixture = try VaultFixture()
        var (card, attachment): (RecordID?, RecordID?)
        try fixture.save(seed: 1) { save in
            let note = try #require(Schema.named("note"))
            let id = try save.makeID()
            try save.put(
                Card(schema: note, overview: Overview(title: Array("n".utf8)), fields: RecordFields()), as: id)
            card = id
        }
        try fixture.save(seed: 2) { save in
            let file = try #require(NewAttachment(name: Array("front.jpg".utf8), content: picture.get()))
            let owner = try #require(try card.flatMap { try save.before.entry($0) })
            attachment = try save.attach(file, to: owner, among: save.before.entries()).id
        }
        return (fixture, try #require(card), try #require(attachment))
    }

    private func profile(_ change: (inout MarkProfile) -> Void = { _ in }) -> MarkProfile {
        var profile = MarkProfile(text: "他用无效\n仅供{recipient}使用\n{date}", recipient: "招商银行")
        change(&profile)
        return profile
    }

    private func keys(
        _ vault: Vault, _ original: RecordID, _ share: RecordID
    ) throws -> (lattice: [UInt8], share: [UInt8]) {
        guard let seed = try vault.watermarkSeed() else { return ([], []) }
        return (try seed.latticeKey(original.bytes), try seed.shareKey(share.bytes))
    }

    @Test func aMarkIsStoredAndTheOriginalStays() throws {
        let (fixture, _, id) = try fixture()
        let plain = try fixture.open()
        let entry = try #require(try plain.entry(id))
        let thumbnail = try plain.thumbnail(of: entry)
        let wanted = profile { profile in
            (profile.style.opacity, profile.style.size, profile.style.isLight) = (0.5, 40.5, false)
            (profile.style.layout, profile.style.family, profile.purpose) = (.single, "WenQuanYi Micro Hei", "开户")
        }
        try fixture.save(seed: 3) { try $0.setMark(wanted, on: entry) }
        let vault = try fixture.open()
        #expect(try vault.mark(of: id) == wanted)
        #expect(try vault.content(of: entry, limit: 1 << 20) == picture.get())
        let shown = try vault.shownContent(of: entry)
        #expect(try shown != picture.get())
        #expect(try vault.shownContent(of: entry) == shown, "drafts are the same every time")
        #expect(try vault.thumbnail(of: entry) != thumbnail)
        let lattice = try keys(vault, id, id).lattice
        // A file of the same name keeps the mark, and its thumbnail shows it.
        try fixture.save(seed: 4) { save in
            let file = try #require(
                NewAttachment(name: Array("front.jpg".utf8), content: Self.pixels(300, 300).jpeg(quality: 80)))
            let owner = try #require(try entry.parent.flatMap { try save.before.entry($0) })
            _ = try save.attach(file, to: owner, among: save.before.entries())
        }
        let replaced = try fixture.open()
        #expect(try replaced.mark(of: id) == wanted)
        let now = try #require(try replaced.entry(id))
        let plainThumbnail = try Picture.thumbnail(of: replaced.content(of: now, limit: 1 << 20))
        #expect(try replaced.thumbnail(of: now) != plainThumbnail)
        try fixture.save(seed: 5) { try $0.setMark(nil, on: now) }
        let after = try fixture.open()
        #expect(try after.mark(of: id) == nil && after.thumbnail(of: now) == plainThumbnail)
        #expect(try keys(after, id, id).lattice == lattice, "one seed for good")
        #expect(try after.entries().allSatisfy { !$0.isPart || $0.kind.rawValue >= 33 })
        #expect(try fixture.verify().findings.isEmpty)
    }

    @Test func aShareHoldsWhatFindingItTakes() throws {
        let (fixture, card, id) = try fixture()
        var made: [UInt8] = []
        try fixture.save(seed: 3) { save in
            let seed = try save.watermarkSeed()
            let entry = try #require(try save.before.entry(id))
            let share = try save.makeID()
            let order = MarkedCopy.Order(
                try profile().markText(day: "2026-01-31"), MarkStyle(), original: id.bytes, share: share.bytes)
            let file = PictureInMemory()
            let copy = try MarkedCopy(of: picture.get(), order, seed: seed, into: file)
            try save.put(copy, in: file, as: share, of: entry, profile(), order, seed: seed)
            made = file.bytes
        }
        let vault = try fixture.open()
        let share = try #require(try vault.shares().first)
        #expect(share.attachment == id && share.name == Array("front.jpg".utf8))
        let texts = share.texts
        #expect(texts["text"] == "他用无效\n仅供招商银行使用\n2026-01-31" && texts["recipient"] == "招商银行")
        let hash = hexText(try SHA256.hash(made.span))
        #expect(texts["sha256"] == hash && texts["quality"] == nil)
        #expect(texts["width"] == "600" && texts["revision"] == "1" && texts["ink"] == nil)
        #expect(texts["layout"] == "clear" && texts["drawing"]?.count == 64)
        // With the keys of the record alone the copy can be made again.
        let keys = try keys(vault, id, share.id)
        #expect(texts["lattice_key"] == hexText(keys.lattice) && texts["share_key"] == hexText(keys.share))
        // It goes and comes back with its card, and is no record of its own.
        let entry = try #require(try vault.entry(card))
        let family = Vault.withDependents([entry], among: try vault.entries())
        #expect(family.count == 4 && family.contains(where: \.isShare))
    }

    /// A font that changed draws other strokes: then a leak is not said to be none of the copies. What a newer program noted
    /// of a share stays when it is asked back.
    @Test func anotherFontIsTold() throws {
        let (fixture, _, id) = try fixture()
        let seedText = try profile().markText(day: "2026-01-31")
        try fixture.save(seed: 3) { save in
            let seed = try save.watermarkSeed()
            let entry = try #require(try save.before.entry(id))
            let share = try save.makeID()
            let order = MarkedCopy.Order(seedText, MarkStyle(), original: id.bytes, share: share.bytes)
            let file = PictureInMemory()
            let copy = try MarkedCopy(of: picture.get(), order, seed: seed, into: file)
            try save.put(copy, in: file, as: share, of: entry, profile(), order, seed: seed)
        }
        let vault = try fixture.open()
        let (share, entry) = (try #require(try vault.shares().first), try #require(try vault.entry(id)))
        let leak = try picture.get()
        if case .otherFont = try vault.trace(LeakedFile(leak), of: entry) { Issue.record("the font is the same") }
        try fixture.save(seed: 4) { save in
            let old = try #require(try save.before.entry(share.id))
            var fields = try RecordFields(parsing: save.before.content(of: old, limit: 1 << 16))
            fields.texts["drawing"] = String(repeating: "0", count: 64)
            fields.own = [RecordFields.CustomField(label: "newer", value: "kept", isSensitive: false)]
            try save.put(share.id, kind: old.kind, parent: old.parent, overview: old.overview, content: fields.bytes)
        }
        guard case .otherFont = try fixture.open().trace(LeakedFile(leak), of: entry) else {
            Issue.record("the font is another")
            return
        }
        try fixture.save(seed: 5) { try $0.revoke(share, on: "2026-02-01") }
        let after = try fixture.open()
        let stored = try #require(try after.entry(share.id))
        let fields = try RecordFields(parsing: after.content(of: stored, limit: 1 << 16))
        #expect(fields.texts["revoked"] == "2026-02-01" && fields.own.first?.value == "kept")
        #expect(stored.created == share.time)
    }

    /// An export gives marks, shares and the seed back; a seed that is there stays.
    @Test func exportsAreWhole() throws {
        let (fixture, _, id) = try fixture()
        try fixture.save(seed: 3) { save in
            let entry = try #require(try save.before.entry(id))
            try save.setMark(profile(), on: entry)
        }
        func lines(_ vault: Vault) throws -> [String] {
            let export = NativeExport(vault)
            return try NativeExport.selected(vault.entries()).map { try export.line($0, .inLine) }
        }
        let vault = try fixture.open()
        let text = ([NativeExport.head] + (try lines(vault))).joined(separator: "\n")
        for kind in ["watermark", "watermark-seed"] { #expect(text.contains("\"kind\":\"\(kind)\"")) }
        let other = try VaultFixture(seed: 5)
        try other.save(seed: 1) { save in
            var batch = try ImportBatch(native: Array(text.utf8))
            let outcome = try save.store(&batch) { _ in [] }
            #expect(batch.problems.isEmpty && outcome.added == 4, "\(batch.problems)")
        }
        // Once more there is nothing to do.
        let again = try VaultTransaction(
            VaultFixture.vault, in: other.environment, timeout: .zero, unlock: other.unlock)
        var batch = try ImportBatch(native: Array(text.utf8))
        let outcome = try again.store(&batch) { _ in [] }
        #expect(again.isEmpty && outcome.unchanged == 4)
        #expect(try lines(other.open()).joined(separator: "\n") == lines(vault).joined(separator: "\n"))
        let entry = try #require(try other.open().entry(id))
        let original = try #require(try vault.entry(id))
        #expect(try other.open().thumbnail(of: entry) == vault.thumbnail(of: original))
    }

    @Test(arguments: [
        ["angle": "91"], ["opacity": "0.04"], ["size": "7"], ["gap": "21"], ["ink": "red"], ["layout": "x"],
        ["angle": "1e3"], ["size": "nan"],
    ])
    func whatIsOutOfItsRangeIsMalformed(_ texts: [String: String]) throws {
        let (fixture, _, id) = try fixture()
        try fixture.save(seed: 3) { save in
            let entry = try #require(try save.before.entry(id))
            try save.setMark(profile(), on: entry)
        }
        let vault = try fixture.open()
        let mark = try #require(try vault.entries().first { $0.kind == .watermark })
        var fields = try RecordFields(parsing: vault.content(of: mark, limit: 1000))
        fields.texts["later"] = "kept"
        fields.texts.merge(texts) { $1 }
        try fixture.save(seed: 4) {
            try $0.put(mark.id, kind: mark.kind, parent: mark.parent, overview: mark.overview, content: fields.bytes)
        }
        let error = #expect(throws: FormatError.self) { try fixture.open().mark(of: id) }
        #expect(error?.code == .malformed)
    }

    @Test func copiesThatMustBeSmaller() throws {
        let big = try Self.pixels(1200, 900).jpeg(quality: 95)
        func copy(_ limits: MarkedCopy.Limits, of picture: [UInt8]) throws -> MarkedCopy {
            let order = MarkedCopy.Order(
                try MarkText("copy", values: [:]), MarkStyle(), original: [UInt8](repeating: 1, count: 16),
                share: [UInt8](repeating: 2, count: 16), limits: limits)
            let zeros = try Secret(byteCount: 32)
            let file = PictureInMemory()
            let copy = try MarkedCopy(of: picture, order, seed: WatermarkSeed(zeros), into: file)
            #expect(copy.byteCount == file.bytes.count)
            return copy
        }
        let whole = try copy(.init(width: 5000, byteCount: 1 << 30), of: big)
        #expect(whole.quality == nil && whole.picture.width == 1200)
        let narrow = try copy(.init(width: 500), of: big)
        #expect(narrow.quality == 92 && narrow.picture.width == 500 && narrow.picture.height == 375)
        for limit in [200_000, 100_000, 30_000] {
            let short = try copy(.init(byteCount: limit), of: big)
            #expect(short.byteCount <= limit && short.quality != nil, "\(limit)")
            #expect(short.byteCount > limit / 3, "no smaller than it must be: \(limit)")
        }
        #expect(throws: MarkError.tooLong) { try copy(.init(byteCount: 1000), of: big) }
    }
}
