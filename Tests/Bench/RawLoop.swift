import Dispatch
import Glibc
import VaultCrypto
import VaultFormat

/// The least that any program must do for the same job: read, the cipher and tags of the format, write; on all cores,
/// with contexts made once, to a preallocated file. What the product takes beyond this is its own.
enum RawLoop {
    private static let piece = 1 << 20
    private static let chunk = Layout.chunkByteCount
    private static let sealedPiece = piece / chunk * (chunk + 16)

    enum Job: CaseIterable {
        /// Read plaintext, seal, SHA-256 of the blocks, write.
        case pack
        /// Read ciphertext, open, write.
        case unpack
        /// Read, SHA-256 of the blocks.
        case verifyKeyless
        /// Read, SHA-256 of the blocks, open.
        case verify
    }

    struct SystemFailure: Error {
        let call: String
        let code: Int32
    }

    /// Seconds for a job over a file whose length is a multiple of 1 MiB.
    ///
    /// - Parameter countsAllocation: whether making room in the new file is part of the time, as it is for any
    ///   program that makes one; in memory it takes as long as a third of the rest.
    static func seconds(
        _ job: Job, source: String, target: String, threads: Int, countsAllocation: Bool
    ) throws -> Double {
        let input = unsafe open(source, O_RDONLY)
        guard input >= 0 else { throw SystemFailure(call: source, code: errno) }
        defer { close(input) }
        let isSealed = job != .pack
        let pieces = Int(lseek(input, 0, SEEK_END)) / (isSealed ? sealedPiece : piece)
        var output: Int32 = -1
        var start = ContinuousClock.now
        if job == .pack || job == .unpack {
            output = unsafe open(target, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            guard output >= 0 else { throw SystemFailure(call: target, code: errno) }
            start = .now
            posix_fallocate(output, 0, off_t(pieces * (isSealed ? piece : sealedPiece)))
        }
        defer { if output >= 0 { close(output) } }
        let workers = try (0..<threads).map { _ in try Worker() }
        let failures = Failures()
        let (from, to) = (input, output)
        if !countsAllocation { start = .now }
        DispatchQueue.concurrentPerform(iterations: threads) { index in
            do {
                for number in stride(from: index, to: pieces, by: threads) {
                    try workers[index].run(job, number, from: from, to: to)
                }
            } catch { failures.add(error) }
        }
        let time = start.duration(to: .now) / .seconds(1)
        if let failure = failures.first { throw failure }
        return time
    }

    /// Seconds for what reading `count` short records costs at least: each is read with one call, from anywhere in the
    /// file; its key is derived; header and content go through the cipher.
    static func seconds(records count: Int, source: String, threads: Int) throws -> Double {
        let input = unsafe open(source, O_RDONLY)
        guard input >= 0 else { throw SystemFailure(call: source, code: errno) }
        defer { close(input) }
        let places = Int(lseek(input, 0, SEEK_END)) / recordByteCount - 1
        let failures = Failures()
        let start = ContinuousClock.now
        DispatchQueue.concurrentPerform(iterations: threads) { index in
            do {
                let numbers = stride(from: index, to: count, by: threads)
                try readRecords(input, at: numbers.lazy.map { $0 * 7919 % places * recordByteCount })
            } catch { failures.add(error) }
        }
        let time = start.duration(to: .now) / .seconds(1)
        if let failure = failures.first { throw failure }
        return time
    }

    private static let recordByteCount = 512

    /// One thread's share of short records. It seals, which costs what opening does.
    private static func readRecords(_ input: Int32, at offsets: some Sequence<Int>) throws {
        var key = [UInt8](repeating: 7, count: 32)
        var hkdf = try HKDF()
        var headers = try AESGCM(key: key.span)
        var cipher = try AESGCM(key: key.span)
        var bytes = [UInt8](repeating: 0, count: recordByteCount)
        var header = [UInt8](repeating: 0, count: StoredRecord.headerByteCount + 16)
        var content = [UInt8](repeating: 0, count: 200 + 16)
        for offset in offsets {
            let done = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(input, $0.baseAddress, $0.count, off_t(offset))
            }
            guard done == bytes.count else { throw SystemFailure(call: "pread", code: errno) }
            let nonce = Nonce(high: 0, low: UInt64(offset))
            try key.withMutableSlice(0..<32) {
                try hkdf.derive(
                    from: bytes.span.extracting(0..<32), salt: bytes.span.extracting(32..<64),
                    info: bytes.span.extracting(64..<124), into: &$0)
            }
            try cipher.rekey(key.span)
            try header.withMutableSlice(0..<header.count) {
                try headers.seal(
                    bytes.span.extracting(0..<StoredRecord.headerByteCount), nonce: nonce,
                    aad: bytes.span.extracting(0..<48), into: &$0)
            }
            try content.withMutableSlice(0..<content.count) {
                try cipher.seal(bytes.span.extracting(0..<200), nonce: nonce, into: &$0)
            }
        }
    }

