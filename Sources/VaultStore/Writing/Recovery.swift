import VaultIO
import VaultFormat

/// Repairs the traces of an interrupted writer before a save (Spec/store.md, 6).
struct Recovery {
    private let vault: Vault
    private var file: any File { vault.file }
    private var page: Page { vault.root.page }

    /// - Parameter vault: opened under the writer's lock, with nothing in the way of writing.
    init(_ vault: Vault) { self.vault = vault }

    /// Mends, and says what. Each step leaves a vault that can be repairs in the same way. First of all what a killed writer
    /// wrote is made durable: it may stand in the system's memory alone, and no two pages may be written at once.
    ///
    /// - Throws: `IOError`, and the vault is as good as before.
    func repair() throws -> [Phrase] {
        let root = vault.root
        var repairs: [Phrase] = []
        try file.sync()
        if vault.isAdopted {
            try rewriteNewest()
            if root.unsound.isEmpty { try file.writeDurably(page.bytes, at: root.olderPage.offset) }
            if root.arePagesOld {
                try file.writeDurably(page.bytes, at: root.otherPlace.offset)
                repairs.append("pages A and B were older than save \(vault.sequence), and are mended")
            } else if root.other != nil {
                repairs.append("save \(vault.sequence), which was interrupted, is complete")
            }
        }
        for place in root.unsound {
            try file.writeDurably(page.bytes, at: place.offset)
            repairs.append("page \(place.name) was damaged, and is mended")
        }
        if let other = root.other, other.slots != page.slots, !root.arePagesOld {
            try file.writeDurably(page.bytes, at: root.otherPlace.offset)
            repairs.append("page \(root.otherPlace.name) had outdated key slots, and is mended")
        }
        if let phrase = try mendEnd() { repairs.append(phrase) }
        return repairs
    }

    /// Writes the newest commit and page T once more as they are and makes them durable. What a killed writer wrote may
    /// not be so yet, and pages A and B may not name it before; after an error that it saw, the system may even take what
    /// it dropped for written.
    private func rewriteNewest() throws {
        let core = vault.record.core
        let end = core.end + UInt64(Layout.pageByteCount)
        for start in stride(from: core.start, to: end, by: 1 << 20) {
            let piece = try file.bytes(at: start, count: Int(min(1 << 20, end - start)))
            try file.writeAll(piece.span, at: start)
        }
        guard try vault.record.isWhole(in: file, vault.environment) else {
            throw FormatError(.damaged, "an interrupted save that does not read the same twice", at: core.start)
        }
        try file.sync()
    }

    /// Writes page T where it is missing, and removes what stands behind it.
    private func mendEnd() throws -> Phrase? {
        let core = vault.record.core
        let end = core.end + UInt64(Layout.pageByteCount)
        let size = try file.status().size
        let isThere = try file.bytes(at: core.end, count: Layout.pageByteCount) == page.bytes
        guard !isThere || size != end else { return nil }
        try file.writeEndPage(page)
        try file.sync()
        return size > end
            ? "removed \(size - (isThere ? end : core.end)) bytes of a save that was interrupted"
            : "page \(Root.Place.t.name) was damaged, and is mended"
    }
}

extension File {
    /// Writes page T behind the newest commit, and lets the file end there.
    func writeEndPage(_ page: Page) throws {
        try writeAll(page.bytes.span, at: page.header.logEnd)
        try truncate(to: page.header.logEnd + UInt64(Layout.pageByteCount))
    }
}
