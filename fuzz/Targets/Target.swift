import Glibc
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// The targets (fuzz/README.md).
package enum FuzzTarget: String, CaseIterable, Sendable {
    case page, commit, manifest, cbor, record, frames, pieces, file, paths, store, wreck, parity, texts, jpeg, png
    case imports, queries

    /// One input. Errors of the library are answers; what must not be ends the process.
    package func run(_ bytes: [UInt8]) {
        var recipe = Recipe(bytes)
        do {
            switch self {
            case .page: try fuzzPage(&recipe)
            case .commit: try fuzzCommit(&recipe)
            case .manifest: try fuzzManifest(&recipe)
            case .cbor: try fuzzCBOR(&recipe)
            case .record: try fuzzRecord(&recipe)
            case .frames: try fuzzFrames(&recipe)
            case .pieces: try fuzzPieces(&recipe)
            case .file: try fuzzFile(&recipe)
            case .paths: try fuzzPaths(&recipe)
            case .store: try fuzzStore(&recipe)
            case .wreck: try fuzzWreck(&recipe)
            case .parity: try fuzzParity(&recipe)
            case .texts: try fuzzTexts(&recipe)
            case .jpeg, .png: fuzzPicture(bytes)
            case .imports: fuzzImport(bytes)
            case .queries: try fuzzQuery(bytes)
            }
        } catch let error as FormatError {
            expect(!error.what.said { $0.replacing("{}", with: "{1}") }.isEmpty, "an error says something")
        } catch is VaultError {
        } catch let error as IOError {
            expect(!error.reason.isEmpty, "an error says something")
        } catch {
            fatalError("an error that a caller does not expect: \(error)")
        }
    }
}

/// A page: patches of a sound one, then whatever a reader does before it knows the log.
private func fuzzPage(_ recipe: inout Recipe) throws {
    let forge = Forge.shared
    let fix = recipe.byte()
    var file = forge.base
    patch(&file, &recipe, 0..<Int(Layout.logStart))
    if fix & Forge.Fix.page != 0 { try forge.fix(&file, fix & 3) }
    let page = try? Page(parsing: Array(file[..<4096]))
    if let page {
        _ = try page.record()
        try page.authenticate(forge.keys)
        expect(page.bytes == Array(file[..<4096]), "a page keeps its bytes")
    }
    if let page { try fuzzSlots(page.slots) }
    try use(file, reads: false)
}

/// Every kind of secret against every slot, but where an honest vault would only cost time.
private func fuzzSlots(_ area: SlotArea) throws {
    let forge = Forge.shared
    let costly = area.slots.map(\.slot).filter { $0.knownKind != nil && $0.knownKind != .deviceKey }
    guard costly.isEmpty || (try? SlotArea.checkCost(costly, acceptsAnyCost: false)) == nil else { return }
    let word = try Secret(byteCount: 9) { for i in 0..<9 { $0[i] = 0x61 } }
    func opens(_ credential: borrowing Credential) -> Bool {
        (try? area.unlock(with: credential, of: forge.header)) != nil
            || (try? area.unlock(with: credential, of: forge.header, number: 2)) != nil
    }
    expect(try !opens(Credential(password: word)), "a password opens no slot of another kind")
    expect(
        try !opens(Credential(password: word, keyfileDigest: [UInt8](repeating: 1, count: 32))), "nor with a keyfile")
    expect(try !opens(Credential(recoveryKey: Secret(byteCount: 20))), "nor does a recovery key")
}

/// A commit record and its private part.
private func fuzzCommit(_ recipe: inout Recipe) throws {
    let forge = Forge.shared
    let fix = recipe.byte()
    var bytes = Array(forge.base[Int(forge.core.recordOffset)..<Int(forge.core.recordOffset) + 1024])
    patch(&bytes, &recipe, 0..<1024)
    if fix & Forge.Fix.core != 0 { try forge.sign(&bytes, 0..<512, fix) }
    let record = try CommitRecord(parsing: bytes)
    expect(record.core.end > record.core.recordOffset, "a commit ends behind its record")
    try record.core.authenticate(forge.keys)
    _ = try record.core.privatePart(keys: forge.keys)
}

