import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// A small vault under a known key, and vaults made from it around hostile parts, with every hash and tag right.
struct Forge: Sendable {
    static let path: BytePath = "v.qvault"
    static let shared: Forge = {
        do { return try Forge() } catch { fatalError("the vault that all others are made from: \(error)") }
    }()

    let master: [UInt8]
    let base: [UInt8]
    /// The base with more saves behind it, some of them large.
    let longBase: [UInt8]
    let keys: Keys
    let header: Header
    /// The base's newest commit.
    let core: Core
    private let slots: SlotArea

    private init() throws {
        let files = MemoryFileSystem()
        let environment = testEnvironment(files)
        do {
            let creation = try VaultCreation(Self.path, credential: Self.credential(), in: environment)
            let work = try creation.treeImport { _ in }
            for (name, size) in [("d/a", 10), ("d/b", 70_000), ("c", 0), ("long", 1_000)] {
                try work.addStream(as: BytePath(name), read: reading([UInt8](repeating: 0x61, count: size)))
            }
            files.write("link", Array("d/a".utf8), kind: .symlink)
            try work.add("link", as: "link")
            try creation.commit()
        }
        // The third draw (Spec/example.md).
        var random: any RandomSource = environment.random
        _ = try random.bytes(16)
        _ = try random.bytes(8)
        let master = try random.bytes(32)
        base = files.node(Self.path)?.content ?? []
        let locked = try LockedVault(Self.path, in: environment)
        header = locked.header
        keys = try Keys(
            master: Secret(copying: master.span), vaultID: header.vaultID, epoch: header.epoch)
        for step in 0..<3 {
            var later = environment
            later.random = CountingRandom(seed: UInt64(step) + 100)
            let save = try VaultTransaction(Self.path, in: later, timeout: .zero) { _ in
                try Secret(copying: master.span)
            }
            let work = try save.treeImport { _ in }
            try work.addStream(
                as: "d/a", read: reading([UInt8](repeating: UInt8(step), count: 700_000 * (step % 2))))
            if step == 2, let entry = try save.before.entry(at: "long") { try save.trash(entry) }
            try save.commit()
        }
        longBase = files.node(Self.path)?.content ?? []
        (core, slots, self.master) = (try locked.record().core, locked.slots, master)
    }

    func masterKey() throws -> Secret { try Secret(copying: master.span) }

    static func credential() throws -> Credential {
        try Credential(deviceKey: Secret(byteCount: 32) { for i in 0..<32 { $0[i] = UInt8(i) } })
    }

    // MARK: Vaults around hostile parts

    /// The base with another payload area: these bytes from its start on, then padding.
    func vault(payload: [UInt8], segment: (place: Int, length: Int, head: [UInt8])) throws -> [UInt8] {
        let length = Int(Layout.align(UInt64(payload.count), to: Layout.alignment))
        var area = payload + [UInt8](repeating: 0, count: length - payload.count)
        var padding = try keys.padding(core.salt)
        try area.withMutableSlice(payload.count..<length) {
            try padding.keystream(from: UInt64(payload.count), into: &$0)
        }
        let link = SegmentLink(
            offset: core.start + UInt64(segment.place), length: UInt64(segment.length),
            headLength: UInt64(segment.head.count), headCopy: 0, salt: core.salt,
            headHash: Bytes32(try SHA256.hash(segment.head.span)))
        let tail = try CommitTail(
            at: core.start + UInt64(length), payloadLength: UInt64(length), rows: rows(area), head: segment.head,
            core.salt, keys)
        return try finish(area, tail, Core.PrivatePart(segment: link, time: 1, writer: "fuzz"))
    }

