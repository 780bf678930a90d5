import Cards
import Exchange
import Pictures
import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// What is told of an import: to a person who deletes the source, each part of it counts.
struct ImportReportTests {
    private func report(
        _ batch: ImportBatch, source: [UInt8] = [], isDryRun: Bool = false
    ) throws -> (json: JSON, outcome: ImportOutcome) {
        var (batch, stored): (ImportBatch, ImportOutcome?) = (batch, nil)
        try VaultFixture().save(seed: 1) { stored = try $0.store(&batch) { _ in [] } }
        let outcome = try #require(stored)
        let report = try ImportReport("a format", source, batch, outcome, isDryRun: isDryRun)
        return (try JSON(parsing: Array(report.line.utf8)), outcome)
    }

    /// Cards and their fields, files and their bytes, each with its digest; never the digest of a value.
    @Test func allThatWasTakenIsCounted() throws {
        var batch = ImportBatch()
        batch.add(pass: "web/shop", text: Array("pw\nlogin: li\npin: 12\n".utf8))
        batch.add(pass: "blob", text: [0xFF, 0x00, 0x01])
        batch.add(pass: "text", text: Array("pw\nkey: a\u{1}b\n".utf8))
        let source = Array("source".utf8)
        let (json, outcome) = try report(batch, source: source, isDryRun: true)
        #expect(json["format"]?.text == "a format" && json["dry_run"]?.flag == true)
        #expect(json["source_size"]?.number == 6)
        #expect(try json["source_sha256"]?.text == hexText(SHA256.hash(source.span)))
        let counts = ["cards", "fields", "attachments", "attachment_bytes", "added", "changed", "unchanged", "trash"]
        #expect(counts.map { json[$0]?.number } == [3, 4, 2, 6, 3, 0, 0, 0], "\(json.line)")
        let records = try #require(json["records"]?.items)
        #expect(records.map { $0["place"]?.text } == ["web/shop", "blob", "text"])
        #expect(records.map { $0["fields"]?.number } == [3, 0, 1])
        #expect(records.map { $0["kind"]?.text } == ["login", "note", "login"])
        #expect(records.map { $0["id"]?.text } == (0..<3).map { outcome.records[$0]?.description })
        let files = records.map { $0["attachments"]?.items?.map { ($0["name"]?.text, $0["sha256"]?.text) } ?? [] }
        let hash = hexText(try SHA256.hash([0xFF, 0x00, 0x01].span))
        #expect(files[0].isEmpty && files[1].map(\.0) == ["blob"] && files[1].map(\.1) == [hash])
        #expect(files[2].map(\.0) == ["key.txt"] && files[2].map(\.1) == [nil], "a hash would let a value be guessed")
        #expect(records.allSatisfy { $0["trash"] == nil })
    }

    /// What was left out has no record; what went into the trash is marked.
    @Test func allThatWasNotTakenIsTold() throws {
        let lines = [
            NativeExport.head, #"{"kind":"note","title":"n","colour":1}"#,
            #"{"kind":"attachment","title":"a","content":"YQ=="}"#,
            #"{"kind":"setting","title":"s","type":"flag","value":true}"#,
        ]
        let (json, _) = try report(ImportBatch(native: Array(lines.joined(separator: "\n").utf8)))
        #expect(json["skipped"]?.items?.map { $0["place"]?.text } == ["line 2", "line 3"])
        #expect(json["skipped"]?.items?.first?["what"]?.text == "colour: is no member that is known")
        #expect(json["records"]?.items?.map { $0["place"]?.text } == ["line 2", "line 4"])
        #expect(json["records"]?.items?.last?["kind"] == nil && json["dry_run"]?.flag == false)
        let deleted = #"{"items":[{"type":2,"name":"n","notes":"x","deletedDate":"2024-01-01T00:00:00Z"}]}"#
        let trashed = try report(ImportBatch(json: Array(deleted.utf8))).json
        #expect(trashed["records"]?.items?.map { $0["trash"]?.flag } == [true] && trashed["trash"]?.number == 1)
        let note = #"{"items":[{"type":3,"name":"n","card":{"number":"1"}}]}"#
        let noted = try report(ImportBatch(json: Array(note.utf8))).json
        #expect(noted["notices"]?.items?.count == 1 && noted["skipped"]?.items?.isEmpty == true)
    }
}
