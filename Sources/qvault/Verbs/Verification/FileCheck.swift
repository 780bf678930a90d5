import VaultFormat
import VaultIO
import VaultStore

/// Checks one file at a time: with the password, with one of several audit keys, or without a key.
struct FileCheck {
    private let arguments: Arguments
    private let auditKeys: AuditKeys
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
        auditKeys = try AuditKeys(arguments)
    }

    /// - Throws: `VaultError.cancelled` alone: every other failure is an outcome.
    func outcome(_ path: BytePath, isStream: Bool) throws -> VerifyOutcome {
        let start = ContinuousClock.now
        var outcome: VerifyOutcome
        do {
            if isStream {
                let file = try Self.spooled()
                outcome = try check(path, LockedVault(reading: file, in: Machine.store), isStream: true)
                (outcome.file, outcome.repair) = (try file.status(), try tryRepair(outcome, file))
            } else {
                outcome = try Session.reading(path) { try check(path, $0, isStream: false) }
                if let file = try? Machine.store.files.openFile(path, writing: false) {
                    outcome.repair = try tryRepair(outcome, file)
                }
            }
        } catch VaultError.cancelled {
            throw VaultError.cancelled
        } catch {
            outcome = VerifyOutcome(
                path: path, failure: failure(for: error, vault: path), error: error as? FormatError,
                isKeyless: isKeyless, isAudited: isAudit)
            if !isStream, let file = try? Machine.store.files.openFile(path, writing: false) {
                outcome.repair = try tryRepair(outcome, file)
            }
        }
        if outcome.file == nil { outcome.file = try? Machine.store.files.status(path) }
        (outcome.duration, outcome.isStream) = (start.duration(to: .now), isStream)
        return outcome
    }

    private func check(_ path: BytePath, _ locked: LockedVault, isStream: Bool) throws -> VerifyOutcome {
        var outcome = try Progress.showing("checked", total: locked.fileByteCount, arguments) { update in
            if isAudit {
                return try VerifyOutcome(
                    path: path,
                    result: auditKeys.using(for: locked.header, path) { try locked.verify(with: $0, progress: update) },
                    isKeyless: true, isAudited: true)
            }
            let key = isKeyless ? nil : try VaultSecret(path, arguments)
            let vault = try key.map { try locked.open(master: $0.unlock(locked)) }
            let freshness =
                try isStream
                ? .unknown : vault.flatMap { try Machine.witnesses?.freshness(of: $0, at: path) } ?? .unknown
            let result = try vault?.verify(progress: update) ?? locked.verify(progress: update)
            // The pages of a file that was replaced may be gone.
            if result.worst != nil, !isStream, locked.isReplaced { throw VaultError.replaced }
            if result.worst == nil, !locked.header.isCopy { Upkeep.note(.check, locked.header.vaultID) }
            var outcome = VerifyOutcome(
                path: path, time: vault?.time, result: result, isKeyless: vault == nil,
                // A backup is older as a matter of course.
                freshness: locked.header.isCopy ? .unknown : freshness)
            if arguments.has(.expect) {
                // Lines that cannot be read tell of no save; the check itself says that they are damaged.
                let oldest = result.cores.last?.sequence ?? 0
                outcome.earlier = ((try? vault?.lines()) ?? []).filter { $0.sequence < oldest }
            }
            return outcome
        }
        outcome.vaultID = locked.header.vaultID
        return outcome
    }

    /// The result of a trial repair of a damaged file; nil where there is nothing to repair it from, where it cannot be tried, which
    /// is told, and of damage that only a key shows: a repair takes none.
    ///
    /// - Throws: `VaultError.cancelled`.
    private func tryRepair(_ outcome: VerifyOutcome, _ file: any File) throws -> Repair? {
        let isPlaced = outcome.result?.findings.allSatisfy { $0.code != .damaged || $0.range != nil } ?? true
        guard outcome.result.map({ $0.worst == .damaged }) ?? (outcome.error?.code == .damaged), isPlaced else {
            return nil
        }
        do {
            return try Progress.showing("tried to repair", arguments) { progress in
                try Repair(trying: file, scratch: Machine.scratchFolder, in: Machine.store, progress: progress)
            }
        } catch let error as IOError {
            Messages.say("\(outcome.path): whether it can be repaired was not tried: \(error.path): \(error.message)")
            return nil
        } catch is FormatError { return nil }
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
