import VaultIO
import Dispatch
import Synchronization
import VaultFormat

/// The batches of one commit, and the threads that complete them.
///
/// The stages of packing. One thread reads: it walks the folders, opens files, and lays content down in a batch (half a
/// megabyte, what a core's cache holds) right where its ciphertext will stand. A full batch goes to another thread,
/// which seals every chunk in place, hashes each whole block, and writes the blocks with one call;
/// blocks that two batches share wait in BlockSink for their other half. There are as many such threads as cores, a
/// few batches go round between all of them, and the system divides the cores: a big file keeps all of them busy with
/// ciphers, many small ones keep this thread busy with opening files while another does the rest. A save that fits
/// into one batch never wakes a thread. No byte is copied but by the kernel's read and write, and at batches' edges.
///
/// The reasons, measured with `perf record qvault pack` in memory on two cores. Of a gigabyte the first version, one
/// thread and then two in turns, spent half in the kernel's copies and half in libcrypto, one core at a time. With all
/// cores sealing, 16 % went into the kernel's spinning for the file's lock, which lets one write in at a time: hence
/// the turn in BlockSink, where a thread sleeps and leaves the core to a cipher. `fallocate` costs as much as the write
/// itself in memory (and saves most of it on a disk): hence none there. What is left of the gigabyte is SHA-256 and cipher
/// (half), and the kernel's copies and pages (a third). A thread of its own that writes, in place of the turn, was no
/// faster; nor would be hashing several blocks at once (libIPSec_MB: 1.8 GB/s, libcrypto 1.7, on cores with SHA-NI).
/// The copying of a list of names took a tenth of the time for 100,000 small files, and the making and dropping of small
/// arrays more; system calls are three fifths of the rest on the thread that reads.
/// Sendable: `make` is called by the thread that fills; the rest is constant, guarded, or made for several threads.
final class BatchPool: @unchecked Sendable {
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
        guard Parallel.hasThreads else { return complete(batch) }
        queue.async(group: group) { [self] in complete(batch) }
    }

    private func complete(_ batch: Unchecked<Batch>) {
        do { try batch.value.complete(sink) } catch { state.withLock { $0.failure = $0.failure ?? error } }
        state.withLock { $0.idle.append(batch) }
        free.signal()
    }

    /// Waits until no batch is at work, and throws what went wrong in one.
    func drain() throws {
        group.wait()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