/// A manifest around a hostile head or hostile chunks, in a vault that is sound but for it.
private func fuzzManifest(_ recipe: inout Recipe) throws {
    let forge = Forge.shared
    switch recipe.byte() % 3 {
    case 0:
        let head = recipe.string()
        let file = try forge.vault(head: head, chunks: [(.live, recipe.string()), (.past, recipe.string())])
        try use(file)
    case 1:
        // A head that fits: what is hostile is the chunk.
        let chunk = recipe.all()
        guard chunk.count <= 16_000 else { return }
        var reader = CBORReader(chunk)
        let count = (try? reader.arrayCount()) ?? 1
        let first = firstID(chunk)
        let head = try forge.head(for: chunk, count: max(1, min(count, 4096)), first: first)
        try use(try forge.vault(head: head, chunks: [(.live, chunk)]))
    default:
        let link = SegmentLink(
            offset: recipe.number(4), length: recipe.number(3), headLength: recipe.number(2), headCopy: 0, salt: .zero,
            headHash: .zero)
        let head = try SegmentHead(parsing: recipe.all(), of: link)
        expect(head.itemCount >= head.live.count + head.past.count + head.lines.count, "no chunk is empty")
    }
}

/// CBOR of any kind, and entries: what is taken is written back byte for byte.
private func fuzzCBOR(_ recipe: inout Recipe) throws {
    let part: SegmentPart = recipe.byte() % 2 == 0 ? .live : .past
    let bytes = recipe.all()
    var reader = CBORReader(bytes)
    let item = try? reader.item(depth: 1)
    if let item { expect(item.count == reader.position, "an item is what was read") }
    var entries = CBORReader(bytes)
    let entry = try Entry(parsing: &entries, part: part)
    var writer = CBORWriter()
    entry.write(to: &writer)
    expect(writer.bytes == Array(bytes[..<entries.position]), "an entry is written as it was read")
    _ = try entry.hasDerivedID()
}

/// A stored record: its header from raw plaintext, its chunks patched.
private func fuzzRecord(_ recipe: inout Recipe) throws {
    let forge = Forge.shared
    let fix = recipe.byte()
    let content = [UInt8](repeating: 0x62, count: Int(recipe.number(3) % (fix & 8 != 0 ? 1_200_000 : 200_000)))
    var entry = forge.entry(kind: .file, title: Array("f".utf8), parent: nil, length: UInt64(content.count))
    let raw = fix & 1 != 0 ? recipe.bytes(144) : nil
    var stored = try forge.record(
        entry, content, header: raw.map { $0 + [UInt8](repeating: 0, count: 144 - $0.count) })
    patch(&stored, &recipe, 0..<stored.count)
    entry.content.place = forge.core.start + (fix & 2 != 0 ? recipe.number(2) * 64 : 0)
    if fix & 4 != 0 { entry.content.length = recipe.number(4) }
    let file = try forge.vault(records: stored, entries: [entry])
    let vault = try open(file)
    var got: [UInt8] = []
    let failed = Result { try vault.read(entry) { piece in for i in piece.indices { got.append(piece[i]) } } }
    expect(content.starts(with: got), "only authentic content is handed out")
    if case .success = failed { expect(got == content, "content is all there") }
    _ = try vault.verify()
}

/// Compressed content: any length, and any stored bytes. All readers agree on it, and a piece is whole or not there.
private func fuzzFrames(_ recipe: inout Recipe) throws {
    let forge = Forge.shared
    let length = recipe.number(3) % 2_500_000 + 1
    let stored = recipe.all()
    guard !stored.isEmpty else { return }
    var entry = forge.entry(kind: .file, title: Array("f".utf8), parent: nil, length: length)
    entry.content.otherLength = UInt64(stored.count)
    let vault = try open(try forge.vault(records: forge.record(entry, stored), entries: [entry]))
    var got: [UInt8] = []
    let inOrder = Result { try vault.read(entry) { got += Array(copying: $0) } }
    if case .success = inOrder { expect(UInt64(got.count) == length, "content is all there") }
    expect(UInt64(got.count) == length || got.count % FrameTable.contentByteCount == 0, "a frame is whole or not there")
    var reader = try vault.reader()
    try reader.open([entry.content])
    var pulled = [UInt8](repeating: 0, count: Int(length) + 1)
    let atOwnPace = Result { try pulled.withMutableSlice(0..<pulled.count) { try reader.pull(into: &$0) } }
    if case .success(let count) = atOwnPace { expect(Array(pulled[..<count]) == got, "both ways give the same") }
    let isSound = (try? inOrder.get()) != nil
    expect(isSound == ((try? atOwnPace.get()) != nil), "both ways find the same")
    expect(isSound == (try vault.verify().findings.isEmpty), "a check finds what reading finds")
}

