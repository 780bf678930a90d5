import Synchronization
import VaultFormat
import VaultStore

/// What this process saves: a later failure says so, and `--json` shows it.
enum Saving {
    /// A save, or with `-n` what would be one.
    struct Outcome {
        let path: BytePath
        /// Its number; nil where nothing is saved.
        let number: UInt64?
        let isDry: Bool
        let changes: [RecordChange]
    }

    private struct State {
        var isDone = false
        var isShown = false
        var begun: BytePath?
        var saves: [Outcome] = []
    }

    private static let state = Mutex(State())

    /// True if this process has saved to a vault or made one.
    static var isDone: Bool { state.withLock(\.isDone) }

    /// True if the changes of saves are to be shown.
    static var isShown: Bool { state.withLock(\.isShown) }

    /// Notes that the changes of saves are to be shown.
    static func show() { state.withLock { $0.isShown = true } }

    /// The saves so far; of a process that began one and made none, one without a number.
    static func saves(isDry: Bool) -> [Outcome] {
        state.withLock { state in
            guard state.saves.isEmpty, let begun = state.begun else { return state.saves }
            return [Outcome(path: begun, number: nil, isDry: isDry, changes: [])]
        }
    }

    /// Notes that a save is begun.
    static func begin(_ path: BytePath) { state.withLock { $0.begun = path } }

    /// Notes that a file was made durable.
    static func note() { state.withLock { $0.isDone = true } }

    /// Notes that a save is durable, or that it would be made.
    static func note(_ save: Outcome) {
        state.withLock { state in
            if !save.isDry { state.isDone = true }
            if state.isShown { state.saves.append(save) }
        }
    }
}
