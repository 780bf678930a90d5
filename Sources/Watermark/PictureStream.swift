package import CImage
import VaultCrypto

/// Bytes of a picture, wherever they are.
public protocol PictureSource {
    /// Bytes in all.
    var byteCount: Int { get }
    /// Fills a buffer with what stands at an offset; none of it reaches beyond the end.
    func read(into buffer: inout MutableSpan<UInt8>, at offset: Int) throws
}

/// A destination for the bytes of a picture, one piece after the other, from which they can be read again.
public protocol PictureSink: AnyObject, PictureSource {
    /// Puts bytes behind those that are there.
    func append(_ bytes: Span<UInt8>) throws
    /// Drops all that is there.
    func clear() throws
}

extension [UInt8]: PictureSource {
    /// As `count`.
    public var byteCount: Int { count }
    /// Copies them.
    public func read(into buffer: inout MutableSpan<UInt8>, at offset: Int) {
        for place in 0..<buffer.count { buffer[place] = self[offset + place] }
    }
}

/// A picture in memory; what nobody needs any more is overwritten.
public final class PictureInMemory: PictureSink {
    /// Its bytes.
    public private(set) var bytes: [UInt8] = []

    /// None yet.
    public init() {}
    deinit { wipeBytes(&bytes) }

    /// As `bytes.count`.
    public var byteCount: Int { bytes.count }
    /// Copies them.
    public func read(into buffer: inout MutableSpan<UInt8>, at offset: Int) { bytes.read(into: &buffer, at: offset) }

    /// Puts bytes behind those that are there.
    public func append(_ more: Span<UInt8>) {
        if bytes.capacity - bytes.count < more.count {
            var larger: [UInt8] = []
            larger.reserveCapacity(2 * bytes.count + more.count)
            larger += bytes
            wipeBytes(&bytes)
            bytes = larger
        }
        unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Drops all.
    public func clear() {
        wipeBytes(&bytes)
        bytes.removeAll()
    }
}

extension PictureSource {
    /// Bytes that are in memory at once.
    private var pieceByteCount: Int { 1 << 16 }

    /// Its digest.
    ///
    /// - Throws: as `read`; `CryptoError`.
    public func sha256() throws -> [UInt8] {
        var hash = try SHA256()
        var piece = [UInt8](repeating: 0, count: pieceByteCount)
        defer { wipeBytes(&piece) }
        for offset in stride(from: 0, to: byteCount, by: pieceByteCount) {
            let count = min(pieceByteCount, byteCount - offset)
            var span = piece.mutableSpan
            var part = span._mutatingExtracting(..<count)
            try read(into: &part, at: offset)
            try hash.update(piece.span.extracting(..<count))
        }
        return try hash.finish()
    }

    /// Runs a job of CImage on it.
    ///
    /// - Throws: what the job throws, or why it could not be read.
    package func withInput(_ job: (UnsafePointer<qv_input>) throws -> Void) throws {
        if let bytes = self as? [UInt8] {
            return try unsafe bytes.withUnsafeBufferPointer {
                var input = unsafe qv_input(bytes: $0.baseAddress, length: $0.count, read: nil, context: nil)
                try unsafe job(&input)
            }
        }
        let source: Stream<any PictureSource> = Stream(self)
        let count = byteCount
        try unsafe source.run { context in
            var input = unsafe qv_input(
                bytes: nil, length: count,
                read: { context, place, out, count in
                    unsafe Stream<any PictureSource>.attempt(context) {
                        var span = unsafe MutableSpan(_unsafeStart: out!, count: count)
                        try $0.read(into: &span, at: place)
                    }
                }, context: context)
            try unsafe job(&input)
        }
    }
}

extension PictureSink {
    /// Runs a job of CImage that writes to it.
    ///
    /// - Throws: what the job throws, or why it could not be written.
    func withOutput(_ job: (UnsafePointer<qv_output>) throws -> Void) throws {
        let sink: Stream<any PictureSink> = Stream(self)
        try unsafe sink.run { context in
            var output = unsafe qv_output(
                write: { context, bytes, count in
                    unsafe Stream<any PictureSink>.attempt(context) {
                        try $0.append(unsafe Span(_unsafeStart: bytes!, count: count))
                    }
                }, context: context)
            try unsafe job(&output)
        }
    }
}

/// The source or destination of a job, and its error: no error goes through C.
private final class Stream<End> {
    private let end: End
    private var error: (any Error)?

    init(_ end: End) { self.end = end }

    func run(_ job: (UnsafeMutableRawPointer) throws -> Void) throws {
        do { try unsafe job(Unmanaged.passUnretained(self).toOpaque()) } catch let failure { throw error ?? failure }
    }

    static func attempt(_ context: UnsafeMutableRawPointer?, _ work: (End) throws -> Void) -> Int32 {
        guard let context = unsafe context else { return 1 }
        let stream = unsafe Unmanaged<Stream>.fromOpaque(context).takeUnretainedValue()
        do { try work(stream.end) } catch {
            stream.error = error
            return 1
        }
        return 0
    }
}