/// A list of pieces: any rows for a content of any length. All of it is handed out, or nothing.
private func fuzzPieces(_ recipe: inout Recipe) throws {
    let forge = Forge.shared
    let length = recipe.number(3)
    let contents = [[UInt8](repeating: 1, count: 5), [UInt8](repeating: 2, count: 70_000)]
    var (entries, records): ([Entry], [UInt8]) = ([], [])
    func add(_ entry: Entry, _ stored: [UInt8]) throws {
        var entry = entry
        entry.content.salt = Salt([UInt8](repeating: UInt8(entries.count + 1), count: 32))
        try forge.pad(&records)
        entry.content.place = forge.core.start + UInt64(records.count)
        records += try forge.record(entry, stored)
        entries.append(entry)
    }
    for (number, content) in contents.enumerated() {
        let id = RecordID([UInt8](repeating: 0, count: 15) + [UInt8(number)])
        try add(forge.entry(kind: .piece, id, title: [], parent: nil, length: UInt64(content.count)), content)
    }
    // A row that is short of bytes names one of the pieces.
    var (stored, whole): ([UInt8], [UInt8]) = ([], [])
    while !recipe.isEmpty, stored.count < 24 * 100 {
        let how = recipe.byte()
        let named = contents[Int(how & 1)]
        let id = RecordID([UInt8](repeating: 0, count: 15) + [how & 1])
        let row = PieceList([PieceList.Piece(id: id, length: UInt64(named.count))]).bytes
        stored += how & 2 != 0 ? row : Array((recipe.bytes(24) + row).prefix(24))
        whole += named
    }
    guard !stored.isEmpty else { return }
    let isRight = length >= 1 << 23
    var file = forge.entry(
        kind: .file, title: Array("f".utf8), parent: nil, length: isRight ? UInt64(whole.count) : length)
    (file.content.otherLength, file.content.isList) = (UInt64(stored.count), true)
    try add(file, stored)
    let vault = try open(try forge.vault(records: records, entries: entries.sorted { $0.id < $1.id }))
    let entry = entries[2]
    var got: [UInt8] = []
    let read = Result { try vault.read(entry) { got += Array(copying: $0) } }
    let isSound = (try? read.get()) != nil
    expect(isSound ? got == whole && UInt64(got.count) == entry.length : got.isEmpty, "a content is whole or not there")
    expect(isSound == (try vault.verify().findings.isEmpty), "a check finds what reading finds")
    let half = Int(entry.length / 2)
    var part: [UInt8] = []
    if isSound {
        try vault.read(entry, in: UInt64(half)..<entry.length) { part += Array(copying: $0) }
        expect(part == Array(whole[half...]), "a part is that of the whole")
    }
}

/// A whole file, patched anywhere, with or without right hashes, cut or grown.
private func fuzzFile(_ recipe: inout Recipe) throws {
    let forge = Forge.shared
    let fix = recipe.byte()
    var file = fix & 32 != 0 ? forge.longBase : forge.base
    if fix & 64 != 0 { file.removeLast(min(file.count, Int(recipe.number(3)))) }
    if fix & 128 != 0 { file += recipe.string() }
    patch(&file, &recipe, 0..<file.count)
    if fix & 32 == 0 { try forge.fix(&file, fix & 15) }
    try use(file)
}

/// Names, kinds, parents and links of any kind, unpacked to a real folder: nothing may appear beside it.
private func fuzzPaths(_ recipe: inout Recipe) throws {
    let forge = Forge.shared
    var (entries, records): ([Entry], [UInt8]) = ([], [])
    while !recipe.isEmpty, entries.count < 12 {
        let how = recipe.byte()
        let kind = [Entry.Kind.file, Entry.Kind.folder, Entry.Kind.symlink, 9][Int(how & 3)]
        let parent = how & 4 != 0 ? entries.indices.contains(Int(how >> 4)) ? entries[Int(how >> 4)].id : nil : nil
        let title = recipe.string()
        let content = kind == .folder ? [] : recipe.string()
        var entry = forge.entry(kind: kind, title: title, parent: parent, length: UInt64(content.count))
        entry.content.salt = Salt([UInt8](repeating: UInt8(entries.count + 1), count: 32))
        if entries.contains(where: { $0.id == entry.id }) { continue }
        try forge.pad(&records)
        entry.content.place = forge.core.start + UInt64(records.count)
        records += try forge.record(entry, content)
        entries.append(entry)
    }
    try Box.shared.unpack(try forge.vault(records: records, entries: entries))
}

