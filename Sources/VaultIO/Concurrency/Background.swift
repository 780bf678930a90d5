import Dispatch

/// A second thread for one piece of work at a time, so that cipher and disk work side by side.
/// Sendable: `failure` is written by the work and read after `finished` was waited for; the rest belongs to one thread.
package final class Background: @unchecked Sendable {
    private let queue = DispatchQueue(label: "quickvault.background")
    private let finished = DispatchSemaphore(value: 0)
    private var failure: (any Error)?
    private var isRunning = false

    package init() {}

    /// Starts a piece of work. What it touches belongs to it until `wait`.
    package func start(_ work: @escaping () throws -> Void) {
        precondition(!isRunning, "one piece of work at a time")
        isRunning = true
        let work = Unchecked(work)
        guard Parallel.hasThreads else {
            do { try work.value() } catch { failure = error }
            finished.signal()
            return
        }
        queue.async { [self] in
            do { try work.value() } catch { failure = error }
            finished.signal()
        }
    }

    /// Waits for the work, if any, and throws its error once.
    package func wait() throws {
        guard isRunning else { return }
        finished.wait()
        isRunning = false
        guard let error = failure else { return }
        failure = nil
        throw error
    }
}
