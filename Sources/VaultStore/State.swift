package import VaultFormat

/// The newest state that a file holds, wherever it is to be found: in the page that counts, behind its log end, or,
/// with both pages lost, by a scan of the log (Spec/reader.md, 2).
package struct State {
    /// The newest commit.
    package let record: CommitRecord
    /// The commits behind the page's log end that lead to it.
    package private(set) var adopted: [Core] = []
    /// Bytes of the file when it was found.
    package let fileByteCount: UInt64
    /// What stands behind the newest commit.
    package private(set) var rest = Rest.nothing

    /// Bytes behind the newest commit.
    package enum Rest: Equatable, Sendable {
        /// None, or not looked for.
        case nothing
        /// A save that was never acknowledged, wholly or in part.
        case unacknowledged(byteCount: UInt64)
        /// Perhaps a save that was acknowledged and is damaged.
        case unexplained(byteCount: UInt64)
    }

    /// The same file with an earlier commit in the place of the newest, which cannot be read.
    init(_ state: State, showing record: CommitRecord) {
        (self.record, fileByteCount) = (record, state.fileByteCount)
    }

    /// Finds it.
    ///
    /// - Parameters:
    ///   - keys: with them tags are checked too, of pages and of all that is found.
    ///   - isLocked: no writer is at work, so that what stands behind the log end may be looked at.
    /// - Throws: `FormatError` `.tampered`, `.malformed`, `.damaged`, `.unsupported`; `IOError`.
    init(
        _ root: Root, _ file: any File, keys: (any Authenticator)?, isLocked: Bool = false,
        checkCancellation: @escaping () throws -> Void
    ) throws {
        let scan = CommitScan(file: file, keys: keys, checkCancellation: checkCancellation)
        guard let page = root.page else {
            if let keys { try root.keyPage?.authenticate(keys) }
            record = try scan.newest(of: root)
            fileByteCount = try file.status().size
            rest = leftOver.map { .unexplained(byteCount: $0) } ?? .nothing
            return
        }
        if let keys { try page.authenticate(keys) }
        var newest = try page.record()
        guard isLocked || root.other == nil else {
            record = newest
            fileByteCount = try file.status().size
            return
        }
        var keyChange: Core?
        while let successor = try scan.successor(of: newest.core) {
            guard successor.core.slotHash == newest.core.slotHash else {
                keyChange = successor.core
                break
            }
            newest = successor
            adopted.append(successor.core)
        }
        var isExplained = root.other != nil || !adopted.isEmpty
        if let keyChange { isExplained = try !Self.isFinished(keyChange, root, scan) }
        record = newest
        // Not before: a writer may have been at work.
        fileByteCount = try file.status().size
        rest =
            leftOver.map { isExplained ? .unacknowledged(byteCount: $0) : .unexplained(byteCount: $0) } ?? .nothing
    }

    /// Whether a key change that no page names was finished all the same: page K has its slots, or there are commits
    /// behind it. Then the page is an old one that somebody put back.
    private static func isFinished(_ keyChange: Core, _ root: Root, _ scan: CommitScan) throws -> Bool {
        if try root.keyPage?.slots.hash() == keyChange.slotHash { return true }
        return try scan.successor(of: keyChange) != nil
    }

    /// Bytes behind the newest commit, if there are any.
    private var leftOver: UInt64? { fileByteCount > record.core.end ? fileByteCount - record.core.end : nil }
}
