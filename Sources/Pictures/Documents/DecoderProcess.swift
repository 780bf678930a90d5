import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import Watermark

/// A running `qvault-decode`, which nobody trusts: whatever it says is checked (Spec/product/documents.md).
final class DecoderProcess {
    private let output: Int32
    private let process: pid_t
    private let check: () throws -> Void
    private var isEnded = false
    /// Seconds for what is read next, and the milliseconds that are left of them.
    private var seconds: Int
    private var left: Int64

    /// Starts it.
    ///
    /// - Parameters:
    ///   - words: its path and arguments.
    ///   - check: called ten times a second while it works.
    /// - Throws: `MarkError.decoderFailed`.
    init(_ words: [String], _ input: borrowing DecoderInput, seconds: Int, check: @escaping () throws -> Void) throws {
        let pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("LANG=C.UTF-8"), nil]
        defer { unsafe (pointers + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        output = unsafe pointers.withUnsafeBufferPointer { words in
            unsafe variables.withUnsafeBufferPointer { variables in
                unsafe qv_start_program(words.baseAddress, variables.baseAddress, input.descriptor, &process)
            }
        }
        guard output >= 0 else { throw MarkError.decoderFailed("it cannot be started") }
        (self.process, self.check, self.seconds, left) = (process, check, seconds, Int64(seconds) * 1000)
    }

    deinit {
        close(output)
        if !isEnded { _ = qv_end_program(process) }
    }

    /// Gives what is read next its own time.
    func allow(seconds: Int) { (self.seconds, left) = (seconds, Int64(seconds) * 1000) }

    /// The next bytes, as many as are asked for.
    ///
    /// - Throws: `MarkError.decoderFailed` where there are fewer; `.tooSlow`; what `check` throws.
    func bytes(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = unsafe bytes.withUnsafeMutableBytes {
                unsafe qv_read_until(output, $0.baseAddress! + done, count - done, &left)
            }
            if got > 0 {
                done += got
            } else {
                guard try goesOn(got) else { throw MarkError.decoderFailed("it stopped") }
            }
        }
        return bytes
    }

    /// All bytes to the end of a program that does what it should.
    ///
    /// - Throws: `MarkError.decoderFailed` where there are more, or it fails; `.tooSlow`; what `check` throws.
    func rest(limit: Int) throws -> [UInt8] {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        defer { wipeBytes(&piece) }
        while true {
            let got = unsafe piece.withUnsafeMutableBytes {
                unsafe qv_read_until(output, $0.baseAddress, $0.count, &left)
            }
            if got > 0 {
                all += piece[..<got]
                guard all.count <= limit else { throw MarkError.decoderFailed("it says too much") }
            } else if try !goesOn(got) {
                break
            }
        }
        isEnded = true
        guard qv_end_program(process) == 0 else { throw MarkError.decoderFailed("it stopped in the middle") }
        return all
    }

    /// False at the end of what the program says, or where that cannot be read.
    private func goesOn(_ got: Int) throws -> Bool {
        try check()
        guard got == Int(QV_READ_NOTHING) else { return false }
        guard left > 0 else { throw MarkError.tooSlow(seconds: seconds) }
        return true
    }

    /// The next number, big-endian.
    func number(_ byteCount: Int) throws -> Int { try bytes(byteCount).reduce(0) { $0 << 8 | Int($1) } }

    /// Reads the name of an answer, or throws what it says instead of one.
    func expect(_ name: String) throws {
        let said = try bytes(4)
        guard said == Array("QVDE".utf8) else {
            guard said == Array(name.utf8) else { throw MarkError.decoderFailed("it answers something else") }
            return
        }
        try fail()
    }

    /// Reads the rest of an answer that says why there is none.
    func fail() throws -> Never {
        let (reason, count) = (try number(1), try number(2))
        let words = try bytes(min(count, 200)).map { 0x20..<0x7F ~= $0 ? $0 : UInt8(ascii: "?") }
        throw MarkError(decoderReason: reason, String(decoding: words, as: UTF8.self))
    }
}

/// A file in memory that a decoder reads.
struct DecoderInput: ~Copyable {
    let descriptor: Int32

    /// Copies a file.
    ///
    /// - Throws: `MarkError.noMemory`; what reading throws.
    init(_ source: any PictureSource) throws {
        descriptor = unsafe qv_memory_file("document")
        guard descriptor >= 0 else { throw MarkError.noMemory }
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        defer { wipeBytes(&piece) }
        for offset in stride(from: 0, to: source.byteCount, by: piece.count) {
            let count = min(piece.count, source.byteCount - offset)
            var span = piece.mutableSpan
            var part = span._mutatingExtracting(..<count)
            try source.read(into: &part, at: offset)
            let done = unsafe piece.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, count, off_t(offset)) }
            guard done == count else { throw MarkError.noMemory }
        }
        // The decoder must not change what the next one reads.
        guard qv_seal(descriptor) == 0 else { throw MarkError.noMemory }
    }

    deinit { close(descriptor) }
}

extension MarkError {
    /// The reason that a decoder gives (Sources/qvault-decode/decode.h).
    fileprivate init(decoderReason reason: Int, _ words: String) {
        switch reason {
        case 1: self = .notAnImage
        case 2: self = .corrupt(words)
        case 3: self = .unsupported
        case 4: self = .tooLarge
        case 5: self = .noMemory
        case 20: self = .encrypted
        case 21: self = .tooManyPages(Int(words) ?? 0)
        case 22: self = .animation
        case 23: self = .severalPictures
        case 24: self = .noSandbox
        case 25: self = .noProgram(words)
        case 26: self = .decoderFailed("its sandbox cannot be set up: \(Phrase(stringLiteral: words))")
        case 27: self = .noLanguage(words)
        default: self = .decoderFailed("it gives a reason that is none")
        }
    }
}
