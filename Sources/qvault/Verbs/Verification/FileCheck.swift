import VaultFormat
import VaultIO
import VaultStore

/// Checks one file at a time: with the password, with one of several audit keys, or without a key.
struct FileCheck {
    private let arguments: Arguments
    private let auditKeys: [AuditKey]
    private let isKeyless: Bool
    private var isAudit: Bool { arguments.has(.auditKey) }

    /// - Throws: `Failure` of options that exclude each other, and of a key that cannot be read.
    init(_ arguments: Arguments) throws {
        (self.arguments, isKeyless) = (arguments, arguments.has(.keyless))
        if arguments.has(.auditKey), isKeyless { throw Failure(.usage, "verify: --keyless or --audit-key, not both") }
        if arguments.has(.auditKey) || isKeyless,
            let option = Option.password.first(where: { arguments.has($0.name) })
        {
            throw Failure(.usage, "verify: \(option.name.word) goes neither with --keyless nor with --audit-key")
        }
        auditKeys = try arguments.all(.auditKey).map(BytePath.init).flatMap(Self.keyFiles).map { file in
            try naming(file) { try AuditKey(parsing: readSecret(fromFile: file)) }
        }
    }

    /// A folder stands for the files in it.
    private static func keyFiles(_ path: BytePath) throws -> [BytePath] {
        guard let status = try? Machine.store.files.status(path), status.kind == .folder else { return [path] }
        let names = try Machine.store.files.openFolder(path).entries().filter { $0.kind != .folder }.map(\.name)
        guard !names.isEmpty else { throw Failure(.notFound, "\(path): no audit key in this folder") }
        return names.sorted { $0.lexicographicallyPrecedes($1) }.map(path.appending)
    }

    /// - Throws: `VaultError.cancelled` alone: every other failure is an outcome.
    func outcome(_ path: BytePath, isStream: Bool) throws -> VerifyOutcome {
        let start = ContinuousClock.now
        var outcome: VerifyOutcome
        do {
            if isStream {
                let file = try Self.spooled()
                outcome = try check(path, LockedVault(reading: file, in: Machine.store), isStream: true)
                outcome.file = try file.status()
            } else {
                outcome = try Session.reading(path) { try check(path, $0, isStream: false) }
            }
        } catch VaultError.cancelled {
            throw VaultError.cancelled
        } catch {
            outcome = VerifyOutcome(
                path: path, failure: failure(for: error, vault: path), error: error as? FormatError,
                isKeyless: isKeyless, isAudited: isAudit)
            if outcome.error?.code == .damaged, !isStream { outcome.repair = tryRepair(path) }
        }
        if outcome.file == nil { outcome.file = try? Machine.store.files.status(path) }
        (outcome.duration, outcome.isStream) = (start.duration(to: .now), isStream)
        return outcome
    }

    private func check(_ path: BytePath, _ locked: LockedVault, isStream: Bool) throws -> VerifyOutcome {
        var outcome = try Progress.showing("checked", total: locked.fileByteCount, arguments) { update in
            if isAudit {
                return try VerifyOutcome(
                    path: path, result: audit(path, locked, update), isKeyless: true, isAudited: true)
            }
            let key = isKeyless ? nil : try VaultSecret(path, arguments)
            let vault = try key.map { try locked.open(master: $0.unlock(locked)) }
            let freshness = try vault.flatMap { try Machine.witnesses?.freshness(of: $0, at: path) } ?? .unknown
            let result = try vault?.verify(progress: update) ?? locked.verify(progress: update)
            // The pages of a file that was replaced may be gone.
            if result.worst != nil, !isStream, locked.isReplaced { throw VaultError.replaced }
            if result.worst == nil, !locked.header.isCopy { Upkeep.note(.check, locked.header.vaultID) }
            var outcome = VerifyOutcome(
                path: path, time: vault?.time, result: result, isKeyless: vault == nil, freshness: freshness)
            if arguments.has(.expect) {
                // Lines that cannot be read tell of no save; the check itself says that they are damaged.
                let oldest = result.cores.last?.sequence ?? 0
                outcome.earlier = ((try? vault?.lines()) ?? []).filter { $0.sequence < oldest }
            }
            return outcome
        }
        outcome.vaultID = locked.header.vaultID
        if outcome.result?.worst == .damaged, !isStream { outcome.repair = tryRepair(path) }
        return outcome
    }

    private func audit(
        _ path: BytePath, _ locked: LockedVault, _ progress: @escaping (UInt64) -> Void
    ) throws -> Verification {
        let key = auditKeys.first { (try? $0.check(locked.header)) != nil }
        // Of one key its own reason is told.
        guard let key = key ?? (auditKeys.count == 1 ? auditKeys[0] : nil) else {
            throw Failure(
                .wrongKey, "\(path): NOT verified: none of the audit keys is of this vault and its master key",
                hint: "was 'rekey rotate' run, then export the audit key anew; if not, take this for an alarm")
        }
        do { return try locked.verify(with: key, progress: progress) } catch let error as FormatError
            where error.code == .wrongKey
        {
            throw Failure(
                .wrongKey, "\(path): NOT verified: \(error.what)",
                hint: "was 'rekey rotate' run, then export the audit key anew; if not, take this for an alarm")
        }
    }

    /// What a repair would give; nil where there is nothing to repair it from, or no room to try it.
    private func tryRepair(_ path: BytePath) -> Repair? {
        Progress.showing("tried to repair", arguments) { progress in
            try? Repair(trying: path, scratch: Machine.scratchFolder, in: Machine.store, progress: progress)
        }
    }

    /// Standard input in a file without a name.
    private static func spooled() throws -> any File {
        let file = try Machine.store.files.openFolder(Machine.scratchFolder).makeFile(replacing: false)
        var (piece, next) = ([UInt8](repeating: 0, count: 1 << 20), UInt64(0))
        while true {
            var span = piece.mutableSpan
            let count = try StandardInput.fill(&span)
            try file.writeAll(piece.span.extracting(0..<count), at: next)
            next += UInt64(count)
            if count < piece.count { return file }
        }
    }
}
