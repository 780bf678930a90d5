import CSystem
import Synchronization
import VaultFormat

/// The attempts to unlock a vault on this machine: how many failed one after the other, and which slot
/// opened last. A guard of this keyboard only: whoever has the file tries elsewhere. Attempts of scripts are counted
/// apart: a person who mistypes does not stop the backup of the night.
struct UnlockThrottle {
    /// Attempts that may go wrong before there is a pause.
    private static let free = 3

    private static let folders = (typed: "unlock", given: "unlock-given")

    private let vaultID: VaultID
    private let isTyped: Bool
    private var numbers: StateNumbers

    private struct State {
        /// Wrong attempts since the last right one, and when the last of them was, in microseconds since 1970.
        var wrong: UInt64
        var since: UInt64
        /// The slot that opened last, 1 … 8; 0 if none did.
        var slot: UInt64

        init(_ numbers: [UInt64]) { (wrong, since, slot) = (min(numbers[0], 1_000_000), numbers[1], numbers[2]) }

        /// Seconds until the next attempt; nil if it may be made now.
        ///
        /// - Parameters:
        ///   - lockout: microseconds of a pause.
        ///   - now: microseconds since 1970.
        func pause(_ lockout: UInt64, now: UInt64) -> UInt64? {
            guard wrong >= UnlockThrottle.free else { return nil }
            let past = now - min(now, since)
            return past < lockout ? (lockout - past + 999_999) / 1_000_000 : nil
        }
    }

    private var state: State { State(numbers.values) }

    /// - Parameter isTyped: a person at a terminal tries, and no script.
    init(_ vaultID: VaultID, isTyped: Bool) {
        (self.vaultID, self.isTyped) = (vaultID, isTyped)
        numbers = StateNumbers(isTyped ? Self.folders.typed : Self.folders.given, vaultID, count: 3)
    }

    /// The slot that opened last, 1 … 8.
    var slot: Int? { 1...UInt64(Limits.slotCount) ~= state.slot ? Int(state.slot) : nil }

    /// Seconds until the next attempt; nil if it may be made now.
    mutating func pause() throws -> UInt64? {
        let (lockout, now) = (try Config.milliseconds(.lockout) * 1000, qv_now_microseconds())
        // As in `begin`.
        change { $0.since = min($0.since, now) }
        return state.pause(lockout, now: now)
    }

    /// The refusal of an attempt that comes too soon; nil where it may be made.
    mutating func refusal(_ vault: BytePath) throws -> Failure? {
        try pause().map { Failure(.refused, "\(vault): wrong passwords: \(state.wrong); try again in \($0) s") }
    }

    /// Vaults whose attempt of this process was counted: one password for many copies is one attempt.
    private static let counted = Mutex<Set<VaultID>>([])

    /// Counts an attempt before it is judged, under a lock, so that many at once count too; a right one takes it back.
    ///
    /// - Returns: false if too many went wrong before it.
    mutating func begin() throws -> Bool {
        let isCounted = Self.counted.withLock { $0.insert(vaultID).inserted } || isTyped
        let (lockout, now) = (try Config.milliseconds(.lockout) * 1000, qv_now_microseconds())
        var isAdmitted = true
        change { state in
            // The clock was set back: the time that is left cannot be known, and begins anew.
            state.since = min(state.since, now)
            isAdmitted = state.pause(lockout, now: now) == nil
            if isAdmitted, isCounted { (state.wrong, state.since) = (state.wrong + 1, now) }
        }
        return isAdmitted
    }

    mutating func noteRight(_ slot: Int) { change { ($0.wrong, $0.since, $0.slot) = (0, 0, UInt64(slot)) } }

    /// Forgets a vault, or all of them.
    static func forget(_ vaultID: VaultID? = nil) {
        for folder in [folders.typed, folders.given] { StateNumbers.forget(folder, vaultID) }
    }

    private mutating func change(_ body: (inout State) -> Void) {
        numbers.change { values in
            var state = State(values)
            body(&state)
            values = [state.wrong, state.since, state.slot]
        }
    }
}
