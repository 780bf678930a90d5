import Testing
import VaultFormat
import VaultStore
import VaultTesting

extension VaultFixture {
    /// Moves a record in a save of its own.
    func move(_ source: BytePath, to target: BytePath, seed: UInt64) throws {
        try save(seed: seed) { save in
            guard let entry = try save.before.entry(at: source) else { throw VaultError.noSuchRecord(source) }
            try save.move(entry, from: source, to: target)
        }
    }

    /// Puts records into the trash in one save.
    func trash(_ paths: BytePath..., seed: UInt64) throws {
        try save(seed: seed) { save in
            for path in paths { try save.trash(#require(try open().entry(at: path))) }
        }
    }

    /// Puts a record, and all that lies in it, into the trash.
    func trashTree(_ path: BytePath, seed: UInt64) throws {
        let all = try TreeListing(open().entries()).filter { $0.path.isOrIsBeneath(path) }
        try save(seed: seed) { save in for (_, entry) in all.reversed() { try save.trash(entry) } }
    }

    /// Purges a record, and all that lies in it.
    func purge(_ path: BytePath) throws {
        let all = try open().listing { _ in true }
        let doomed = Set(all.filter { $0.path.isOrIsBeneath(path) }.map(\.entry.id))
        try VaultTransaction(Self.vault, in: environment, timeout: .zero, unlock: unlock).rewrite(
            keeping: 1, purging: doomed)
        #expect(try verify().findings.isEmpty)
    }

    /// Merges another copy into this one, if it has anything new.
    func take(_ theirs: VaultFixture, seed: UInt64 = 50) throws {
        let plan = try Merge(theirs.open(), into: open())
        guard !plan.isEmpty else { return }
        try save(seed: seed) { try plan.carryOut(in: $0) }
        #expect(try verify().findings.isEmpty)
        _ = try TreeListing(open().entries())
    }

    /// Lists every save that can be shown: each record has a place in it.
    func checkHistory() throws {
        let vault = try open()
        for moment in try vault.saves() where moment.isKept {
            _ = try TreeListing(vault.snapshot(atSave: moment.sequence).entries())
        }
    }

    /// The paths of the live records.
    func paths() throws -> [String] { try paths(open()) }

    /// The same of a vault that is open.
    func paths(_ vault: Vault) throws -> [String] {
        try TreeListing(vault.entries()).filter { !$0.entry.kind.isPart }.map(\.path.description)
    }
}

/// The files of most vaults in which something is moved.
let papers: [(BytePath, [UInt8])] = [("papers/a", [1]), ("papers/sub/b", pattern(70_000)), ("c", [3])]
