/// A long piece of work: its progress while it runs, and its result.
///
/// ```swift
/// let work = vault.verification()
/// for await bytes in work.progress { bar.doubleValue = Double(bytes) }
/// let report = try await work.value
/// ```
public struct LongWork<Value: Sendable>: Sendable {
    /// The bytes done so far, ascending. It ends with the work. Somebody who listens slowly gets the newest number alone.
    public let progress: AsyncStream<UInt64>
    private let task: Task<Value, any Error>

    init(_ body: @escaping @Sendable (_ progress: @escaping @Sendable (UInt64) -> Void) async throws -> Value) {
        let (progress, told) = AsyncStream.makeStream(of: UInt64.self, bufferingPolicy: .bufferingNewest(1))
        self.progress = progress
        task = Task {
            defer { told.finish() }
            return try await body { told.yield($0) }
        }
    }

    /// The result, once it is there. A task that is cancelled while it waits ends the work.
    ///
    /// - Throws: what the work throws; `VaultError.cancelled`.
    public var value: Value {
        get async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Ends the work with `VaultError.cancelled`; nothing is left half-written.
    public func cancel() { task.cancel() }
}
