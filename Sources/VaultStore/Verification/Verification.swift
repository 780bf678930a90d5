import VaultIO
public import VaultFormat

/// A check of a whole vault file (Spec/reader.md, 7 and 8).
public struct Verification {
    /// The findings, in the order of the file's structure; empty for a sound vault.
    public private(set) var findings: [Finding] = []
    /// Facts that a person should know and that are no damage.
    public private(set) var notes: [Phrase] = []
    /// The counts of what was checked.
    public internal(set) var count = (commits: 0, payloadBytes: UInt64(0), records: 0)
    /// The parity of a backup; nil where it has none.
    public private(set) var parity: ParityStatus?
    /// The parity that saves of the vault have themselves; nil where none has any.
    public private(set) var saveParity: SaveParity?
    /// The newest save; nil when it could not be read.
    public private(set) var newest: Core?

    /// Payload areas of which nothing tells what is whole, since their tables are damaged.
    private(set) var unchecked: [Range<UInt64>] = []

    private let file: any File
    private let environment: StoreEnvironment
    private let progress: ProgressCounter
    /// The saves whose commits were found, newest first. The fingerprint of each vouches for it and for all behind it.
    public private(set) var cores: [Core] = []

    /// The worst of the findings; nil for a sound vault.
    public var worst: FormatError.Code? { Self.worst(findings) }

    /// The worst of the findings about the vault itself, without its parity.
    public var worstBesidesParity: FormatError.Code? { Self.worst(findings.filter { !$0.isOfParity }) }

    private static func worst(_ findings: [Finding]) -> FormatError.Code? {
        [FormatError.Code.tampered, .damaged, .malformed, .unsupported, .repairable].first { code in
            findings.contains { $0.code == code }
        }
    }

    fileprivate init(_ locked: LockedVault, _ progress: @escaping (UInt64) -> Void) {
        (file, environment, self.progress) = (locked.file, locked.environment, ProgressCounter(progress))
    }

    private mutating func add(_ code: FormatError.Code, _ what: Phrase, _ range: Range<UInt64>? = nil) {
        findings.append(Finding(code, what, range))
    }

    fileprivate mutating func checkLog(_ root: Root, keys: (any Authenticator)? = nil, vault: Vault? = nil) throws {
        try checkPages(root, keys)
        if let vault { checkLabels(root, vault.keys) }
        // A newer writer may use the gaps.
        if root.header.writeFeatures == 0 { try checkGaps() }
        let newest: CommitRecord
        do { newest = try root.page.record() } catch let error as FormatError {
            add(error.code == .malformed ? .damaged : error.code, error.what, pageRange(root.place, root))
            return
        }
        self.newest = newest.core
        try checkEnd(root, newest.core)
        if let area = newest.core.extensionArea {
            do { _ = try file.extensionBytes(area) } catch let error as FormatError {
                add(error.code, error.what, area.place..<area.end)
            }
        }
        let log = try walk(newest, root.header.writeFeatures, keys)
        try checkOlderPage(root)
        saveParity = try SaveParity(cores, in: file)
        var check = CommitCheck(file: file, checkCancellation: environment.checkCancellation)
        var content = try vault.map { try ManifestVerifier($0, cores) }
        (check.content, check.progress) = (content?.pass(), progress)
        for core in cores {
            let found = try check.findings(core)
            findings += found
            // Without its table nothing tells which bytes of a payload are whole.
            if found.contains(where: { $0.range?.lowerBound == core.tableOffset }) {
                unchecked.append(core.start..<core.end)
            }
        }
        if let lost = log.lost { findings.append(lost) }
        guard let vault, let pass = check.content else { return }
        try pass.checkFrames(vault.reader, checkCancellation: environment.checkCancellation)
        try content?.checkLists(pass)
        let damage = findings.filter { $0.code == .damaged }.compactMap(\.range)
        let copies = findings.filter { $0.code == .repairable }.compactMap(\.range)
        try content?.judge(pass, damage: damage + unchecked, copies: copies)
        findings += content?.findings ?? []
        count.records = pass.records.count
    }

    /// Goes back through the log.
    private mutating func walk(
        _ newest: CommitRecord, _ features: UInt32, _ keys: (any Authenticator)?
    ) throws -> CommitLog {
        var log = try CommitLog(file, newest: newest)
        while let item = try log.pop() {
            findings += item.findings
            if let keys {
                do { try item.core.authenticate(keys) } catch let error as FormatError {
                    add(error.code, error.what, item.core.recordRange)
                }
                if item.core.writeFeatures & ~features != 0 {
                    add(.malformed, "a write feature of a commit, which its page does not have", item.core.recordRange)
                }
            }
            count.commits += 1
            count.payloadBytes += item.core.payloadLength
            cores.append(item.core)
        }
        return log
    }

    private mutating func checkPages(_ root: Root, _ keys: (any Authenticator)?) throws {
        for place in root.unsound {
            add(.repairable, place == .a ? "page A is damaged" : "page B is damaged", pageRange(place, root))
        }
        if root.mayLackSave {
            add(.damaged, Root.lackingSave)
        }
        guard let keys else { return }
        if let stray = root.stray, (try? stray.authenticate(keys)) != nil { add(.damaged, Root.straying) }
        for (page, place) in [(root.page, root.place), (root.other, root.olderPage)] {
            do { try page?.authenticate(keys) } catch let error as FormatError {
                add(error.code, error.what, pageRange(place, root))
            }
        }
    }

