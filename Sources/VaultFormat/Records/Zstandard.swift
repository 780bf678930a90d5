import CZstd
import VaultCrypto

// Frames of compressed content (Spec/container.md, 3.7), by libzstd.

/// Makes frames, one after the other.
@safe package final class FrameEncoder {
    /// The default of libzstd.
    private static let level: Int32 = 3
    private let context: OpaquePointer
    private let decoder: FrameDecoder
    private var proof: [UInt8] = []

    package init() throws {
        decoder = try FrameDecoder()
        guard let context = unsafe qv_zstd_encoder(Self.level) else {
            throw CryptoError.libraryFailure(function: "ZSTD_createCCtx")
        }
        unsafe self.context = context
    }

    deinit { _ = unsafe ZSTD_freeCCtx(context) }

    /// Bytes that a frame of `count` bytes of content takes at most.
    package static func bound(_ count: Int) -> Int { ZSTD_compressBound(count) }

    /// Writes the frame of `content` to the beginning of `frame`, which has room for `bound` bytes.
    ///
    /// - Returns: its length.
    /// - Throws: `CryptoError.libraryFailure`.
    package func encode(_ content: Span<UInt8>, into frame: inout MutableSpan<UInt8>) throws -> Int {
        let count = unsafe frame.withUnsafeMutableBytes { frame in
            unsafe content.withUnsafeBytes { content in
                unsafe ZSTD_compress2(context, frame.baseAddress, frame.count, content.baseAddress, content.count)
            }
        }
        guard ZSTD_isError(count) == 0 else { throw CryptoError.libraryFailure(function: "ZSTD_compress2") }
        return count
    }

    /// Opens a frame that was made: what is stored gives the content back.
    ///
    /// - Throws: `CryptoError.libraryFailure` where it does not.
    package func prove(_ frame: Span<UInt8>, of content: Span<UInt8>) throws {
        if proof.count < content.count { proof = [UInt8](repeating: 0, count: content.count) }
        defer { proof.withMutableSlice(0..<content.count) { wipe(&$0) } }
        let isSame = proof.withMutableSlice(0..<content.count) {
            decoder.decode(frame, into: &$0) && $0.span.isEqual(to: content)
        }
        guard isSame else { throw CryptoError.libraryFailure(function: "ZSTD_decompressDCtx") }
    }
}

/// Opens frames, one after the other.
@safe package final class FrameDecoder {
    private let context: OpaquePointer

    package init() throws {
        guard let context = unsafe qv_zstd_decoder() else {
            throw CryptoError.libraryFailure(function: "ZSTD_createDCtx")
        }
        unsafe self.context = context
    }

    deinit { _ = unsafe ZSTD_freeDCtx(context) }

    /// Fills `content` with what `frame` holds.
    ///
    /// - Returns: false where `frame` is not one frame of the form that the Spec allows, with so many bytes of content.
    package func decode(_ frame: Span<UInt8>, into content: inout MutableSpan<UInt8>) -> Bool {
        guard Self.isOneFrame(frame) else { return false }
        return unsafe frame.withUnsafeBytes { frame in
            unsafe content.withUnsafeMutableBytes { content in
                guard unsafe ZSTD_getFrameContentSize(frame.baseAddress, frame.count) == UInt64(content.count)
                else { return false }
                let count = unsafe ZSTD_decompressDCtx(
                    context, content.baseAddress, content.count, frame.baseAddress, frame.count)
                return count == content.count
            }
        }
    }

    private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    /// The descriptor of a frame header without the bits of the size: one segment and a checksum, no dictionary.
    private static let descriptor: UInt8 = 0x24
    private static let checksumByteCount = 4
    private static let blockByteCount = 1 << 17

    /// True if it begins as such a frame does, and its last block and its checksum end it. Decoders differ in how they take
    /// what is none.
    private static func isOneFrame(_ frame: Span<UInt8>) -> Bool {
        guard frame.count > 5, magic.indices.allSatisfy({ frame[$0] == magic[$0] }), frame[4] & 0x3F == descriptor
        else {
            return false
        }
        var place = 5 + 1 << Int(frame[4] >> 6)
        while place + 3 <= frame.count {
            let header = Int(frame[place]) | Int(frame[place + 1]) << 8 | Int(frame[place + 2]) << 16
            let (isLast, kind, size) = (header & 1 == 1, header >> 1 & 3, header >> 3)
            guard kind < 3, size <= blockByteCount else { return false }
            place += 3 + (kind == 1 ? 1 : size)
            if isLast { return place + checksumByteCount == frame.count }
        }
        return false
    }
}