/// Saves of any order and content, held against a dictionary.
private func fuzzStore(_ recipe: inout Recipe) throws {
    let files = MemoryFileSystem()
    files.write(Forge.path, Forge.shared.base)
    if recipe.byte() & 1 != 0 { files.longestWrite = 1000 }
    var model: [BytePath: [UInt8]] = [:]
    for step in 0..<UInt64(24) where !recipe.isEmpty {
        var environment = testEnvironment(files)
        environment.random = CountingRandom(seed: step + 1)
        let save = try VaultTransaction(Forge.path, in: environment, timeout: .zero) { _ in try Forge.shared.masterKey()
        }
        let how = recipe.byte()
        let path = BytePath(["x", "y", "d/x", "e/f/g"][Int(how & 3)])
        if how & 32 != 0 { try refuse(files) }
        if how & 4 != 0, let entry = try save.before.entry(at: path), model[path] != nil {
            try save.trash(entry)
            model[path] = nil
        } else {
            let content = [UInt8](repeating: how, count: Int(recipe.number(2)) * (how & 8 != 0 ? 16 : 1))
            try save.treeImport { _ in }.addStream(as: path, read: reading(content))
            model[path] = content
        }
        if how & 16 != 0 { continue }  // dropped: nothing of it is there
        if !save.isEmpty { try save.commit() }
    }
    let vault = try open(files.node(Forge.path)?.content ?? [])
    expect(try vault.verify().findings.isEmpty, "a vault that was written to is sound")
}

/// A second writer at the same time gets nowhere.
private func refuse(_ files: MemoryFileSystem) throws {
    let second = Result {
        _ = try VaultTransaction(Forge.path, in: testEnvironment(files), timeout: .milliseconds(40)) { _ in
            try Forge.shared.masterKey()
        }
    }
    guard case .failure(VaultError.busy) = second else { fatalError("does not hold: one writer at a time") }
}

// MARK: What targets share

/// Changes bytes: offset (3 bytes), then a string that is written there.
func patch(_ bytes: inout [UInt8], _ recipe: inout Recipe, _ range: Range<Int>) {
    while !recipe.isEmpty, !range.isEmpty {
        let at = range.lowerBound + Int(recipe.number(3)) % range.count
        for (i, byte) in recipe.string().enumerated() where at + i < range.upperBound { bytes[at + i] = byte }
    }
}

/// The id that an array's first entry says, if it says one.
private func firstID(_ chunk: [UInt8]) -> [UInt8] {
    let end = chunk.count - 18
    for i in stride(from: 0, to: min(end, 8), by: 1) where chunk[i] == 0 && chunk[i + 1] == 0x50 {
        return Array(chunk[i + 2..<i + 18])
    }
    return [UInt8](repeating: 0, count: 16)
}

private func open(_ file: [UInt8]) throws -> Vault {
    let files = MemoryFileSystem()
    files.write(Forge.path, file)
    return try LockedVault(Forge.path, in: testEnvironment(files)).open(master: Forge.shared.masterKey())
}

/// All that a person can do with a file: look at it, check it, open it, list it, read it, write it out.
private func use(_ file: [UInt8], reads: Bool = true) throws {
    let files = MemoryFileSystem()
    files.write(Forge.path, file)
    try files.makeFolder("out")
    let locked = try LockedVault(Forge.path, in: testEnvironment(files))
    _ = try? locked.slots.unlock(with: Forge.credential(), of: locked.header)
    _ = try locked.verify()
    _ = try? locked.commits()
    let vault = try locked.open(master: Forge.shared.masterKey())
    guard reads else { return }
    _ = try vault.verify()
    let listing = try TreeListing(vault.entries())
    for (path, entry) in listing {
        _ = try vault.entry(entry.id)
        _ = try? vault.entry(at: path)
        _ = path.description
    }
    try TreeExport(vault, to: "out", replacing: false) { _ in }.write(listing)
}

func expect(_ holds: Bool, _ what: String) { if !holds { fatalError("does not hold: \(what)") } }
