import Dispatch

/// A second thread for one piece of work at a time, so that cipher and disk work side by side.
/// Sendable: `failure` is written by the work and read after `group` was waited for; the rest belongs to one thread.
package final class Background: @unchecked Sendable {
    private let queue = DispatchQueue(label: "quickvault.background")
    /// It is left once the work is over and all that it held is let go: a file would keep its lock until then.
    private let group = DispatchGroup()
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
            return
        }
        queue.async(group: group) { [self] in
            do { try work.value() } catch { failure = error }
        }
    }

    /// Waits for the work, if any, and throws its error once.
    package func wait() throws {
        guard isRunning else { return }
        group.wait()
        isRunning = false
        guard let error = failure else { return }
        failure = nil
        throw error
    }
}
