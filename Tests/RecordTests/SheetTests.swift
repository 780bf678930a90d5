import Cards
import Pictures
import Testing
import VaultFormat
import VaultStore
import VaultTesting

/// Several pictures on one page: their sizes, their places, and what a share notes of them.
struct SheetTests {
    private func entries(_ count: Int) throws -> [Entry] {
        let fixture = try VaultFixture()
        try fixture.save(seed: 1) { save in
            for place in 0..<count {
                try save.put(
                    save.makeID(), kind: .attachment, parent: nil,
                    overview: Overview(title: Array("\(place).jpg".utf8)),
                    content: [UInt8(place)])
            }
        }
        return try fixture.open().entries()
    }

    private func sheet(_ pictures: [(kind: String?, width: Int, height: Int)], height: Int = 2608) throws -> Sheet? {
        try Sheet(
            zip(entries(pictures.count), pictures).map { ($0, $1.kind, $1.width, $1.height) }, height: height)
    }

    private func sizes(_ pictures: [(kind: String?, width: Int, height: Int)]) throws -> [[Int]]? {
        try sheet(pictures)?.parts.map { [$0.width, $0.height] }
    }

    /// Cards have their true size at 300 pixels an inch, whatever pixels their pictures have; what shows more has not.
    @Test func cardsHaveTheirTrueSize() throws {
        #expect(Sheet.height(isSigned: true) == 2608 && Sheet.height(isSigned: false) == 3508)
        #expect(try sizes([("idcard", 1600, 1009), ("bankcard", 428, 270)]) == [[1011, 637], [1011, 637]])
        #expect(try sizes([("idcard", 1009, 1600)]) == [[637, 1011]])
        #expect(try sizes([("passport", 1250, 880)]) == [[1476, 1039]])
        // A photo of a card on a table, a card of no kind, a panorama: as large as there is room.
        let across = 2480 - 2 * 141
        #expect(try sizes([("idcard", 4000, 3000)])?[0].first.map { abs($0 - across) <= 2 } == true)
        #expect(try sizes([(nil, 9000, 90)])?[0] == [2196, 21])
        let shared = try #require(try sizes([(nil, 1000, 1000), (nil, 1000, 1000)]))
        #expect(shared[0] == shared[1] && abs(2 * shared[0][1] + 3 * 141 - 2608) <= 4)
    }

    @Test func whatDoesNotFitIsNoPage() throws {
        let card = (kind: "idcard" as String?, width: 1600, height: 1009)
        #expect(try sheet(Array(repeating: card, count: 3)) != nil)
        #expect(try sheet(Array(repeating: card, count: 4)) == nil)
        #expect(try sheet(Array(repeating: card, count: 4), height: 3508) != nil)
        #expect(try sheet(Array(repeating: card, count: 3) + [(nil, 100, 100)]) == nil)
        #expect(try sheet([]) == nil)
    }

    @Test func whatIsNotedIsReadAgain() throws {
        let sheet = try #require(try sheet([("idcard", 1600, 1009), (nil, 300, 400)]))
        #expect(Sheet(sheet.text) == sheet)
        let id = String(repeating: "0f", count: 16)
        #expect(Sheet("a4 2608\n\(id) 3 10 20")?.parts.first?.revision == 3)
        for text in [
            "", "a4", "a4 2608", "a4\n\(id) 3 10 20", "a4 0\n\(id) 3 10 20", "a4 3509\n\(id) 3 10 20",
            "a4 19\n\(id) 3 10 20", "a5 2608\n\(id) 3 10 20", "a4 2608\n\(id) 3 10", "a4 2608\n\(id) 3 10 20 30",
            "a4 2608\n\(id) 3 0 20",
            "a4 2608\n\(id) -1 10 20",
            "a4 2608\n\(id)0f 3 10 20", "a4 2608\nxx 3 10 20", "a4 2608\n\(id) 3 2481 20", "a4 2608\n\(id) 3 10 3509",
            "a4 2608\n\(id) 3 10 20\n",
            "a4 3508" + String(repeating: "\n\(id) 3 10 36", count: 100),
            "a4 3508" + String(repeating: "\n\(id) 3 10 1", count: 101),
        ] { #expect(Sheet(text) == nil, "\(text.prefix(60))") }
    }

    /// A small and a large picture, each in its place; the rest of the page is white.
    @Test func picturesStandInTheirPlaces() throws {
        func plain(_ width: Int, _ height: Int, _ colour: [UInt8]) throws -> [UInt8] {
            try Picture(width: width, height: height, pixels: (0..<width * height).flatMap { _ in colour }).jpeg(
                quality: 95)
        }
        let sheet = try #require(try sheet([("idcard", 160, 101), ("idcard", 3200, 2018)]))
        let jpeg = try sheet.drawn([plain(160, 101, [200, 30, 30]), plain(3200, 2018, [30, 30, 200])])
        let page = try Picture(reading: jpeg, width: 9999, height: 9999)
        #expect(page.width == 2480 && page.height == 2608)
        func colour(_ x: Int, _ y: Int) -> [Int] { (0..<3).map { Int(page.pixels[(y * 2480 + x) * 3 + $0]) } }
        let top = (2608 - 2 * 637 - 141) / 2
        for (x, y, expected) in [
            (740, top + 8, [200, 30, 30]), (1740, top + 630, [200, 30, 30]), (740, top + 637 + 141 + 8, [30, 30, 200]),
            (1740, top + 2 * 637 + 141 - 8, [30, 30, 200]), (700, top + 300, [255, 255, 255]),
            (1240, top + 637 + 70, [255, 255, 255]), (1240, 20, [255, 255, 255]),
        ] {
            #expect(zip(colour(x, y), expected).allSatisfy { abs($0 - $1) < 12 }, "\(x) \(y): \(colour(x, y))")
        }
    }

    /// A compaction keeps the revisions of all that stands on a page: a trace draws it again.
    @Test func revisionsOfAllPartsStay() throws {
        let fixture = try VaultFixture()
        var ids: [RecordID] = []
        try fixture.save(seed: 1) { save in
            ids = try [save.makeID(), save.makeID(), save.makeID()]
            for id in ids {
                try save.put(id, kind: .attachment, parent: nil, overview: Overview(title: [97]), content: [1])
            }
            var fields = RecordFields()
            fields.texts = ["revision": "1", "sheet": "a4 2608\n\(ids[0]) 1 10 20\n\(ids[1]) 1 10 20"]
            try save.put(
                save.makeID(), kind: .share, parent: ids[0], overview: Overview(title: [97]), content: fields.bytes)
        }
        let vault = try fixture.open()
        let isKept = try vault.sharedVersions()
        #expect(try ids.map { try isKept(#require(try vault.entry($0))) } == [true, true, false])
    }
}
