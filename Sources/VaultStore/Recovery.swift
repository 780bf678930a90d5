import VaultFormat

/// What a writer mends before it saves: the traces of one that was interrupted (Spec/store.md, 6).
struct Recovery {
    private let vault: Vault

    /// - Parameter vault: opened under the writer's lock, with nothing in the way of writing.
    init(_ vault: Vault) { self.vault = vault }

    /// Mends, and says what. Each step leaves a vault that can be mended in the same way.
    ///
    /// - Throws: `IOError`, and the vault is as good as before.
    func mend() throws -> [Phrase] {
        guard let newest = vault.root.page else { return [] }
        let (root, state) = (vault.root, vault.state)
        var mended: [Phrase] = []
        var page = newest
        if !state.adopted.isEmpty {
            try rewrite(state.adopted)
            page = try Page(naming: vault.record, slots: newest.slots, keys: vault.keys)
            try vault.file.writeDurably(page.bytes, at: root.olderPageOffset)
            mended.append("save \(vault.sequence), which was interrupted, is complete")
        }
        let isUnsound = state.adopted.isEmpty && root.other == nil
        let hasOldSlots = root.other.map { $0.slots != newest.slots } ?? false
        if isUnsound || hasOldSlots { try vault.file.writeDurably(page.bytes, at: root.olderPageOffset) }
        let name = root.pageOffset == Layout.pageAOffset ? "B" : "A"
        if root.other == nil { mended.append("page \(name) was damaged, and is mended") }
        if hasOldSlots { mended.append("page \(name) had outdated key slots, and is mended") }
        if try mendKeyPage(page) { mended.append("page K was damaged or old, and is mended") }
        if case .unacknowledged(let count) = state.rest {
            try vault.file.truncate(to: vault.record.core.end)
            try vault.file.sync()
            mended.append("removed \(count) bytes of a save that was interrupted")
        }
        return mended
    }

    /// Writes commits once more as they are, their unused bytes zero, and makes them durable. What a killed writer
    /// wrote may not be so yet, and no page may name it before; after an error that it saw, the system may even take
    /// what it dropped for written.
    private func rewrite(_ commits: [Core]) throws {
        let file = vault.file
        for core in commits {
            let used = core.tableOffset + core.tableByteCount
            for start in stride(from: core.start, to: used, by: 1 << 20) {
                let piece = try file.bytes(at: start, count: Int(min(1 << 20, used - start)))
                try file.writeAll(piece.span, at: start)
            }
            let unused = [UInt8](repeating: 0, count: Int(core.end - used))
            try file.writeAll(unused.span, at: used)
            let check = CommitCheck(file: file, checkCancellation: {})
            guard try check.findings(core).isEmpty else {
                throw FormatError(.damaged, "an interrupted save that does not read the same twice", at: core.start)
            }
        }
        try file.sync()
    }

    /// Writes page K anew where it is not the newest page's.
    private func mendKeyPage(_ page: Page) throws -> Bool {
        guard vault.root.keyPage.map({ !$0.agrees(with: page) }) ?? true else { return false }
        try vault.file.writeDurably(KeyPage(of: page, keys: vault.keys).bytes, at: Layout.pageKOffset)
        return true
    }
}
