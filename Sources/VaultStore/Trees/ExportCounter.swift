import Synchronization
import VaultFormat
import VaultIO

/// The state that the threads of an export share.
/// Sendable: used under the lock; `count` and `progress` also when no thread is at work.
final class ExportCounter: @unchecked Sendable {
    private let lock = Mutex(())
    private let tell: (TreeProblem) -> Void
    private var order = PieceOrder<[TreeProblem]>()
    var count = TreeCount()
    var progress: (UInt64) -> Void = { _ in }

    init(_ tell: @escaping (TreeProblem) -> Void) { self.tell = tell }

    func report(_ problems: [TreeProblem]) { lock.withLock { _ in problems.forEach(tell) } }

    /// Keeps the problems of a run of files until those of all runs before it are told.
    func report(_ problems: [TreeProblem], ofRun run: Int) {
        lock.withLock { _ in order.add(problems, of: run).joined().forEach(tell) }
    }

    func add(_ bytes: UInt64) {
        lock.withLock { _ in
            count.bytes += bytes
            progress(count.bytes)
        }
    }

    func countFile() { lock.withLock { _ in count.files += 1 } }

    /// The paths of files that were written and have further names.
    private var leaders: Set<BytePath> = []
    func note(leader path: BytePath) { lock.withLock { _ in _ = leaders.insert(path) } }
    func isWritten(leader path: BytePath) -> Bool { lock.withLock { _ in leaders.contains(path) } }
}
