import Synchronization

/// What this process has made durable, so that a later failure says so.
enum Saving {
    private static let durable = Atomic(false)

    /// True if this process has saved to a vault or made one.
    static var isDone: Bool { durable.load(ordering: .relaxed) }

    /// Notes that a save is durable.
    static func note() { durable.store(true, ordering: .relaxed) }
}
