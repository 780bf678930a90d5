import CSystem
import Dispatch
import Synchronization

/// Work that falls into pieces which do not need each other, on all cores.
package enum Parallel {
    /// Returns the results of `work` for every piece below `count`, in order; errors as for `forEach`.
    package static func map<Result>(_ count: Int, _ work: (_ piece: Int) throws -> Result) throws -> [Result] {
        let results = Mutex(Unchecked([Result?](repeating: nil, count: count)))
        try forEach(count) { _, piece in
            let result = Unchecked(try work(piece))
            results.withLock { $0.value[piece] = result.value }
        }
        return results.withLock { $0 }.value.compactMap(\.self)
    }

    /// The values that `work` makes of every piece below `count`, in the order of the pieces; errors as for `forEach`.
    package static func flatMap<Value>(_ count: Int, _ work: (_ piece: Int) throws -> [Value]) throws -> [Value] {
        // Each piece's values are appended as soon as those before it are there. So few are held twice.
        let state = Mutex(Unchecked((values: [Value](), order: PieceOrder<[Value]>())))
        try forEach(count) { _, piece in
            let made = Unchecked(try work(piece))
            state.withLock { state in
                for values in state.value.order.add(made.value, of: piece) { state.value.values += values }
            }
        }
        return state.withLock { $0 }.value.values
    }

    /// The values that `work` makes of pieces of an array, in their order; errors as for `forEach`.
    package static func flatMapPieces<Element, Value>(
        of elements: [Element], _ work: (ArraySlice<Element>) throws -> [Value]
    ) throws -> [Value] {
        let step = 256
        return try flatMap((elements.count + step - 1) / step) { piece in
            try work(elements[piece * step..<min((piece + 1) * step, elements.count)])
        }
    }

    /// True if the system gives this process threads. Where it does not (a limit on processes), Dispatch would wait for
    /// one for ever; all work is then done on this thread.
    package static let hasThreads = qv_starts_threads() != 0

    /// Threads that work side by side: one for each core, and no more than the memory of their buffers is worth.
    package static let threadCount = min(max(Int(qv_core_count()), 2), 8)

    /// Runs `work` for every piece below `count`; a thread that is done with one takes the next. `work` is told which
    /// thread it runs on, so that each can have buffers of its own.
    ///
    /// - Throws: the error of the earliest piece that failed. After an error no further piece is begun.
    package static func forEach(_ count: Int, _ work: (_ thread: Int, _ piece: Int) throws -> Void) throws {
        let state = Mutex((next: 0, failed: Int.max, error: (any Error)?.none))
        func run(_ thread: Int) {
            while let piece = state.withLock({ state -> Int? in
                guard state.next < count, state.error == nil else { return nil }
                defer { state.next += 1 }
                return state.next
            }) {
                do { try work(thread, piece) } catch {
                    let error = Unchecked(error)
                    state.withLock { if piece < $0.failed { ($0.failed, $0.error) = (piece, error.value) } }
                }
            }
        }
        if count == 1 || count > 1 && !hasThreads {
            run(0)
        } else if count > 1 {
            withoutActuallyEscaping(run) { run in
                let run = Unchecked(run)
                DispatchQueue.concurrentPerform(iterations: min(threadCount, count)) { run.value($0) }
            }
        }
        if let error = state.withLock({ $0.error }) { throw error }
    }
}

/// Puts the results of pieces that end in any order into theirs.
package struct PieceOrder<Result> {
    private var next = 0
    private var waiting: [Int: Result] = [:]

    package init() {}

    /// Takes the result of a piece. Returns the results whose turn it now is.
    package mutating func add(_ result: Result, of piece: Int) -> [Result] {
        waiting[piece] = result
        var ready: [Result] = []
        while let result = waiting.removeValue(forKey: next) {
            ready.append(result)
            next += 1
        }
        return ready
    }
}

/// Bytes done by several threads, told to one listener at a time.
package final class ProgressCounter: Sendable {
    private let state: Mutex<Unchecked<(done: UInt64, tell: (UInt64) -> Void)>>

    package init(_ tell: @escaping (UInt64) -> Void) { state = Mutex(Unchecked((0, tell))) }

    package func add(_ bytes: UInt64) {
        state.withLock { state in
            state.value.done += bytes
            state.value.tell(state.value.done)
        }
    }
}

/// Hands a value to another thread.
/// Sendable: the code that wraps a value makes sure that one thread uses it at a time.
package struct Unchecked<Value>: @unchecked Sendable {
    package var value: Value

    package init(_ value: Value) { self.value = value }
}