    /// The first error of several threads.
    /// Sendable: guarded by its queue.
    private final class Failures: @unchecked Sendable {
        private let queue = DispatchQueue(label: "failures")
        private var errors: [any Error] = []

        func add(_ error: any Error) { queue.sync { errors.append(error) } }
        var first: (any Error)? { queue.sync { errors.first } }
    }

    /// One thread's buffers and ciphers.
    /// Sendable: used by one thread at a time.
    private final class Worker: @unchecked Sendable {
        private var plain = [UInt8](repeating: 0, count: piece)
        private var sealed = [UInt8](repeating: 0, count: sealedPiece)
        private var cipher: AESGCM

        init() throws {
            let key = [UInt8](repeating: 7, count: 32)
            cipher = try AESGCM(key: key.span)
        }

        func run(_ job: Job, _ number: Int, from input: Int32, to output: Int32) throws {
            if job == .pack {
                try load(&plain, number, input)
            } else {
                try load(&sealed, number, input)
            }
            if job == .verify || job == .verifyKeyless { try hashBlocks() }
            for index in 0..<piece / chunk where job != .verifyKeyless {
                let nonce = Nonce.chunk(UInt64(number * 16 + index), isFinal: false)
                let (at, sealedAt) = (index * chunk, index * (chunk + 16))
                let (clear, closed) = (at..<at + chunk, sealedAt..<sealedAt + chunk + 16)
                if job == .pack {
                    try Self.seal(&cipher, plain, clear, nonce, &sealed, closed)
                } else {
                    try Self.open(&cipher, sealed, closed, nonce, &plain, clear)
                }
            }
            if job == .pack {
                try hashBlocks()
                try store(sealed, number, output)
            } else if job == .unpack {
                try store(plain, number, output)
            }
        }

        private static func seal(
            _ cipher: inout AESGCM, _ plain: [UInt8], _ clear: Range<Int>, _ nonce: Nonce, _ sealed: inout [UInt8],
            _ closed: Range<Int>
        ) throws {
            try sealed.withMutableSlice(closed) {
                try cipher.seal(plain.span.extracting(clear), nonce: nonce, into: &$0)
            }
        }

        private static func open(
            _ cipher: inout AESGCM, _ sealed: [UInt8], _ closed: Range<Int>, _ nonce: Nonce, _ plain: inout [UInt8],
            _ clear: Range<Int>
        ) throws {
            try plain.withMutableSlice(clear) {
                try cipher.open(sealed.span.extracting(closed), nonce: nonce, into: &$0)
            }
        }

        private func hashBlocks() throws {
            for start in stride(from: 0, to: sealedPiece, by: chunk) {
                try Self.hash(sealed, start..<min(start + chunk, sealedPiece))
            }
        }

        private static func hash(_ bytes: [UInt8], _ block: Range<Int>) throws {
            _ = try SHA256.hash(bytes.span.extracting(block))
        }

        private func load(_ buffer: inout [UInt8], _ number: Int, _ descriptor: Int32) throws {
            let offset = off_t(number) * off_t(buffer.count)
            let done = unsafe buffer.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress, $0.count, offset)
            }
            guard done == buffer.count else { throw SystemFailure(call: "pread", code: errno) }
        }

        private func store(_ buffer: [UInt8], _ number: Int, _ descriptor: Int32) throws {
            let offset = off_t(number) * off_t(buffer.count)
            let done = unsafe buffer.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, offset) }
            guard done == buffer.count else { throw SystemFailure(call: "pwrite", code: errno) }
        }
    }
}
