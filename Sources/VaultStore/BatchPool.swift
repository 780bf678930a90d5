import Dispatch
import Synchronization
import VaultFormat

/// The batches of one commit, and the threads that complete them.
///
/// Packing is three things: reading (system calls), ciphers and tags (libcrypto), writing (system calls). One thread
/// fills batches, as many others as there are cores complete them, and the system divides the cores between them: a
/// big file keeps all of them busy with ciphers, many small ones keep this one busy with opening files while another
/// does the rest. A save that fits into one batch never wakes a thread.
final class BatchPool: @unchecked Sendable {
    // `make` is called by the thread that fills; the rest is constant, guarded, or made for several threads.
    /// One is filled, one is ahead, one is written, one waits for its turn; the others are sealed.
    private static let batchCount = Parallel.threadCount + 4

    private let sink: BlockSink
    private let make: () throws -> Batch
    private let queue = DispatchQueue(label: "quickvault.batches", attributes: .concurrent)
    private let group = DispatchGroup()
    private let free = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    private struct State {
        var idle: [Unchecked<Batch>] = []
        var failure: (any Error)?
    }

    init(_ sink: BlockSink, _ make: @escaping () throws -> Batch) {
        (self.sink, self.make) = (sink, make)
        // A semaphore must not go with a lower value than it was made with: batches may be out for ever.
        for _ in 0..<Self.batchCount { free.signal() }
    }

    /// An empty batch for the bytes from payload position `position` on; waits until one is free.
    ///
    /// - Throws: what went wrong in a batch before.
    func take(at position: UInt64) throws -> Batch {
        free.wait()
        do {
            let idle = try state.withLock { state in
                if let failure = state.failure { throw failure }
                return state.idle.popLast()
            }
            let batch = try idle?.value ?? make()
            batch.begin(at: position)
            return batch
        } catch {
            free.signal()
            throw error
        }
    }

    /// Has a batch completed and made free again.
    func submit(_ batch: Batch) {
        let batch = Unchecked(batch)
        queue.async(group: group) { [self] in
            do { try batch.value.complete(sink) } catch { state.withLock { $0.failure = $0.failure ?? error } }
            state.withLock { $0.idle.append(batch) }
            free.signal()
        }
    }

    /// Waits until no batch is at work, and throws what went wrong in one.
    func drain() throws {
        group.wait()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
