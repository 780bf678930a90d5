import Dispatch
import Synchronization
import VaultIO
import VaultStore

/// Does one piece of work after the other, off the threads that tasks share: file calls and key derivation block.
final class WorkQueue: Sendable {
    private let queue = DispatchQueue(label: "QuickVault")

    /// - Parameter body: gets an environment that ends its work when the task is cancelled.
    func run<Result: Sendable>(_ body: @escaping @Sendable (StoreEnvironment) throws -> Result) async throws -> Result {
        let stop = Stop()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(
                        with: Swift.Result {
                            try stop.check()
                            return try body(.system(checkCancellation: stop.check))
                        })
                }
            }
        } onCancel: {
            stop.isWanted.store(true, ordering: .relaxed)
        }
    }

    private final class Stop: Sendable {
        let isWanted = Atomic(false)

        @Sendable func check() throws { if isWanted.load(ordering: .relaxed) { throw VaultError.cancelled } }
    }
}
