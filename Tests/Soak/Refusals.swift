import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Bytes and numbers that no vault of the vectors holds, since another check would refuse it first: each is refused by
/// the check it is made for.
func refuseEachRule(_ kit: SoakRun) throws {
    let keys = try Keys(
        master: Secret(copying: [UInt8](repeating: 7, count: 32).span), vaultID: .zero,
        epoch: Epoch(Bytes16(high: 1, low: 0)))
    for rule in encodings + (try places()) + (try headers(keys)) + writers(keys) {
        kit.count("rules")
        do {
            try rule.attempt()
            kit.violate("nothing refuses \(rule.name)")
        } catch is FormatError {}
    }
}

private struct Rule {
    let name: String
    let attempt: () throws -> Void

    init(_ name: String, _ attempt: @escaping () throws -> Void) { (self.name, self.attempt) = (name, attempt) }
}

private var encodings: [Rule] {
    [
        Rule("a length of 16 bytes") { _ = try number([0x1C] + zeros(15) + [1]) },
        Rule("a length of 128 bytes") { _ = try number([0x1F] + zeros(127) + [1]) },
        Rule("an array longer than what is left") {
            var reader = CBORReader([0x9B, 0x80] + zeros(7))
            _ = try reader.arrayCount()
        },
        Rule("a map longer than what is left") {
            var reader = CBORReader([0xBB, 0x80] + zeros(7))
            _ = try reader.mapCount()
        },
        Rule("a map of maps longer than what is left") {
            var reader = CBORReader([0xBB, 0x80] + zeros(7))
            _ = try reader.item(depth: 1)
        },
        Rule("a number in the place of a string") {
            var reader = CBORReader([0x01, 0x41])
            _ = try reader.string(allowingText: true)
        },
        Rule("bytes behind a map") { try CBORReader.forEachPair(([0xA0, 0x00] as [UInt8]).span) { _, _ in } },
        Rule("unknown keys out of order") { try parse(entry(extra: [0x18, 0x19, 0x00, 0x18, 0x18, 0x00])) },
        Rule("an unknown key twice") { try parse(entry(extra: [0x18, 0x19, 0x00, 0x18, 0x19, 0x00])) },
        Rule("revision 0") { try parse(entry(revision: 0)) },
        Rule("first sequence 0") { try parse(entry(first: 0)) },
        Rule("a tombstone of the past") {
            var tombstone = entry()
            tombstone.state = .purged
            try parse(encoded(tombstone), part: .past)
        },
        Rule("a past entry that is purged") {
            // As a past entry, but with the flag of a tombstone.
            var past = entry()
            (past.last, past.state) = (1, .trashed)
            var bytes = encoded(past)
            bytes[bytes.lastIndex(of: 0x0B)! + 1] = 2
            try parse(bytes, part: .past)
        },
        Rule("a revision too many") { _ = try Entry.next(Limits.counter) },
        Rule("a core that is cut short") { _ = try Core(parsing: [0x89] + Array("QVCMIT\n".utf8)) },
        Rule("a record that is cut short") { _ = try CommitRecord(parsing: zeros(511)) },
    ]
}

private func places() throws -> [Rule] {
    func link(offset: UInt64 = 131_072, length: UInt64 = 100, headLength: UInt64 = 50, headCopy: UInt64 = 1 << 59)
        -> SegmentLink
    {
        SegmentLink(
            offset: offset, length: length, headLength: headLength, headCopy: headCopy, salt: .zero, headHash: .zero)
    }
    func head(_ chunk: (length: UInt64, items: UInt64)) -> [UInt8] {
        var writer = CBORWriter()
        writer.array(5)
        writer.array(1)
        writer.array(4)
        writer.unsigned(chunk.length)
        writer.unsigned(chunk.items)
        writer.byteString(Bytes16.zero)
        writer.byteString(Bytes16.zero)
        writer.array(0)
        writer.array(0)
        writer.null()
        writer.map(0)
        return writer.bytes
    }
    _ = try SegmentHead(parsing: head((20, 1)), of: link(length: 70))
    return [
        Rule("a segment between two units") { try link(offset: 131_073).check(endsBy: 1 << 40) },
        Rule("a segment beyond the limit of a file") { try link(offset: Limits.fileByteCount).check(endsBy: .max) },
        Rule("a segment longer than the limit") {
            try link(length: Limits.segmentByteCount + 1).check(endsBy: 1 << 47)
        },
        Rule("a head longer than the limit") {
            try link(length: 4 * Limits.headByteCount, headLength: Limits.headByteCount + 1).check(endsBy: 1 << 47)
        },
        Rule("a head longer than its segment") { try link(length: 49).check(endsBy: 1 << 40) },
        Rule("a copy of a head within the segment") { try link(headCopy: 131_171).check(endsBy: 1 << 40) },
        Rule("a copy of a head beyond the limit of a file") {
            try link(headCopy: Limits.fileByteCount).check(endsBy: 1 << 40)
        },
        Rule("a chunk of a tag alone") {
            _ = try SegmentHead(parsing: head((16, 1)), of: link(length: 66))
        },
        Rule("a chunk without items") {
            _ = try SegmentHead(parsing: head((20, 0)), of: link(length: 70))
        },
        Rule("a chunk of many items that is too long") {
            let length = UInt64(Limits.segmentChunkByteCount + 1)
            _ = try SegmentHead(parsing: head((length, 2)), of: link(length: 50 + length))
        },
    ]
}

