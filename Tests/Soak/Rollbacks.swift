import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Hands back older and forked files to a machine that has seen newer ones, in every pair of states of two histories.
func handBackOlderFiles(_ kit: SoakRun) throws {
    let count = kit.size(12, 40)
    let trunk = try history(count)
    // The same vault, edited apart from the middle on.
    let fork = try history(count, from: trunk, after: count / 2)
    try damageTheWitness(kit, trunk[0], trunk[1])
    try rememberOnlyWhatIsSure(kit, trunk[0], trunk[1])
    try rememberOnlySureForks(kit, seen: trunk[count / 2 + 1], fork[count / 2 + 1], fork[count / 2 + 2])
    try rotateUnderAReader(kit)
    try rotateTwice(kit)
    try judgeTwoPlaces(kit, trunk[0], trunk[1])
    try forgetPlaces(kit, trunk[0])
    for (seen, seenState) in trunk.enumerated() {
        for (shown, shownState) in trunk.enumerated() {
            let expected: Freshness =
                shown == seen ? .asSeen : shown > seen ? .newer : .older(seen: UInt64(seen + 1))
            try judge(kit, seenState, shownState, expected, "save \(shown + 1) after \(seen + 1)")
        }
        for (shown, shownState) in fork.enumerated() where shown > count / 2 {
            let expected: Freshness =
                seen <= count / 2
                ? .newer : shown < seen ? .older(seen: UInt64(seen + 1)) : .forked(seen: UInt64(seen + 1))
            try judge(kit, seenState, shownState, expected, "fork's save \(shown + 1) after \(seen + 1)")
        }
    }
}

/// A byte of what a machine remembers is damaged: it remembers nothing, and says nothing wrong.
private func damageTheWitness(_ kit: SoakRun, _ older: Image, _ newer: Image) throws {
    let files = MemoryFileSystem()
    let book = WitnessBook("state", testEnvironment(files))
    book.remember(try newer.open())
    guard let witness = files.witness else { return kit.violate("nothing is remembered") }
    let whole = witness.content
    for offset in 0...whole.count {
        witness.content = whole
        if offset < whole.count { witness.content[offset] ^= 1 } else { witness.content.removeLast() }
        kit.count("damaged witnesses")
        if try book.freshness(of: older.open()) != .unknown {
            kit.violate("byte \(offset) of a witness is not noticed")
        }
    }
    for length in 0..<whole.count {
        witness.content = Array(whole[..<length])
        kit.count("damaged witnesses")
        if try book.freshness(of: older.open()) != .unknown { kit.violate("a witness of \(length) bytes is believed") }
    }
    // By somebody who has no key: the hash is made right, but not what needs one. Bytes 24 to 39 are the epoch.
    for offset in Array(0..<24) + Array(40..<112) {
        var forged = whole
        forged[offset] ^= 1
        forged.replaceSubrange(112..<144, with: try SHA256.hash(Array(forged[..<112]).span))
        witness.content = forged
        kit.count("forged witnesses")
        if try book.freshness(of: older.open()) != .unknown { kit.violate("byte \(offset) of a witness was forged") }
        if book.lastSeen(try older.open()) != nil { kit.violate("byte \(offset) of a witness was forged, and is used") }
    }
}

/// A state that may go away again, or that cannot be written down safely, is not remembered; a backup raises no alarm.
private func rememberOnlyWhatIsSure(_ kit: SoakRun, _ older: Image, _ newer: Image) throws {
    for (what, vault, isSure) in try doubtfulStates(older, newer) {
        for isAccepted in [false, true] {
            let book = WitnessBook("state", testEnvironment(MemoryFileSystem()))
            if isAccepted { book.accept(vault, at: Image.path) } else { book.remember(vault) }
            kit.count("doubtful states")
            if (book.lastSeen(vault.id) != nil) != isSure {
                kit.violate("\(what): \(isSure ? "not " : "")\(isAccepted ? "accepted" : "remembered")")
            }
        }
    }
    // Another program is writing the witness.
    let files = MemoryFileSystem()
    let book = WitnessBook("state", testEnvironment(files))
    book.remember(try older.open())
    files.witness?.isLocked = true
    book.remember(try newer.open())
    kit.count("doubtful states")
    if book.lastSeen(try newer.open().id) != 1 { kit.violate("a witness was written that somebody else has locked") }
    // A backup of an older state is refused only in the place of the vault.
    let copy = Image(older.bytes, master: older.master)
    try copy.open().backUp(to: "copy.qvault")
    files.write("copy.qvault", copy.files.node("copy.qvault")?.content ?? [])
    files.witness?.isLocked = false
    book.remember(try newer.open())
    let backup = try LockedVault("copy.qvault", in: testEnvironment(files)).open(
        master: Secret(copying: older.master.span))
    kit.count("doubtful states")
    if try book.freshness(of: backup) != .older(seen: 2) { kit.violate("an older backup is not told as older") }
    if try book.refusal(of: backup) != nil { kit.violate("a backup that somebody asks for is refused") }
    files.write(Image.path, copy.files.node("copy.qvault")?.content ?? [])
    let misplaced = try LockedVault(Image.path, in: testEnvironment(files)).open(
        master: Secret(copying: older.master.span))
    if try book.refusal(of: misplaced) == nil { kit.violate("an older backup in the vault's place is not noticed") }
}

