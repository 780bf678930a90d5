public import VaultFormat

/// A check of a whole vault file (Spec/reader.md, 7 and 8).
public struct Verification {
    /// What was found, in the order of the file's structure; empty for a sound vault.
    public private(set) var findings: [Finding] = []
    /// What a person should know and that is no damage.
    public private(set) var notes: [Phrase] = []
    /// What was checked.
    public internal(set) var count = (commits: 0, payloadBytes: UInt64(0), records: 0)
    /// The newest save; nil when it could not be read.
    public private(set) var newest: Core?

    private let file: any File
    private let environment: Environment
    private let progress: (UInt64) -> Void
    /// The saves whose commits were found, newest first. The fingerprint of each vouches for it and for all behind it.
    public private(set) var cores: [Core] = []

    /// The worst of the findings; nil for a sound vault.
    public var worst: FormatError.Code? {
        [FormatError.Code.tampered, .damaged, .malformed, .repairable, .unsupported].first { code in
            findings.contains { $0.code == code }
        }
    }

    /// Checks everything that can be checked without a key: damage, not tampering.
    ///
    /// - Parameter progress: is told the bytes of each piece that was read.
    /// - Throws: as `LockedVault.init` when no page can be read.
    public static func keyless(
        _ locked: LockedVault, progress: @escaping (UInt64) -> Void = { _ in }
    ) throws -> Verification {
        var result = Verification(locked, progress)
        try result.checkLog(locked.root)
        return result
    }

    /// Checks everything that an audit key can: damage, and tampering by anyone who does not hold the key.
    ///
    /// - Throws: as `keyless`; `FormatError.wrongKey` where the key is of another vault or master key.
    public static func audited(
        _ locked: LockedVault, with key: AuditKey, progress: @escaping (UInt64) -> Void = { _ in }
    ) throws -> Verification {
        try key.check(locked.header)
        var result = Verification(locked, progress)
        try result.checkLog(locked.root, keys: key.keys)
        return result
    }

    /// Checks everything, down to the last byte of content and padding.
    public static func full(_ vault: Vault, progress: @escaping (UInt64) -> Void = { _ in }) throws -> Verification {
        var result = Verification(try LockedVault(vault.file, vault.environment), progress)
        if let error = vault.unreadableNewest {
            try result.checkLog(vault.root, keys: vault.keys)
            result.add(error.code, error.what, error.offset.map { $0..<$0 + 1 })
        } else {
            try result.checkLog(vault.root, keys: vault.keys, vault: vault)
        }
        return result
    }

    private init(_ locked: LockedVault, _ progress: @escaping (UInt64) -> Void) {
        (file, environment, self.progress) = (locked.file, locked.environment, progress)
    }

    private mutating func add(_ code: FormatError.Code, _ what: Phrase, _ range: Range<UInt64>? = nil) {
        findings.append(Finding(code, what, range))
    }

    private mutating func checkLog(_ root: Root, keys: (any Authenticator)? = nil, vault: Vault? = nil) throws {
        try checkPages(root, keys)
        if let vault { checkLabels(root, vault.keys) }
        // A newer writer may use the gaps.
        if root.header.writeFeatures == 0 { try checkGaps() }
        let state: State
        do {
            state = try vault?.state ?? self.state(root, keys)
        } catch let error as FormatError {
            add(error.code == .malformed ? .damaged : error.code, error.what, page(at: root.pageOffset))
            return
        }
        let newest = state.record
        self.newest = newest.core
        checkEnd(state)
        let log = try walk(newest, keys)
        try checkOlderPage(root)
        var check = CommitCheck(file: file, checkCancellation: environment.checkCancellation)
        var content = try vault.map { try ContentCheck($0, cores) }
        check.content = content?.pass()
        var doubtful: [Range<UInt64>] = []
        for core in cores {
            let found = try check.findings(core, progress: progress)
            findings += found
            // Without its table nothing tells which bytes of a payload are whole.
            if found.contains(where: { $0.range?.lowerBound == core.tableOffset }) {
                doubtful.append(core.start..<core.recordOffset)
            }
        }
        if let lost = log.lost { findings.append(lost) }
        guard content != nil, let pass = check.content else { return }
        let damage = findings.lazy.filter { $0.code == .damaged }.compactMap(\.range)
        try content?.judge(pass, damage: damage + doubtful)
        findings += content?.findings ?? []
        count.records = pass.records.count
    }