    private mutating func checkLabels(_ root: Root, _ keys: Keys) {
        for (number, slot) in root.slots.slots where slot.knownKind != nil {
            do { _ = try slot.label(keys: keys) } catch {
                add(.malformed, "the label of key slot \(number)", pageRange(root.place, root))
            }
        }
    }

    private func pageRange(_ place: Root.Place, _ root: Root) -> Range<UInt64> {
        let offset = place == .t ? root.header.logEnd : place.offset
        return offset..<offset + UInt64(Layout.pageByteCount)
    }

    private mutating func checkGaps() throws {
        for gap in Layout.gaps {
            let bytes = try file.bytes(at: gap.lowerBound, count: gap.count)
            if let index = bytes.firstIndex(where: { $0 != 0 }), let last = bytes.lastIndex(where: { $0 != 0 }) {
                add(
                    .repairable, "bytes in the gap behind a page",
                    gap.lowerBound + UInt64(index)..<gap.lowerBound + UInt64(last) + 1)
            }
        }
    }

    /// The older page's commit must be the one before the newest page's, or the same.
    private mutating func checkOlderPage(_ root: Root) throws {
        guard let other = root.other, let newest = cores.first else { return }
        guard root.hasExpectedOlderPage(newest) else {
            return add(.repairable, "the older page names no commit of this log", pageRange(root.olderPage, root))
        }
        if other.slots != root.slots {
            add(.repairable, "the older page has key slots that were replaced", pageRange(root.olderPage, root))
        }
    }

    /// Behind the newest commit stands page T, and behind that perhaps the tail of a backup; or an unfinished save has
    /// overwritten page T.
    private mutating func checkEnd(_ root: Root, _ newest: Core) throws {
        let start = newest.end
        let end = start + UInt64(Layout.pageByteCount)
        let tail = try root.header.tail(in: file, environment)
        if let tail {
            parity = ParityStatus(
                damaged: try tail.damagedBlockCount(in: file, environment), byteCount: tail.layout.byteCount,
                guaranteed: tail.layout.guaranteedByteCount)
        }
        let size = tail == nil ? root.fileByteCount : min(root.fileByteCount, end)
        if let tail, root.fileByteCount > tail.range.upperBound {
            noteSurplus(root.fileByteCount - tail.range.upperBound)
        }
        if let parity, parity.damaged > 0, let tail {
            findings.append(
                Finding(.repairable, "damaged blocks of parity: \(parity.damaged)", tail.range, isOfParity: true))
        }
        if size < start { return add(.damaged, "the file ends too early", size..<start) }
        if !root.hasEndPage, size <= end {
            add(.repairable, "page T is damaged or missing", start..<end)
        } else if size > end {
            let count = size - (root.hasEndPage ? end : start)
            if root.header.isCopy {
                noteSurplus(count)
            } else {
                notes.append("\(count) bytes of an unfinished save stand at the end")
            }
        }
    }

    private mutating func noteSurplus(_ count: UInt64) {
        notes.append("\(count) bytes behind the end of this backup belong to nothing")
    }
}

/// What a check says of the parity of a backup.
public struct ParityStatus: Sendable {
    /// Its blocks that are damaged or missing.
    public let damaged: UInt64
    /// Bytes of all its blocks.
    public let byteCount: UInt64
    /// Bytes of a damaged stretch that is repaired wherever it lies, if nothing else is damaged.
    public let guaranteed: UInt64
}

/// The parity of saves that were packed with some.
public struct SaveParity: Sendable {
    /// The number of saves that have parity.
    public private(set) var saveCount = 0
    /// Bytes of all its blocks.
    public private(set) var byteCount: UInt64 = 0
    /// Bytes of a damaged stretch that is repaired wherever in the content of one of these saves it lies, if nothing else
    /// of that save is damaged.
    public private(set) var guaranteed = UInt64.max

    /// Looks for the parity of saves. Nil where none has any.
    init?(_ cores: [Core], in file: any File) throws {
        for core in cores {
            guard let parity = try ParitySearch.payload(of: core, in: file) else { continue }
            saveCount += 1
            byteCount += parity.layout.byteCount
            guaranteed = min(guaranteed, parity.layout.guaranteedByteCount)
        }
        guard saveCount > 0 else { return nil }
    }
}

extension LockedVault {
    /// The parity that saves of the vault have themselves; nil where none has any.
    ///
    /// - Throws: as `commits`.
    public func saveParity() throws -> SaveParity? { try SaveParity(commits(), in: file) }

    /// Checks everything that can be checked without a key: damage, not tampering.
    ///
    /// - Parameter progress: is told the bytes of payload that were read so far, by one thread at a time.
    /// - Throws: as `LockedVault.init` when no page can be read.
    public func verify(progress: @escaping (UInt64) -> Void = { _ in }) throws -> Verification {
        var result = Verification(self, progress)
        try result.checkLog(root)
        return result
    }

    /// Checks everything that an audit key can: damage, and tampering by anyone who does not hold the key.
    ///
    /// - Throws: as the check without a key; `FormatError.wrongKey` where the key is of another vault or master key.
    public func verify(with key: AuditKey, progress: @escaping (UInt64) -> Void = { _ in }) throws -> Verification {
        try key.check(header)
        var result = Verification(self, progress)
        try result.checkLog(root, keys: key.keys)
        return result
    }
}

extension Vault {
    /// Checks everything, down to the last byte of content and padding.
    ///
    /// - Parameter progress: is told the bytes of payload that were read so far, by one thread at a time.
    public func verify(progress: @escaping (UInt64) -> Void = { _ in }) throws -> Verification {
        var result = Verification(try LockedVault(file, environment), progress)
        try result.checkLog(root, keys: keys, vault: self)
        return result
    }
}