    private func finish(_ area: [UInt8], _ tail: CommitTail, _ part: Core.PrivatePart) throws -> [UInt8] {
        let core = try Core(
            vaultID: core.vaultID, epoch: core.epoch, sequence: core.sequence, salt: core.salt, start: core.start,
            payloadLength: UInt64(area.count), tailLength: tail.byteCount, previous: core.previous,
            tableHash: tail.tableHash, slotHash: slots.hash(), privatePart: part, keys: keys)
        let record = CommitRecord(core: core, previous: nil)
        let header = Header(vaultID: core.vaultID, epoch: core.epoch, sequence: core.sequence, logEnd: core.end)
        let page = try Page(header: header, slots: slots, record: record, keys: keys)
        var file = Array(base[..<Int(core.start)])
        file.replaceSubrange(0..<4096, with: page.bytes)
        file.replaceSubrange(65_536..<69_632, with: page.bytes)
        return file + area + tail.bytes(behind: record) + page.bytes
    }

    private func rows(_ area: [UInt8]) throws -> [UInt8] {
        var rows: [UInt8] = []
        for start in stride(from: 0, to: area.count, by: Layout.blockByteCount) {
            let block = area.span.extracting(start..<min(start + Layout.blockByteCount, area.count))
            rows += try CheckTable.row(UInt64(start / Layout.blockByteCount), of: block, salt: core.salt)
        }
        return rows
    }

    /// A vault whose manifest has this plaintext as its head and these as its chunks (part, plaintext), behind
    /// `records`.
    func vault(records: [UInt8] = [], head: [UInt8], chunks: [(SegmentPart, [UInt8])]) throws -> [UInt8] {
        var payload = records
        try pad(&payload)
        var cipher = try AESGCM(key: keys.commitKey(.segment, salt: core.salt))
        let sealedHead = try cipher.sealed(head.span, nonce: .segment(part: .head, index: 0))
        var body: [UInt8] = []
        var counts: [UInt8: UInt32] = [:]
        for (part, plain) in chunks {
            body += try cipher.sealed(plain.span, nonce: .segment(part: part, index: counts[part.rawValue, default: 0]))
            counts[part.rawValue, default: 0] += 1
        }
        let place = payload.count
        payload += sealedHead + body
        return try vault(payload: payload, segment: (place, payload.count - place, sealedHead))
    }

    /// Padding up to the next place for a record or segment.
    func pad(_ payload: inout [UInt8]) throws {
        let from = payload.count
        payload += [UInt8](repeating: 0, count: (64 - from % 64) % 64)
        var padding = try keys.padding(core.salt)
        try payload.withMutableSlice(from..<payload.count) { try padding.keystream(from: UInt64(from), into: &$0) }
    }

    /// A head that fits one chunk of live entries.
    func head(for chunk: [UInt8], count: Int, first: [UInt8]) throws -> [UInt8] {
        var cipher = try AESGCM(key: keys.commitKey(.segment, salt: core.salt))
        let sealed = try cipher.sealed(chunk.span, nonce: .segment(part: .live, index: 0))
        var writer = CBORWriter()
        writer.array(5)
        writer.array(1)
        writer.array(4)
        writer.unsigned(UInt64(sealed.count))
        writer.unsigned(UInt64(count))
        writer.byteString(Array(try SHA256.hash(sealed.span)[..<16]))
        writer.byteString(first)
        writer.array(0)
        writer.array(0)
        writer.null()
        writer.map(0)
        return writer.bytes
    }

    /// A stored record, its header from raw plaintext if that is given.
    func record(_ entry: Entry, _ content: [UInt8], header raw: [UInt8]? = nil) throws -> [UInt8] {
        var headers = try AESGCM(key: keys.header)
        let salt = entry.salt.bytes
        var header = StoredRecord.Header(
            id: entry.id, kind: entry.kind, revision: entry.revision, length: entry.length, time: 1,
            parent: entry.parent, first: entry.first, title: entry.overview.title)
        (header.otherLength, header.isList) = (entry.content.otherLength, entry.content.isList)
        let plain = raw ?? header.bytes
        var bytes =
            salt + (try headers.sealed(plain.span, nonce: .header(of: entry.salt), aad: salt + keys.vaultID.bytes))
        var cipher = try RecordCipher(keys)
        try cipher.turn(to: entry.salt)
        let chunks = StoredRecord.chunkCount(UInt64(content.count))
        for index in 0..<chunks {
            let piece = content[Int(index) * 65_536..<min(content.count, Int(index + 1) * 65_536)]
            bytes += try cipher.cipher.sealed(Array(piece).span, nonce: .chunk(index, isFinal: index == chunks - 1))
        }
        return bytes
    }

