import Testing
import VaultCrypto
import VaultFormat
import VaultTesting

/// Entries, segments and their chunks as bytes.
struct ManifestFormatTests {
    private let vaultID = VaultID([UInt8](0..<16))
    private let salt = Salt([UInt8](0..<32))

    private func keys() throws -> Keys {
        try Keys(master: Secret(copying: [UInt8](repeating: 7, count: 32).span), vaultID: vaultID, epoch: Epoch(.zero))
    }

    private func entry(_ number: Int, title: [UInt8]? = nil) -> Entry {
        Entry(
            id: RecordID(high: UInt64(number), low: 0), kind: 1, revision: 1, salt: salt, place: 131_072, length: 0,
            created: 1, updated: 2, parent: nil, first: 1,
            overview: Overview(title: title ?? Array("entry \(number)".utf8)))
    }

    private func readBack(_ content: SegmentContent) throws -> (SegmentContent, SegmentHead) {
        var content = content
        let keys = try keys()
        let (parts, link) = try content.sealed(at: 131_072, salt: salt, keys: keys, base: nil)
        let bytes = parts.flatMap { $0 }
        var cipher = try AESGCM(key: keys.commitKey(.segment, salt: salt))
        let head = Array(bytes[..<Int(link.headLength)])
        let plain = try #require(try cipher.opened(head.span, nonce: .segment(part: .head, index: 0)))
        let parsed = try SegmentHead(parsing: plain, of: link)
        var read = SegmentContent()
        var offset = head.count
        for (part, chunks) in [(SegmentPart.live, parsed.live), (.past, parsed.past), (.lines, parsed.lines)] {
            for (index, chunk) in chunks.enumerated() {
                let sealed = Array(bytes[offset..<offset + chunk.length])
                offset += chunk.length
                #expect(Bytes32(try SHA256.hash(sealed.span)).prefix16 == chunk.digest)
                let plain = try #require(
                    try cipher.opened(sealed.span, nonce: .segment(part: part, index: UInt32(index))))
                switch part {
                case .live: read.live += try SegmentChunk.entries(plain, part, chunk)
                case .past: read.past += try SegmentChunk.entries(plain, part, chunk)
                default: read.lines += try SegmentChunk.lines(plain, chunk)
                }
            }
        }
        return (read, parsed)
    }

    @Test func segmentsReadBack() throws {
        var content = SegmentContent()
        content.live = (0..<500).reversed().map { entry($0) }
        content.past = (0..<100).map {
            var past = entry($0)
            past.last = 5
            return past
        }
        content.lines = (1...300).map {
            CommitLine(
                sequence: $0, time: Timestamp(microseconds: $0), recordOffset: 131_072 + $0 * 4096,
                fingerprint: Bytes16(high: $0, low: 1))
        }
        let (read, head) = try readBack(content)
        #expect(read.live == content.live.reversed())
        #expect(read.past == content.past && read.lines == content.lines)
        #expect(head.itemCount == 900)
        #expect((head.live + head.past + head.lines).allSatisfy { $0.length <= 4096 })
    }

    @Test(arguments: [3900, 3990, 4000, 4010, 4020, 8000, 16_000])
    func chunkBoundaries(_ titleLength: Int) throws {
        var content = SegmentContent()
        content.live = [entry(1), entry(2, title: [UInt8](repeating: 0x61, count: titleLength)), entry(3)]
        let (read, head) = try readBack(content)
        #expect(read == content)
        #expect(head.live.allSatisfy { $0.length <= ($0.count == 1 ? 16_384 : 4096) })
    }

    @Test func tooLargeAnEntryIsRefused() {
        var content = SegmentContent()
        content.live = [entry(1, title: [UInt8](repeating: 0x61, count: 16_384))]
        let error = #expect(throws: FormatError.self) { try readBack(content) }
        #expect(error?.code == .invalid)
    }

    @Test func unknownPairsSurvive() throws {
        var writer = CBORWriter()
        var known = CBORWriter()
        entry(4).write(to: &known)
        // The entry's map with two more keys, and its overview with three.
        var fields = Array(known.bytes.dropFirst())
        let overviewStart = fields.lastIndex(of: 0xA1)!
        fields.replaceSubrange(overviewStart...overviewStart, with: [0xA4, 0x61, 0x61, 0x01])
        fields += [0x67] + Array("unknown".utf8) + [0xA1, 0x01, 0x80, 0x68] + Array("unknown2".utf8) + [0xF6]
        writer.encoded([known.bytes[0] + 2] + fields + [0x10, 0x82, 0x01, 0x20, 0x18, 0x63, 0x41, 0xFF])
        var reader = CBORReader(writer.bytes)
        var read = try Entry(parsing: &reader, part: .live)
        try reader.finish()
        var again = CBORWriter()
        read.write(to: &again)
        #expect(again.bytes == writer.bytes)
        read.overview.isPinned = true
        read.overview.tags = ["x"]
        var edited = CBORWriter()
        read.write(to: &edited)
        var rereader = CBORReader(edited.bytes)
        #expect(try Entry(parsing: &rereader, part: .live) == read, "unknown pairs keep their places among the known")
    }

    @Test(
        arguments: [
            (1, 1), (2, 2), (9, 10), (4096, 4096), (4097, 4352), (100_000, 100_352), (1 << 30, 1 << 30),
            ((1 << 30) + 1, (1 << 30) + (1 << 25)),
        ] as [(UInt64, UInt64)])
    func padme(_ length: UInt64, _ expected: UInt64) {
        #expect(Layout.padme(length) == expected)
    }

    @Test func padmeNeverShrinksAndCostsAtMostAnEighth() {
        let powers = (14...47).map { UInt64(1) << UInt64($0) }
        for length in (1...20_000).map(UInt64.init) + powers + powers.map({ $0 + 1 }) + powers.map({ $0 - 1 }) {
            let padded = Layout.padme(length)
            #expect(padded >= length && padded - length <= length / 8 + 1)
        }
    }

    @Test(arguments: [
        ("a", true), ("..a", true), ("", false), (".", false), ("..", false), ("a/b", false), ("a\0", false),
        (String(repeating: "x", count: 255), true), (String(repeating: "x", count: 256), false),
    ])
    func titles(_ title: String, _ isValid: Bool) {
        #expect(TreeName.isValid(Array(title.utf8)) == isValid)
    }
}
