import Cards
import Exchange
import Testing
import VaultFormat

/// Archives of other programs: which of their files belong to which item, and what they may hold at most.
struct ArchiveTests {
    private typealias File = StoredArchive.File

    private func read(_ files: [(String, String)], limit: Int = 1 << 20) throws -> ImportBatch {
        try ImportBatch(zip: StoredArchive(files.map { ($0.0, Array($0.1.utf8)) }).bytes, limit: limit)
    }

    private static let item = #"{"items":[{"type":2,"id":"i","name":"n","notes":"x"}]}"#

    /// The files of an item lie in a folder of its id; what no item names is kept beside the cards.
    @Test func filesOfBitwarden() throws {
        let batch = try read([
            ("data.json", Self.item), ("attachments/i/", ""), ("attachments/i/a.txt", "a"),
            ("attachments/i/b/c.txt", "c"),
            ("attachments/ii/d.txt", "d"), ("empty/", ""), ("e.txt", "e"),
        ])
        #expect(said(batch).isEmpty && cards(batch).map(\.title) == ["n", "rest of an import"])
        #expect(files(batch) == ["a.txt=a", "c.txt=c", "d.txt=d", "e.txt=e"])
        #expect(
            batch.items.map(\.attachments.count) == [2, 2] && own(cards(batch)[1]) == ["file=attachments/ii/d.txt"])
    }

    /// The files of an item are named by it, beside the document.
    @Test func filesOfProton() throws {
        let item = #"{"state":1,"files":["a.txt","gone"],"data":{"type":"note","metadata":{"name":"n","note":"x"}}}"#
        let batch = try read([
            ("Proton Pass/data.json", #"{"vaults":{"v":{"name":"Me","items":[\#(item)]}}}"#),
            ("Proton Pass/files/a.txt", "a"), ("files/a.txt", "other"),
        ])
        #expect(cards(batch).map(\.title) == ["n", "rest of an import"])
        #expect(files(batch) == ["a.txt=a", "a.txt=other"])
    }

    /// The document that stands highest counts, and the first of those.
    @Test func theHighestDocumentCounts() throws {
        func item(_ name: String) -> String { #"{"items":[{"type":2,"name":"\#(name)","notes":"x"}]}"# }
        let batch = try read([
            ("a/b/data.json", item("deep")), ("b/data.json", item("one")), ("a/data.json", item("two")),
        ])
        #expect(cards(batch).map(\.title) == ["one", "rest of an import"] && batch.items[1].attachments.count == 2)
        #expect(
            try cards(read([("data.jsons", "{}"), ("xdata.json", "{}"), ("x/data.json", item("n"))]))[0].title == "n")
    }

    /// A file may be as long as an attachment; one that is longer, damaged or encrypted is told.
    @Test func filesThatCannotBeRead() throws {
        #expect(try files(read([("data.json", Self.item), ("a", "12345")], limit: 5)) == ["a=12345"])
        let long = try read([("data.json", Self.item), ("a", "123456"), ("b", "1")], limit: 5)
        #expect(said(long) == ["the archive: a: is longer than an import may be"] && files(long) == ["b=1"])
        let text = Array("hello".utf8)
        let document = Array(Self.item.utf8)
        func batch(_ file: File) throws -> [String] {
            let data = File(
                name: "data.json", packed: document, byteCount: document.count, crc: StoredArchive.crc(document))
            return try said(ImportBatch(zip: StoredArchive([data, file]).bytes, limit: 100))
        }
        let crc = StoredArchive.crc(text)
        #expect(
            try batch(File(name: "a", packed: text, byteCount: 5, crc: crc, flags: 1)) == [
                "the archive: a: cannot be read: damaged or encrypted"
            ])
        #expect(try batch(File(name: "a", packed: text, byteCount: 5, crc: crc ^ 1)) == ["the archive: a: is damaged"])
        #expect(try batch(File(name: "a", packed: text, byteCount: 5, crc: crc)).isEmpty)
        // What an item names is not only told: nothing is imported.
        let named = #"{"items":[{"type":2,"id":"i","name":"n"}]}"#
        #expect(throws: MalformedText.self) {
            try read([("data.json", named), ("attachments/i/a", "123456")], limit: 5)
        }
    }

    /// A file of 67,080,001 zeros: a literal, then the 258 bytes before, again and again (RFC 1951, 3.2.6).
    private static func zeros(_ name: String) -> File {
        let (head, run) = ([99, 24] as [UInt8], [5, 163, 96, 20, 140, 130, 81, 48, 10, 70, 193, 40, 24] as [UInt8])
        let packed = head + Array(repeatElement(run, count: 32_499).joined()) + run.dropLast() + [0, 0]
        return File(name: name, packed: packed, byteCount: 67_080_001, crc: 0x173B_0FBA, method: 8)
    }

    /// All files of an archive together have 128 MiB at most, however short it is.
    @Test(arguments: [0, 1]) func archivesAreBounded(_ more: Int) throws {
        let document = Array(Self.item.utf8)
        let rest = [UInt8](repeating: 7, count: (128 << 20) - 2 * 67_080_001 - document.count + more)
        let stored = [("data.json", document), ("rest", rest)].map {
            File(name: $0.0, packed: $0.1, byteCount: $0.1.count, crc: StoredArchive.crc($0.1))
        }
        let archive = StoredArchive([stored[0], Self.zeros("a"), Self.zeros("b"), stored[1]])
        #expect(archive.bytes.count < 1 << 20)
        let batch = try ImportBatch(zip: archive.bytes, limit: 1 << 30)
        #expect(said(batch) == (more == 0 ? [] : ["the archive: rest: is longer than an import may be"]))
        #expect(batch.items.last?.attachments.count == 3 - more)
    }
}
