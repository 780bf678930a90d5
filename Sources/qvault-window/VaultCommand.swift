import CSystem
import Glibc
import Synchronization

/// Runs `qvault` on the vault of the window, with the session that the page unlocked (Spec/product/window.md, 3).
final class VaultCommand: Sendable {
    /// What a command did.
    struct Outcome: ~Copyable {
        let exit: Int32
        let output: MemoryFile
        let said: MemoryFile
    }

    /// A secret that opens the vault: options of the command, in which `{0}` and so on stand for files.
    final class Secret: Sendable {
        let options: [String]
        let files: [Int32]

        init(_ options: [String], _ files: [Int32]) { (self.options, self.files) = (options, files) }

        deinit { files.forEach { close($0) } }
    }

    /// Words of the command: a verb, options, and operands.
    typealias Call = AllowedVerbs.Call

    private let command: String
    let vault: String
    /// Whether the vault is open, and how often it was locked.
    private let state = Mutex<(now: State, locks: Int)>((.locked, 0))

    private enum State {
        case locked
        /// The kernel's keyring has the key.
        case session
        /// There is no keyring: the secret is given each time.
        case secret(Secret)
    }

    init(command: String, vault: String) { (self.command, self.vault) = (command, vault) }

    var isUnlocked: Bool { state.withLock { if case .locked = $0.now { false } else { true } } }

    /// Opens the vault with a secret. Where the kernel keeps no keys for us, the secret is kept as long as the vault is open.
    func unlock(_ secret: Secret, language: String) -> Outcome? {
        let locks = state.withLock { $0.locks }
        let verb = Call(verb: ["unlock"], options: ["--timeout=\(Self.idleMinutes)m"], operands: [])
        guard let outcome = run(verb, with: secret, language: language) else { return nil }
        if outcome.exit == 0 {
            open(.session, unlessLockedSince: locks)
        } else if outcome.exit == Self.anyOtherFailure, let second = run(Self.look, with: secret, language: language),
            second.exit == 0
        {
            open(.secret(secret), unlessLockedSince: locks)
            return second
        }
        return outcome
    }

    /// A verb that opens the vault and shows little of it.
    private static let look = Call(verb: ["key", "list"], options: ["--json"], operands: [])

    /// Takes the vault as open, unless it was locked while it was being opened.
    private func open(_ new: State, unlessLockedSince locks: Int) {
        let isOpen = state.withLock { state in
            guard state.locks == locks else { return false }
            state.now = new
            return true
        }
        if !isOpen { endSession() }
    }

    private func endSession() { _ = run(Call(verb: ["lock"], options: [], operands: []), with: nil, language: "en") }

    /// The session may have ended by itself, or in a terminal.
    func lookAtSession() {
        guard state.withLock({ if case .session = $0.now { true } else { false } }),
            let outcome = run(Call(verb: ["status"], options: ["--json"], operands: []), with: nil, language: "en"),
            outcome.exit == 0
        else { return }
        let text = String(decoding: outcome.output.bytes(upTo: 1 << 16), as: UTF8.self)
        if text.contains("\"unlocked\":false") { state.withLock { ($0.now, $0.locks) = (.locked, $0.locks + 1) } }
    }

    /// Minutes without any command after which the session ends by itself.
    private static let idleMinutes = 10
    /// Exit codes (the command's `exit-codes`).
    private static let anyOtherFailure: Int32 = 15, lockedExit: Int32 = 14, wrongKeyExit: Int32 = 3

    /// Makes the vault, with a new password.
    func create(_ password: Int32, language: String) -> Outcome? {
        run(
            Call(verb: ["create"], options: [], operands: []),
            with: Secret(["--password-fd={0}"], [password]), language: language)
    }

    /// Ends the session; what was going on is done first.
    func lock() {
        let wasUnlocked = isUnlocked
        state.withLock { ($0.now, $0.locks) = (.locked, $0.locks + 1) }
        if wasUnlocked { endSession() }
    }

    /// Renews the time of the session.
    func renew() { _ = run(Self.look, language: "en") }

    /// Runs a verb while the vault is open.
    ///
    /// - Parameters:
    ///   - input: what the command reads; nil for nothing.
    ///   - files: what it finds under /dev/fd/4 and so on.
    ///   - again: the secret once more, for a verb that a session does not suffice for.
    func run(
        _ call: Call, input: Int32? = nil, files: [Int32] = [], again: Secret? = nil, language: String
    ) -> Outcome? {
        let secret: Secret?? = state.withLock {
            switch $0.now {
            case .locked: nil
            case .session: .some(nil)
            case .secret(let secret): secret
            }
        }
        guard let secret, let outcome = run(call, input: input, files: files, with: again ?? secret, language: language)
        else {
            return nil
        }
        // Another password opens it now, or the session is over: the page asks again.
        let isOver = outcome.exit == (secret == nil ? Self.lockedExit : Self.wrongKeyExit) && again == nil
        if isOver { state.withLock { ($0.now, $0.locks) = (.locked, $0.locks + 1) } }
        return outcome
    }

    /// The descriptor of the words of the command, and the first one behind it.
    private static let wordsDescriptor: Int32 = 3, firstFile: Int32 = 4

    /// Where a command finds files.
    static func paths(of files: [Int32]) -> [String] { files.indices.map { "/dev/fd/\(Int(firstFile) + $0)" } }

    private func run(
        _ call: Call, input: Int32? = nil, files: [Int32] = [], with secret: Secret?, language: String
    ) -> Outcome? {
        let firstSecret = Self.firstFile + Int32(files.count)
        var options = ["--lang=\(language)"] + (call.takesVault ? ["--vault=\(vault)"] : []) + call.options
        for option in call.takesVault ? secret?.options ?? [] : [] {
            options.append(
                (secret?.files ?? []).indices.reduce(option) {
                    $0.replacing("{\($1)}", with: "\(firstSecret + Int32($1))")
                })
        }
        let words = call.verb + options + ["--"] + call.operands
        // Words may be secrets, and everybody sees the arguments of a program.
        guard let output = MemoryFile(), let said = MemoryFile(),
            let arguments = MemoryFile(Array(words.flatMap { Array($0.utf8) + [0] }))
        else { return nil }
        // Read from the first byte on: a descriptor of its own has a place of its own.
        let secrets = (secret?.files ?? []).map(openAnew)
        let data = input.map(openAnew) ?? openToRead("/dev/null")
        defer { (secrets + [data]).forEach { close($0) } }
        let descriptors =
            [data, output.descriptor, said.descriptor, arguments.descriptor] + files + secrets
        guard let process = startProgram([command, "--arguments-fd=\(Self.wordsDescriptor)"], descriptors) else {
            return nil
        }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        let exit = status & 0x7F == 0 ? status >> 8 & 0xFF : Self.anyOtherFailure
        return Outcome(exit: exit, output: output, said: said)
    }
}
