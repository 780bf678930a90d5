import Dispatch

/// A second thread for one piece of work at a time, so that cipher and disk work side by side.
///
/// Packing an incompressible file is kernel copies (51 % of the samples of `perf record qvault pack`) and libcrypto
/// (46 %), both of them on each side of the cipher. So packing seals one batch while the batch before it is tagged
/// and written (PayloadWriter); unpacking opens the next batch while this one is written (RecordReader); checks
/// divide their blocks between the cores (CommitCheck). Small files never leave the first thread: waking another
/// costs more.
final class Background: @unchecked Sendable {
    // `failure` is written by the work and read after `finished` was waited for; the rest belongs to one thread.
    private let queue = DispatchQueue(label: "quickvault.background")
    private let finished = DispatchSemaphore(value: 0)
    private var failure: (any Error)?
    private var isRunning = false

    /// Starts a piece of work. What it touches belongs to it until `wait`.
    func start(_ work: @escaping () throws -> Void) {
        precondition(!isRunning, "one piece of work at a time")
        isRunning = true
        let work = Unchecked(work)
        queue.async { [self] in
            do { try work.value() } catch { failure = error }
            finished.signal()
        }
    }

    /// Waits for the work, if any, and throws its error once.
    func wait() throws {
        guard isRunning else { return }
        finished.wait()
        isRunning = false
        guard let error = failure else { return }
        failure = nil
        throw error
    }

    /// Runs `work` for every index below `count`, on as many threads as there are cores, and throws the first error.
    static func forEach(_ count: Int, _ work: (Int) throws -> Void) throws {
        guard count > 1 else { return try work(0) }
        let failures = Failures()
        try withoutActuallyEscaping(work) { work in
            let work = Unchecked(work)
            DispatchQueue.concurrentPerform(iterations: count) { index in
                do { try work.value(index) } catch { failures.add(error) }
            }
            try failures.throwFirst()
        }
    }

    /// Hands a value to another thread; whoever wraps it sees to it that only one uses it at a time.
    private struct Unchecked<Value>: @unchecked Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private final class Failures: @unchecked Sendable {
        // Guarded by its queue.
        private let queue = DispatchQueue(label: "quickvault.failures")
        private var first: (any Error)?

        func add(_ error: any Error) { queue.sync { first = first ?? error } }
        func throwFirst() throws { if let error = queue.sync(execute: { first }) { throw error } }
    }
}
