public import Values
public import VaultFormat

/// Two streams to the other side of a push or pull, and the messages that go over them (Spec/replication.md, 4).
public final class ReplicaWire {
    /// The part that the client takes; the server takes the other one.
    public enum Role: UInt8, Sendable {
        case sends = 1
        case receives = 2
    }

    private enum Message: UInt8 {
        case open = 1
        case source, state, update, bytes, done, failure
    }

    /// A failure of the other side: its exit code, and a line.
    public struct RemoteFailure: Error, Equatable {
        /// An exit code of the command.
        public let code: UInt8
        /// In the language of the other side.
        public let message: String
    }

    private static let magic: [UInt8] = [0x89] + Array("QVSYNC\n".utf8)
    /// Bytes of a message at most.
    private static let most = 1 << 20
    private static let pageByteCount = Layout.pageByteCount

    private let read: (inout MutableSpan<UInt8>) throws -> Int
    private let write: (Span<UInt8>) throws -> Void
    /// Bytes that went each way.
    public private(set) var count = (sent: UInt64(0), received: UInt64(0))

    /// - Parameters:
    ///   - read: reads what is there, one byte at least; 0 at the end of the stream.
    ///   - write: writes all.
    public init(
        read: @escaping (inout MutableSpan<UInt8>) throws -> Int, write: @escaping (Span<UInt8>) throws -> Void
    ) { (self.read, self.write) = (read, write) }

    // MARK: Opening

    /// What a client says first.
    ///
    /// - Throws: what writing throws.
    public func open(_ path: BytePath, as role: Role) throws {
        try put(Self.magic)
        try send(.open, [role.rawValue] + path.bytes)
    }

    /// The same, for the server.
    ///
    /// - Throws: `FormatError.invalid` where the other side speaks something else.
    public func accept() throws -> (path: BytePath, role: Role) {
        guard try take(Self.magic.count) == Self.magic else { throw Self.foreign }
        let bytes = try expect(.open)
        guard bytes.count > 1, let role = Role(rawValue: bytes[0]) else { throw Self.foreign }
        return (BytePath(Array(bytes[1...])), role)
    }

    /// Tells the other side of a failure, which ends the conversation.
    ///
    /// - Parameters:
    ///   - code: an exit code of the command.
    ///   - refusal: what it is of this kind.
    public func fail(_ code: UInt8, _ message: String, _ refusal: ReplicaRefusal? = nil) {
        let (number, sequence) = refusal?.coded ?? (0, 0)
        var bytes = [code, number]
        bytes.append(bigEndian: sequence)
        try? send(.failure, bytes + Array(message.utf8.prefix(4096)))
    }

    /// What the other side said before it ended; nil if that was no failure.
    public func lastFailure() -> (any Error)? {
        do {
            while true { _ = try next() }
        } catch let error as ReplicaRefusal { return error } catch let error as RemoteFailure { return error } catch {
            return nil
        }
    }

    // MARK: The two parts

    /// Sends what the other side lacks.
    ///
    /// - Parameters:
    ///   - isDry: only what would be sent is told.
    ///   - judging: judges what the other side has, as `ReplicaSource.update` does.
    /// - Returns: what was sent; nil if the other side has all.
    /// - Throws: as `ReplicaSource.update`; `RemoteFailure`.
    public func send(
        _ source: ReplicaSource, isDry: Bool = false, judging: ReplicaSource.Judging,
        progress: @escaping (UInt64) -> Void = { _ in }
    ) throws -> ReplicaUpdate? {
        try send(.source, source.page.bytes)
        let answer = try expect(.state)
        guard [1, 1 + Self.pageByteCount].contains(answer.count) else { throw Self.foreign }
        let page = answer.count == 1 ? nil : try Page(parsing: Array(answer[1...]))
        let state = ReplicaState(page: page, knowsSource: answer[0] & 1 != 0, isMended: answer[0] & 2 != 0)
        guard let update = try source.update(for: state, judging)?.telling(progress) else {
            try send(.update, [])
            _ = try expect(.done)
            return nil
        }
        if isDry {
            fail(0, "")
            return update
        }
        var bytes: [UInt8] = []
        for end in [update.range.lowerBound, update.range.upperBound] { bytes.append(bigEndian: end) }
        try send(.update, bytes + update.page.bytes)
        while true {
            let piece = try update.next()
            if piece.isEmpty { break }
            try send(.bytes, piece)
        }
        try send(.bytes, [])
        _ = try expect(.done)
        return update
    }