/// A sound vault, and others whose newest save may go away again. The last value is true for the sound one.
private func doubtfulStates(_ older: Image, _ newer: Image) throws -> [(what: String, vault: Vault, isSure: Bool)] {
    var adopted = newer.bytes
    for page in [0, 65_536] { adopted.replaceSubrange(page..<page + 4096, with: older.bytes[page..<page + 4096]) }
    adopted[65_536 + 9] ^= 1
    var lost = newer.bytes
    for page in [0, 65_536] { lost[page + 9] ^= 1 }
    let refusing = Image(newer.bytes, master: newer.master)
    let undurable = try refusing.open()
    refusing.files.beforeCall = { if $0.operation == "sync" { throw IOError("sync", $0.path, code: 5) } }
    let source = Image(newer.bytes, master: newer.master)
    try source.open().backUp(to: "backup.qvault")
    let backup = Image(source.files.node("backup.qvault")?.content ?? [], master: newer.master)
    return [
        ("a sound vault", try newer.open(), true),
        ("a backup", try backup.open(), false),
        ("a save that was adopted", try Image(adopted, master: newer.master).open(), false),
        ("a vault without pages", try Image(lost, master: newer.master).open(), false),
        ("a vault that cannot be made durable", undurable, false),
    ]
}

/// A fork into which a merge brought nothing is remembered if it is sure to stay; an older state is not.
private func rememberOnlySureForks(_ kit: SoakRun, seen: Image, _ older: Image, _ newer: Image) throws {
    for (what, vault, isSure) in try doubtfulStates(older, newer) {
        let book = WitnessBook("state", testEnvironment(MemoryFileSystem()))
        book.remember(try seen.open())
        try book.rememberFork(vault, at: Image.path)
        kit.count("doubtful states")
        if (try book.freshness(of: newer.open()) == .asSeen) != isSure {
            kit.violate("\(what), a fork: \(isSure ? "not " : "")remembered")
        }
    }
    let book = WitnessBook("state", testEnvironment(MemoryFileSystem()))
    book.remember(try newer.open())
    try book.rememberFork(older.open(), at: Image.path)
    kit.count("doubtful states")
    if try book.freshness(of: newer.open()) != .asSeen { kit.violate("an older state is remembered as a fork") }
}

/// A path that ends in a symbolic link must hold against the witnesses of the link and of the file.
private func judgeTwoPlaces(_ kit: SoakRun, _ older: Image, _ newer: Image) throws {
    let files = MemoryFileSystem()
    let book = WitnessBook("state", testEnvironment(files))
    book.remember(try newer.open(), at: "link.qvault")
    try book.accept(older.open(), at: "older.qvault")
    files.write("link.qvault", Array("older.qvault".utf8), kind: .symlink)
    kit.count("files handed back")
    if try book.freshness(of: older.open(), at: "older.qvault") != .asSeen {
        kit.violate("an accepted state is refused")
    }
    if try book.freshness(of: older.open(), at: "link.qvault") != .older(seen: 2) {
        kit.violate("a symbolic link chooses the witness that counts")
    }
}

/// A vault that is forgotten at one place is remembered at the others.
private func forgetPlaces(_ kit: SoakRun, _ image: Image) throws {
    let book = WitnessBook("state", testEnvironment(MemoryFileSystem()))
    let vault = try image.open()
    for place in ["one.qvault", "two.qvault"] as [BytePath] { book.remember(vault, at: place) }
    func forget(_ place: BytePath, isLast: Bool) {
        kit.count("places forgotten")
        if book.forget(vault.id, at: [place]) != isLast {
            kit.violate("\(place) is \(isLast ? "not " : "")the last place")
        }
        if (book.lastSeen(vault.id) == nil) != isLast { kit.violate("\(place): the witness of other places") }
    }
    forget("other.qvault", isLast: false)
    forget("one.qvault", isLast: false)
    forget("one.qvault", isLast: false)
    forget("two.qvault", isLast: true)
    // A main witness without a place: the machine could not write more.
    let files = MemoryFileSystem()
    let poor = WitnessBook("state", testEnvironment(files))
    poor.remember(vault, at: "one.qvault")
    for name in files.node("state")?.children.keys.filter({ $0.count > 32 }) ?? [] {
        files.node("state")?.children[name] = nil
    }
    kit.count("places forgotten")
    if poor.forget(vault.id, at: ["one.qvault"]) || poor.lastSeen(vault.id) == nil {
        kit.violate("a vault is forgotten where nothing of it was known")
    }
}

