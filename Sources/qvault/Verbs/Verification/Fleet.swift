import Glibc
import VaultFormat
import VaultIO
import VaultStore

/// The files of one call of `verify`: in which order they are checked, and which are left out.
struct Fleet {
    private let arguments: Arguments
    private let paths: [BytePath]
    private let stream: BytePath?
    private let check: FileCheck
    private let fingerprint: String?
    private let maxAge: UInt64?
    private let maxDuration: UInt64?

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        check = try FileCheck(arguments)
        let isStream: ([UInt8]) -> Bool = { $0 == [UInt8(ascii: "-")] }
        stream = arguments.operands.contains(where: isStream) ? BytePath("-") : nil
        let given = arguments.operands.filter { !isStream($0) }
        let first =
            try stream == nil || !given.isEmpty || arguments.has(.vault)
            ? [Session.vaultPath(arguments, operand: given.first)] : []
        paths = try (first + given.dropFirst().map(BytePath.init)).flatMap {
            try Self.files($0, mayBeEmpty: arguments.has(.expectFile))
        }
        fingerprint = try arguments.expectedFingerprint(hint: "'qvault info' shows a vault's")
        if fingerprint != nil, paths.count + (stream == nil ? 0 : 1) > 1 {
            throw Failure(.usage, "--expect goes with one vault, not several")
        }
        if arguments.has(.maxAge), !arguments.has(.state) {
            throw Failure(.usage, "verify: --max-age goes with --state, which remembers what was checked when")
        }
        let year = 366 * TimeSpan.day
        maxAge = try arguments.milliseconds(.maxAge, in: 1...100 * year)
        maxDuration = try arguments.milliseconds(.maxDuration, in: 1...year)
    }

    /// Checks the files, and holds them against what is expected.
    func check(_ report: FleetReport) throws {
        let expected = try arguments.bytes(.expectFile).map { try FleetExpectation.list(BytePath($0)) }
        guard let file = arguments.bytes(.state).map(BytePath.init) else {
            var memory = FleetMemory()
            let outcomes = try run(report, &memory, paths)
            try report.add(FleetExpectation.faults(expected ?? [], outcomes))
            return
        }
        try FleetMemory.using(file) { memory in
            let (due, recent) = memory.order(paths, maxAge)
            let outcomes = try run(report, &memory, due)
            let left = (recent + due.dropFirst(outcomes.count)).map(VerifyOutcome.init(unchecked:))
            try report.add(FleetExpectation.faults(expected ?? [], outcomes + left))
            report.leftOut(recent.map { ($0, memory.lastSound($0)) })
        }
    }

    private func run(
        _ report: FleetReport, _ memory: inout FleetMemory, _ paths: [BytePath]
    ) throws -> [VerifyOutcome] {
        let start = ContinuousClock.now
        var outcomes: [VerifyOutcome] = []
        let all = (stream.map { [($0, true)] } ?? []) + paths.map { ($0, false) }
        for (path, isStream) in all {
            if let maxDuration, start.duration(to: .now) >= .milliseconds(maxDuration) {
                report.notBegun(all.count - outcomes.count)
                break
            }
            var outcome = try check.outcome(path, isStream: isStream)
            outcome.expected = fingerprint
            if !isStream { memory.note(&outcome) }
            try report.add(outcome)
            outcomes.append(outcome)
        }
        return outcomes
    }

    /// The digits of a fingerprint that a person typed.
    /// A folder stands for the vaults in it and in its subfolders. Links to folders are not followed.
    private static func files(_ path: BytePath, mayBeEmpty: Bool) throws -> [BytePath] {
        guard let status = try? Machine.store.files.status(path), status.kind == .folder else { return [path] }
        var (found, folders) = ([BytePath](), [path])
        while let folder = folders.popLast() {
            let open = try Machine.store.files.openFolder(folder)
            for entry in try open.entries() {
                let path = folder.appending(entry.name)
                let kind = try entry.kind ?? open.status(of: entry.name).kind
                if kind == .folder { folders.append(path) }
                guard kind != .folder, entry.name.suffix(7) == Array(".qvault".utf8)[...] else { continue }
                if kind == .regular || kind == .symlink {
                    found.append(path)
                } else {
                    Messages.note("\(path): no regular file, and left out")
                }
            }
        }
        guard !found.isEmpty || mayBeEmpty else { throw Failure(.notFound, "\(path): no .qvault file in this folder") }
        return found.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }
}
