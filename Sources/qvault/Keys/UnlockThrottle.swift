import CSystem
import Synchronization
import VaultFormat
import VaultRecords
import VaultStore

/// The attempts to unlock a vault on this machine: how many failed one after the other, and which slot
/// opened last. A guard of this keyboard only: whoever has the file tries elsewhere.
struct UnlockThrottle {
    /// Attempts that may go wrong before there is a pause.
    private static let free = 3

    private static var folder: StateFolder? { Machine.state("unlock") }

    private let vaultID: VaultID
    private var state = State()

    private struct State: Equatable {
        /// Wrong attempts since the last right one, and when the last of them was, in microseconds since 1970.
        var wrong: UInt64 = 0
        var since: UInt64 = 0
        /// The slot that opened last, 1 … 8; 0 if none did.
        var slot: UInt64 = 0

        init() {}

        init(_ bytes: [UInt8]) {
            let numbers = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map {
                UInt64($0)
            }
            guard numbers.count == 3, let wrong = numbers[0], let since = numbers[1], let slot = numbers[2] else {
                return
            }
            (self.wrong, self.since, self.slot) = (min(wrong, 1_000_000), since, slot)
        }

        var text: String { "\(wrong) \(since) \(slot)\n" }
    }

    /// Without a home nothing is remembered.
    init(_ vaultID: VaultID) {
        self.vaultID = vaultID
        state = Self.folder?.read(name, count: 64).map(State.init) ?? State()
    }

    private var name: [UInt8] { Array(hexText(vaultID.bytes).utf8) }

    /// The slot that opened last, 1 … 8.
    var slot: Int? { 1...UInt64(Limits.slotCount) ~= state.slot ? Int(state.slot) : nil }

    /// Seconds until the next attempt; nil if it may be made now.
    mutating func pause() throws -> UInt64? {
        guard state.wrong >= Self.free else { return nil }
        let lockout = try Config.milliseconds(.lockout) * 1000
        let now = qv_now_microseconds()
        // The clock was set back: the time that is left cannot be known, and begins anew.
        if now < state.since { change { $0.since = now } }
        let past = now - min(now, state.since)
        return past < lockout ? (lockout - past + 999_999) / 1_000_000 : nil
    }

    /// - Throws: `Failure` `.refused`: too many attempts went wrong.
    mutating func admit(_ vault: BytePath) throws {
        guard let seconds = try pause() else { return }
        throw Failure(.refused, "\(vault): wrong passwords: \(state.wrong); try again in \(seconds) s")
    }

    /// Vaults whose attempt of this process was counted: one password for many copies is one attempt.
    private static let counted = Mutex<Set<VaultID>>([])

    /// - Parameter isTyped: each attempt is another one.
    mutating func noteWrong(isTyped: Bool) {
        let isNew = Self.counted.withLock { $0.insert(vaultID).inserted }
        if isNew || isTyped { change { ($0.wrong, $0.since) = ($0.wrong + 1, qv_now_microseconds()) } }
    }

    mutating func noteRight(_ slot: Int) {
        change { ($0.wrong, $0.since, $0.slot) = (0, 0, UInt64(slot)) }
    }

    /// Forgets a vault, or all of them.
    static func forget(_ vaultID: VaultID? = nil) {
        guard let folder else { return }
        for name in vaultID.map({ [Array(hexText($0.bytes).utf8)] }) ?? folder.names() { folder.remove(name) }
    }

    /// Changes what is remembered, from what others have made of it meanwhile. Nothing here fails.
    private mutating func change(_ body: (inout State) -> Void) {
        var wanted = state
        body(&wanted)
        guard let folder = Self.folder, wanted != state else { return }
        state = wanted
        if let file = (try? folder.open(name, writing: true)) ?? nil {
            // The holder needs a moment; nobody waits for one who keeps it.
            for _ in 0..<1000 where (try? file.lock()) == false { qv_pause(1) }
            state = State((try? file.bytes(at: 0, count: 64)) ?? [])
            body(&state)
            let text = Array(state.text.utf8)
            try? file.writeAll(text.span, at: 0)
            try? file.truncate(to: UInt64(text.count))
        } else {
            try? folder.make(name, Array(state.text.utf8))
        }
    }
}