    /// The newest state; of a page whose tag does not hold, which was found before, what it says all the same.
    private func state(_ root: Root, _ keys: (any Authenticator)?) throws -> State {
        do {
            return try State(root, file, keys: keys, checkCancellation: environment.checkCancellation)
        } catch let error as FormatError where error.code == .tampered {
            return try State(root, file, keys: nil, checkCancellation: environment.checkCancellation)
        }
    }

    /// Goes back through the log.
    private mutating func walk(_ newest: CommitRecord, _ keys: (any Authenticator)?) throws -> CommitLog {
        var log = try CommitLog(file, newest: newest)
        while let item = try log.pop() {
            findings += item.findings
            if let keys {
                do { try item.core.authenticate(keys) } catch let error as FormatError {
                    add(error.code, error.what, item.core.recordRange)
                }
            }
            count.commits += 1
            count.payloadBytes += item.core.payloadLength
            cores.append(item.core)
        }
        return log
    }

    private mutating func checkPages(_ root: Root, _ keys: (any Authenticator)?) throws {
        if root.page == nil {
            for offset in [Layout.pageAOffset, Layout.pageBOffset] { add(.damaged, "a page", page(at: offset)) }
        }
        if root.page != nil, root.other == nil {
            add(.repairable, root.unsoundPage ?? "a page", page(at: root.olderPageOffset))
        }
        if let keyPage = root.keyPage {
            if let page = root.page, !keyPage.agrees(with: page) {
                add(.repairable, "page K is old", self.page(at: Layout.pageKOffset))
            }
        } else {
            add(.repairable, "page K is damaged", page(at: Layout.pageKOffset))
        }
        guard let keys else { return }
        for (offset, authenticate) in [
            (root.pageOffset, root.page?.authenticate ?? { _ in }),
            (root.olderPageOffset, root.other?.authenticate ?? { _ in }),
            (Layout.pageKOffset, comparableKeyPage(root)?.authenticate ?? { _ in }),
        ] {
            do { try authenticate(keys) } catch let error as FormatError {
                add(error.code, error.what, page(at: offset))
            }
        }
    }

    private mutating func checkLabels(_ root: Root, _ keys: Keys) {
        for (number, slot) in root.slots.slots where slot.knownKind != nil {
            do { _ = try slot.label(keys: keys) } catch {
                add(.malformed, "the label of key slot \(number)", page(at: root.pageOffset))
            }
        }
    }

    /// Page K, if it is of the same master key as the pages.
    private func comparableKeyPage(_ root: Root) -> KeyPage? {
        root.keyPage.flatMap {
            $0.header.vaultID == root.header.vaultID && $0.header.epoch == root.header.epoch ? $0 : nil
        }
    }

    private func page(at offset: UInt64) -> Range<UInt64> { offset..<offset + UInt64(Layout.pageByteCount) }

    private mutating func checkGaps() throws {
        for page in [Layout.pageAOffset, Layout.pageBOffset] {
            let gap = page + UInt64(Layout.pageByteCount)..<page + Layout.pageBOffset
            let bytes = try file.bytes(at: gap.lowerBound, count: gap.count)
            if let index = bytes.firstIndex(where: { $0 != 0 }), let last = bytes.lastIndex(where: { $0 != 0 }) {
                add(
                    .repairable, "unused bytes behind a page",
                    gap.lowerBound + UInt64(index)..<gap.lowerBound + UInt64(last) + 1)
            }
        }
    }

    /// The older page's commit must be the one before the newest page's, or the same.
    private mutating func checkOlderPage(_ root: Root) throws {
        guard let other = root.other, let newest = cores.first else { return }
        let core = try? other.record().core
        guard let core, core == newest || (core.end == newest.start && core == cores.dropFirst().first ?? core) else {
            return add(.repairable, "the older page names no commit of this log", page(at: root.olderPageOffset))
        }
        if other.slots != root.slots {
            add(.repairable, "the older page has key slots that were replaced", page(at: root.olderPageOffset))
        }
    }

    private mutating func checkEnd(_ state: State) {
        let (end, size) = (state.record.core.end, state.fileByteCount)
        if size < end {
            add(.damaged, "the file ends too early", size..<end)
        } else if case .unexplained = state.rest {
            add(.damaged, "behind the newest readable save: a newer one may be lost", end..<size)
        } else if size > end {
            notes.append("\(size - end) bytes of an unfinished save stand at the end")
        }
    }
}