    // MARK: Making hashes right again

    /// The hashes and tags to make right, by bits.
    enum Fix {
        static let page: UInt8 = 1
        static let tags: UInt8 = 2
        static let core: UInt8 = 4
        static let table: UInt8 = 8
    }

    /// Makes SHA-256s and tags of a changed copy of the base fit its bytes.
    func fix(_ file: inout [UInt8], _ what: UInt8) throws {
        let record = Int(core.recordOffset)
        guard file.count >= Int(core.end) else { return }
        if what & Fix.table != 0 {
            let rest = Array(file[Int(core.headCopyOffset)..<Int(core.end)])
            let last = try CheckTable.row(core.blockCount, of: rest.span, salt: core.salt)
            let table = try rows(Array(file[Int(core.start)..<record])) + last
            file.replaceSubrange(record + 1024..<record + 1024 + table.count, with: table)
            file.replaceSubrange(record + 144..<record + 176, with: try SHA256.hash(table.span))
        }
        if what & Fix.core != 0 {
            try sign(&file, record..<record + 512, what)
            for page in pages(file) {
                file.replaceSubrange(page + 2304..<page + 2816, with: file[record..<record + 512])
            }
        }
        if what & Fix.page != 0 {
            for page in pages(file) { try sign(&file, page..<page + 4096, what) }
        }
    }

    /// The offsets of the pages in a copy of the base that is not cut.
    private func pages(_ file: [UInt8]) -> [Int] {
        [0, 65_536, Int(core.end)].filter { $0 + 4096 <= file.count }
    }

    /// Tags, if wanted, and the SHA-256 at the end of a structure.
    func sign(_ file: inout [UInt8], _ range: Range<Int>, _ what: UInt8) throws {
        let at = range.upperBound - 96
        if what & Fix.tags != 0 {
            let tags = try keys.tags(of: file.span.extracting(range.lowerBound..<at))
            file.replaceSubrange(at..<at + 64, with: tags.audit.bytes + tags.owner.bytes)
        }
        let hash = try SHA256.hash(file.span.extracting(range.lowerBound..<range.upperBound - 32))
        file.replaceSubrange(range.upperBound - 32..<range.upperBound, with: hash)
    }
}

extension Forge {
    /// A live entry whose id its name gives.
    func entry(
        kind: Entry.Kind, _ id: RecordID? = nil, title: [UInt8], parent: RecordID?, length: UInt64
    ) -> Entry {
        let id = id ?? (try? TreeName.id(title, in: parent)) ?? .zero
        return Entry(
            id: id, kind: kind, revision: 1, salt: Salt([UInt8](repeating: 7, count: 32)), place: core.start,
            length: length, created: 1, updated: 1, parent: parent, first: 1,
            overview: Overview(title: title, modified: 1))
    }

    /// A vault with these entries, their stored records at the front of the payload.
    func vault(records: [UInt8], entries: [Entry]) throws -> [UInt8] {
        var payload = records
        try pad(&payload)
        var content = SegmentContent()
        content.live = entries
        let place = payload.count
        let (parts, link) = try content.sealed(at: core.start + UInt64(place), salt: core.salt, keys: keys, base: nil)
        payload += parts.flatMap { $0 }
        return try vault(
            payload: payload,
            segment: (place, Int(link.length), Array(parts[0])))
    }
}