/// Sealed headers of records, and cores, each authentic and with a field that no writer gives it.
private func headers(_ keys: Keys) throws -> [Rule] {
    func open(_ plain: [UInt8]) throws {
        var cipher = try AESGCM(key: keys.header)
        let sealed = try cipher.sealed(
            plain.span, nonce: .header(of: .zero), aad: Salt.zero.bytes + keys.vaultID.bytes)
        var headers = try StoredRecord.HeaderCipher(keys)
        _ = try headers.opened((Salt.zero.bytes + sealed).span)
    }
    func changed(_ offset: Int, to value: UInt8) -> [UInt8] {
        var plain = zeros(StoredRecord.headerByteCount)
        plain[offset] = value
        return plain
    }
    func core(
        start: UInt64, payloadLength: UInt64 = 4096, tailLength: UInt64 = 4096, sequence: UInt64 = 1, epoch: UInt64 = 1
    ) throws {
        let link = SegmentLink(
            offset: 131_072, length: 100, headLength: 50, headCopy: 0, salt: .zero, headHash: .zero)
        _ = try Core(
            vaultID: .zero, epoch: Epoch(Bytes16(high: epoch, low: 0)), sequence: sequence, salt: .zero, start: start,
            payloadLength: payloadLength, tailLength: tailLength, previous: .zero, tableHash: .zero, slotHash: .zero,
            privatePart: Core.PrivatePart(segment: link, time: 0, writer: ""), keys: keys)
    }
    try open(zeros(StoredRecord.headerByteCount))
    try core(start: 131_072)
    return [
        Rule("a header's flags") { try open(changed(18, to: 1)) },
        Rule("a name longer than its field") { try open(changed(72, to: 72)) },
        Rule("a record longer than the limit") { try open(changed(32, to: 255)) },
        Rule("a commit beyond the limit of a file") { try core(start: Limits.fileByteCount) },
        Rule("a commit between two units") { try core(start: 131_073) },
        Rule("a payload without bytes") { try core(start: 131_072, payloadLength: 0) },
        Rule("a payload of half a unit") { try core(start: 131_072, payloadLength: 6144) },
        Rule("nothing behind a payload") { try core(start: 131_072, tailLength: 0) },
        Rule("half a unit behind a payload") { try core(start: 131_072, tailLength: 6144) },
        Rule("too little behind a payload for its table") {
            try core(start: 131_072, payloadLength: 1 << 30, tailLength: 4096)
        },
        Rule("sequence 0") { try core(start: 131_072, sequence: 0) },
        Rule("epoch 0") { try core(start: 131_072, epoch: 0) },
        Rule("an epoch that leaves no next one") { try core(start: 131_072, epoch: Limits.counter + 1) },
    ]
}

/// Content that a writer must never write, whatever a hostile stack of segments or its caller gives it.
private func writers(_ keys: Keys) -> [Rule] {
    func seal(_ change: (inout SegmentContent) throws -> Void) throws {
        var content = SegmentContent()
        try change(&content)
        _ = try content.sealed(at: 131_072, salt: .zero, keys: keys, base: nil)
    }
    func past(_ number: UInt64 = 1) -> Entry {
        var past = entry()
        (past.first, past.last) = (number, number)
        return past
    }
    func line(_ number: UInt64) -> CommitLine {
        CommitLine(sequence: number, time: 0, recordOffset: 131_072, fingerprint: .zero)
    }
    func slot(_ request: KeySlot.Request) throws {
        let password = zeros(8).map { $0 + 0x61 }
        let credential = try Credential(password: Secret(copying: password.span))
        var random = SystemRandom()
        _ = try KeySlot(request, for: credential, keys: keys, id: .zero, now: 0, random: &random)
    }
    func misnamed() throws {
        let fixture = try VaultFixture([("hello", [1])])
        guard var entry = try fixture.open().entry(at: "hello") else { return }
        entry.overview.title = Array("other".utf8)
        try fixture.save(seed: 1) { try $0.reinstate(entry) }
        _ = try fixture.open().entry(at: "hello")
    }
    return [
        Rule("a path that leads to an entry of another name") { try misnamed() },
        Rule("a slot below the floor of iterations") { try slot(.init(derivation: .pbkdf2(iterations: 99_999))) },
        Rule("a password that is not stretched") { try slot(.init(derivation: .none)) },
        Rule("a label of 56 bytes") { try slot(.init(label: String(repeating: "x", count: 56))) },
        Rule("two past entries of one commit") { try seal { $0.past = [past(), past(2), past()] } },
        Rule("two present entries of one record") { try seal { $0.live = [entry(), entry()] } },
        Rule("two lines of one commit") { try seal { $0.lines = [line(1), line(2), line(1)] } },
        Rule("an entry longer than its chunk") {
            try seal {
                var long = entry()
                long.overview = Overview(title: zeros(Limits.singleItemChunkByteCount))
                $0.live = [long]
            }
        },
    ]
}

private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

private func number(_ bytes: [UInt8]) throws -> UInt64 {
    var reader = CBORReader(bytes)
    return try reader.unsigned()
}

private func entry(revision: UInt64 = 1, first: UInt64 = 1) -> Entry {
    Entry(
        id: .zero, kind: 9, revision: revision, salt: .zero, place: 131_072, length: 0, created: 0, updated: 0,
        parent: nil, first: first, overview: Overview(title: [0x61]))
}

private func encoded(_ entry: Entry) -> [UInt8] {
    var writer = CBORWriter()
    entry.write(to: &writer)
    return writer.bytes
}

/// An entry with two pairs more, as encoded.
private func entry(extra: [UInt8]) -> [UInt8] {
    var bytes = encoded(entry())
    bytes[0] += 2
    return bytes + extra
}

private func parse(_ entry: Entry) throws { try parse(encoded(entry)) }

private func parse(_ bytes: [UInt8], part: SegmentPart = .live) throws {
    var reader = CBORReader(bytes)
    _ = try Entry(parsing: &reader, part: part)
    try reader.finish()
}
