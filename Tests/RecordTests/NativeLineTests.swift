import Cards
import Exchange
import Pictures
import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Lines that give a vault back: each kind of record in the form that a person reads, or whole where that would lose something.
struct NativeLineTests {
    private struct Record {
        var kind: Entry.Kind
        var overview = Overview(title: Array("t".utf8))
        var content: [UInt8]
    }

    /// The members of the line of a record besides its id and times, in their order.
    private func line(
        _ record: Record, parent: Bool = false, _ attachments: NativeExport.Attachments = .inLine
    ) throws -> String {
        let fixture = try VaultFixture()
        var (id, owner): (RecordID?, RecordID?)
        try fixture.save(seed: 1) { save in
            let card = try save.makeID()
            try save.put(
                Card(
                    schema: #require(Schema.named("note")), overview: Overview(title: [0x6E]), fields: RecordFields()),
                as: card)
            let made = try save.makeID()
            try save.put(
                made, kind: record.kind, parent: parent ? card : nil, overview: record.overview, content: record.content
            )
            (id, owner) = (made, card)
        }
        let vault = try fixture.open()
        let entry = try #require(try id.flatMap { try vault.entry($0) })
        var text = try NativeExport(vault).line(entry, attachments)
        #expect(
            text.contains(#""id":"\#(entry.id)""#) && text.contains(#""created":"2026-01-02T03:04:05Z""#), "\(text)")
        if let owner { text = text.replacing("\(owner)", with: "OWNER") }
        text = text.replacing("\(entry.id)", with: "ID")
        return text.replacing(#","created":"2026-01-02T03:04:05Z","updated":"2026-01-02T03:04:05Z""#, with: "")
    }

    private static func fields(_ change: (inout RecordFields) -> Void) -> [UInt8] {
        var fields = RecordFields()
        change(&fields)
        return fields.bytes
    }

    @Test(
        arguments: [
            (.text("a"), #""type":"text","value":"a""#), (.secret("b"), #""type":"secret","value":"b""#),
            (.flag(true), #""type":"flag","value":true"#), (.list(["a", "b"]), #""type":"list","value":["a","b"]"#),
            (.file([1, 2]), #""type":"file","value":"AQI=""#),
        ] as [(Setting.Value, String)])
    func settings(_ value: Setting.Value, _ members: String) throws {
        let record = Record(kind: .setting, content: Setting(value).bytes)
        let text = try line(record)
        #expect(text == #"{"id":"ID","kind":"setting","title":"t",\#(members)}"#)
        let batch = try ImportBatch(
            native: Array((NativeExport.head + "\n" + text.replacing(#""id":"ID","#, with: "")).utf8))
        guard case .setting(let setting)? = batch.items.first?.content else { return #expect(Bool(false)) }
        #expect(setting.value == value && batch.problems.isEmpty)
    }

    /// What a newer program added keeps its bytes.
    @Test func recordsOfNewerPrograms() throws {
        let odd: [UInt8] = [0xA1, 0x18, 0x63, 0x01]
        for kind in [Entry.Kind.setting, .watermark, .share, Entry.Kind(rawValue: 99)] {
            let text = try line(Record(kind: kind, content: odd))
            #expect(text.contains(#""content":"\#(Base64.text(odd))""#), "\(text)")
        }
    }

    @Test func titlesThatAreNoText() throws {
        var overview = Overview(title: [0x61, 0xFF])
        let content = Self.fields { $0.texts["text"] = "x" }
        let hex = try line(Record(kind: .share, overview: overview, content: content))
        #expect(hex == #"{"id":"ID","kind":"share","title_hex":"61ff","fields":{"text":"x"}}"#)
        (overview.title, overview.group, overview.tags, overview.isPinned) = ([0x61], "g", ["x"], true)
        let own = Self.fields {
            $0.own = [.init(label: "l", value: "v", isSensitive: true), .init(label: "m", value: "w")]
        }
        let text = try line(Record(kind: .share, overview: overview, content: own), parent: true)
        #expect(
            text
                == #"{"id":"ID","kind":"share","owner":"OWNER","title":"a","group":"g","tags":["x"],"pinned":true,"fields":{},"own":[{"label":"l","value":"v","sensitive":true},{"label":"m","value":"w"}]}"#
        )
    }

    @Test func attachments() throws {
        var overview = Overview(title: Array("a.txt".utf8))
        (overview.modified, overview.mediaType) = (FileTime(nanoseconds: 7), "text/plain")
        let hash = hexText(try SHA256.hash(Array("hello".utf8).span))
        let record = Record(kind: .attachment, overview: overview, content: Array("hello".utf8))
        let head =
            #"{"id":"ID","kind":"attachment","owner":"OWNER","title":"a.txt","modified":"7","type":"text/plain","size":5"#
        #expect(try line(record, parent: true) == head + #","sha256":"\#(hash)","content":"aGVsbG8="}"#)
        #expect(
            try line(record, parent: true, .files { "d/\($0.id)" }) == head + #","sha256":"\#(hash)","file":"d/ID"}"#)
    }

    /// Titles that are no names of files, also those of another program that would lead out of the folder, are not in paths.
    @Test func pathsOfAttachments() throws {
        let fixture = try VaultFixture()
        let titles: [([UInt8], isNamed: Bool)] = [
            (Array("正面.jpg".utf8), true), (Array("../../x".utf8), false), (Array("a/b".utf8), false),
            (Array("..".utf8), false), (Array("a\u{1B}[2J".utf8), false), ([0xFF, 0x41], false),
            ([UInt8](repeating: 0x61, count: 201), false), ([UInt8](repeating: 0x61, count: 200), true),
        ]
        var expected: [RecordID: String] = [:]
        try fixture.save(seed: 1) { save in
            for (title, isNamed) in titles {
                let id = try save.makeID()
                try save.put(id, kind: .attachment, parent: nil, overview: Overview(title: title), content: [1])
                let hex = hexText(id.bytes)
                expected[id] =
                    "attachments/" + (isNamed ? "\(hex.prefix(8))-" + String(decoding: title, as: UTF8.self) : hex)
            }
        }
        let attachments = try fixture.open().entries().filter(\.isAttachment)
        #expect(NativeExport.paths(of: attachments) == expected)
        // Two that begin alike have their whole ids.
        let twins = [attachments[0], attachments[0]]
        #expect(NativeExport.paths(of: twins)[attachments[0].id] == "attachments/\(hexText(attachments[0].id.bytes))")
    }

    /// Files of the tree, thumbnails and what merges brought in are in no export; the rest comes by its id.
    @Test func recordsThatAreSelected() throws {
        let fixture = try VaultFixture([("a", [1]), ("d/b", [2])])
        try fixture.save(seed: 1) { save in
            for kind in [Entry.Kind.thumbnail, .mergedSaves, .setting, .attachment, .share, Entry.Kind(rawValue: 99)] {
                try save.put(
                    save.makeID(), kind: kind, parent: nil, overview: Overview(title: [0x61]),
                    content: Setting(.text("")).bytes)
            }
        }
        let selected = NativeExport.selected(try fixture.open().entries())
        #expect(Set(selected.map(\.kind)) == [.setting, .attachment, .share, Entry.Kind(rawValue: 99)])
        #expect(selected.map(\.id) == selected.map(\.id).sorted() && selected.count == 4)
    }

    // MARK: Lines

    private func said(_ line: String) throws -> [String] {
        try ImportBatch(native: Array((NativeExport.head + "\n" + line).utf8)).problems.map { "\($0.what)" }
    }

    @Test(arguments: [
        (#"{"kind":"watermark","title":"a","fields":{}}"#, "a mark without a text"),
        (#"{"kind":"watermark","title":"a","fields":{"text":"x","angle":"91"}}"#, "a mark's angle"),
        (#"{"kind":"share","title":"a","content":"AAAA"}"#, "map expected"),
        (#"{"kind":"share","title":"a","fields":{}}"#, nil),
        (#"{"kind":"watermark","title":"a","fields":{"text":"x"}}"#, nil),
        (
            #"{"kind":"note","title":"a","created":"2024-01-01T00:00:00Z","updated":"2024-01-01T00:00:00Z","modified":"7"}"#,
            nil
        ),
        (#"{"kind":"note","title":"a","id":"\#(String(repeating: "1", count: 34))"}"#, "an id is 32 digits"),
        (#"{"kind":"note","title":"a","id":"\#(String(repeating: "g", count: 32))"}"#, "an id is 32 digits"),
        (#"{"kind":"note","title":"a","group":"a\nb"}"#, "control characters, or more than one line"),
        (#"{"kind":"kind-","title":"a","content":""}"#, "kind: 'kind-' is no kind of records"),
        (#"{"kind":"kind-34","title":"a","content":""}"#, "kind: 'kind-34' is no kind of records"),
        (#"{"kind":"kind-32","title":"a","content":""}"#, "kind: 'kind-32' is no kind of records"),
        (#"{"kind":"setting","title":"a","type":"odd","value":"x"}"#, "value: is none of its type"),
        (#"{"kind":"setting","title":"a","type":"number","value":"1.50"}"#, nil),
        (#"{"kind":"attachment","title":"a"}"#, "file: is missing, or no path beneath the folder"),
        (#"{"kind":"note","title":"","fields":{}}"#, "title: is missing"), ("", nil),
    ])
    func whatIsSaidOfALine(_ line: String, _ what: String?) throws {
        let said = try said(line)
        #expect(what.map { said.count == 1 && said[0].contains($0) } ?? said.isEmpty, "\(said)")
    }

    /// A mark that comes with an id keeps it; else its id follows from its attachment's.
    @Test func idsOfMarks() throws {
        let (id, owner) = (String(repeating: "1", count: 32), String(repeating: "2", count: 32))
        let bytes = try #require(hexadecimalBytes(owner))
        let lines = [
            NativeExport.head, #"{"kind":"watermark","title":"a","owner":"\#(owner)","fields":{"text":"x"}}"#,
            #"{"kind":"watermark","title":"a","id":"\#(id)","owner":"\#(owner)","fields":{"text":"x"}}"#,
            #"{"kind":"share","title":"a","owner":"\#(owner)","fields":{"text":"x"}}"#,
            #"{"kind":"watermark-seed","title":"s","id":"\#(id)","content":"\#(Base64.text([UInt8](repeating: 1, count: 32)))"}"#,
        ]
        let batch = try ImportBatch(native: Array(lines.joined(separator: "\n").utf8))
        #expect(
            try batch.items.map(\.id) == [
                Vault.markID(of: RecordID(bytes)), hexadecimalBytes(id).map { RecordID($0) }, nil, Vault.seedRecordID(),
            ])
    }
}