/// A vault is rotated after a reader opened it, and remembered, before the reader looks: that is no rollback, and the new
/// file is not called tampered with.
private func rotateUnderAReader(_ kit: SoakRun) throws {
    let fixture = try VaultFixture([("a", pattern(10))])
    let book = WitnessBook("state", fixture.environment)
    let read = try fixture.open()
    book.remember(read)
    let (record, keys) = try rotate(fixture, seed: 8)
    book.remember(record, keys, at: VaultFixture.vault)
    kit.count("rotations under a reader")
    do {
        kit.violate("a reader beside a rotation is told \(try book.freshness(of: read))")
    } catch VaultError.replaced {}
}

private func rotate(_ fixture: VaultFixture, seed: UInt64) throws -> (record: CommitRecord, keys: Keys) {
    var environment = fixture.environment
    environment.random = CountingRandom(seed: seed)
    let save = try VaultTransaction(VaultFixture.vault, in: environment, timeout: .zero, unlock: fixture.unlock)
    return try save.rotate { keys in
        var random: any RandomSource = CountingRandom(seed: seed + 1)
        let id = Bytes16([UInt8](repeating: 4, count: 16))
        return SlotArea([
            try KeySlot(
                for: VaultFixture.credential(), keys: keys, id: id, derivation: .standard,
                label: KeySlot.Label(created: 0, text: ""), random: &random)
        ])
    }
}

/// Two copies of a vault are rotated apart: they have epochs of one number, and no master key in common.
private func rotateTwice(_ kit: SoakRun) throws {
    let fixture = try VaultFixture([("a", pattern(10))])
    let other = VaultFixture(copying: fixture)
    let book = WitnessBook("state", testEnvironment(MemoryFileSystem()))
    let (record, keys) = try rotate(fixture, seed: 8)
    book.remember(record, keys, at: VaultFixture.vault)
    let theirs = try rotate(other, seed: 80).keys
    let vault = try LockedVault(VaultFixture.vault, in: other.environment).open(
        master: theirs.master.withSpan { try Secret(copying: $0) })
    kit.count("files handed back")
    if try book.freshness(of: vault) != .forked(seen: record.core.sequence) {
        kit.violate("a vault that was rotated apart is \(try book.freshness(of: vault))")
    }
}

private func history(_ count: Int, from trunk: [Image] = [], after: Int = -1) throws -> [Image] {
    var images = Array(trunk.prefix(after + 1))
    if images.isEmpty {
        let fixture = try VaultFixture([("a", pattern(10))])
        images = [Image(fixture.bytes, master: fixture.master)]
    }
    while images.count < count {
        let image = Image(images[images.count - 1].bytes, master: images[0].master)
        try image.put("a", pattern(images.count), seed: UInt64(images.count + (trunk.isEmpty ? 100 : 900)))
        images.append(image)
    }
    return images
}

private func judge(_ kit: SoakRun, _ seen: Image, _ shown: Image, _ expected: Freshness, _ what: String) throws {
    kit.count("files handed back")
    let book = WitnessBook("state", testEnvironment(MemoryFileSystem()))
    if try book.freshness(of: seen.open()) != .unknown { kit.violate("a machine that knows what it has not seen") }
    book.remember(try seen.open())
    let freshness = try book.freshness(of: shown.open())
    if freshness != expected { kit.violate("\(what) is \(freshness), not \(expected)") }
    // A refused state is not remembered, unless somebody says so.
    book.remember(try shown.open())
    let isRefused = ![.asSeen, .newer].contains(expected)
    if try book.freshness(of: seen.open()) == .asSeen, expected == .newer { kit.violate("\(what) is not remembered") }
    if try book.freshness(of: seen.open()) != .asSeen, isRefused { kit.violate("\(what) is remembered") }
    try book.accept(shown.open(), at: Image.path)
    if try book.freshness(of: shown.open()) != .asSeen { kit.violate("\(what) is not accepted") }
}