    /// Receives what is lacking here.
    ///
    /// - Parameters:
    ///   - isDry: only what would come is told.
    ///   - keepingOld: as for `ReplicaTarget.receive`.
    ///   - admit: as for `ReplicaTarget.receive`.
    /// - Returns: what came; nil if nothing was lacking.
    /// - Throws: as `ReplicaTarget.receive`; `RemoteFailure`.
    public func receive(
        into target: ReplicaTarget, isDry: Bool = false, keepingOld: Bool = false,
        progress: @escaping (UInt64) -> Void = { _ in },
        admit: (ReplicaTarget.Arrival) throws -> Void = { _ in }
    ) throws -> ReplicaUpdate? {
        let source = try Page(parsing: expect(.source))
        let state = try target.state(for: source)
        let flags: UInt8 = (state.knowsSource ? 1 : 0) | (state.isMended ? 2 : 0)
        try send(.state, [flags] + (state.page?.bytes ?? []))
        let bytes = try expect(.update)
        if bytes.isEmpty {
            try send(.done, [])
            return nil
        }
        guard bytes.count == 16 + Self.pageByteCount else { throw Self.foreign }
        let (start, end): (UInt64, UInt64) = (loadBigEndian(bytes.span, at: 0), loadBigEndian(bytes.span, at: 8))
        let page = try Page(parsing: Array(bytes[16...]))
        guard page == source, start <= end, end <= Limits.fileByteCount else { throw Self.foreign }
        let update = ReplicaUpdate(page: page, range: start..<end) { try self.expect(.bytes) }.telling(progress)
        if isDry {
            fail(0, "")
            return update
        }
        try target.receive(update, keepingOld: keepingOld, admit: admit)
        try send(.done, [])
        return update
    }

    // MARK: Messages

    private static let foreign = FormatError(.invalid, "the other side does not speak as 'qvault serve' does")

    /// The error where the other side is gone.
    public static let ended = FormatError(.invalid, "the other side ended in the middle")

    private func send(_ message: Message, _ bytes: [UInt8]) throws {
        var head = [message.rawValue]
        head.append(bigEndian: UInt64(bytes.count))
        try put(head + bytes)
    }

    private func put(_ bytes: [UInt8]) throws {
        try write(bytes.span)
        count.sent += UInt64(bytes.count)
    }

    /// The next message, which must be of this kind.
    private func expect(_ message: Message) throws -> [UInt8] {
        let (kind, bytes) = try next()
        guard kind == message else { throw Self.foreign }
        return bytes
    }

    private func next() throws -> (Message, [UInt8]) {
        let head = try take(9)
        let length = loadBigEndian(head.span, at: 1)
        guard let kind = Message(rawValue: head[0]), length <= Self.most else { throw Self.foreign }
        let bytes = try take(Int(length))
        if kind == .failure, bytes.count >= 10 {
            if let refusal = ReplicaRefusal(bytes[1], loadBigEndian(bytes.span, at: 2)) { throw refusal }
            throw RemoteFailure(code: bytes[0], message: String(decoding: bytes[10...], as: UTF8.self))
        }
        return (kind, bytes)
    }

    private func take(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let more = try bytes.withMutableSlice(done..<count) { try read(&$0) }
            guard more > 0 else { throw Self.ended }
            done += more
        }
        self.count.received += UInt64(count)
        return bytes
    }
}
