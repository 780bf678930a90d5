import CZstd
import VaultCrypto

// Frames of compressed content (Spec/container.md, 3.7), by libzstd.

/// Makes frames, one after the other.
@safe package final class FrameEncoder {
    /// What libzstd takes by default. Level 1 takes 0.7 of the time and leaves 1.05 of the bytes, level 9 3.5 and 0.95.
    private static let level: Int32 = 3
    private let context: OpaquePointer

    package init() throws {
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
    package func encode(_ content: Span<UInt8>, into frame: inout MutableSpan<UInt8>) -> Int {
        let count = unsafe frame.withUnsafeMutableBytes { frame in
            unsafe content.withUnsafeBytes { content in
                unsafe ZSTD_compress2(
                    context, frame.baseAddress, frame.count, content.baseAddress, content.count)
            }
        }
        precondition(ZSTD_isError(count) == 0, "a frame fits into its bound")
        return count
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
        // One segment with its size; no checksum, no dictionary.
        guard frame.count > 5, frame[4] & 0x3F == 0x20,
            [0x28, 0xB5, 0x2F, 0xFD] == Array(copying: frame.extracting(..<4))
        else { return false }
        return unsafe frame.withUnsafeBytes { frame in
            unsafe content.withUnsafeMutableBytes { content in
                guard unsafe ZSTD_getFrameContentSize(frame.baseAddress, frame.count) == UInt64(content.count),
                    unsafe ZSTD_findFrameCompressedSize(frame.baseAddress, frame.count) == frame.count
                else { return false }
                let count = unsafe ZSTD_decompressDCtx(
                    context, content.baseAddress, content.count, frame.baseAddress, frame.count)
                return count == content.count
            }
        }
    }
}
