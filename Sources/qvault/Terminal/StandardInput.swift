import Glibc
import VaultFormat
import VaultIO

/// Waits until a descriptor has something to read, or has come to its end. A signal that comes just before a blocking read
/// would be noticed only after it.
///
/// - Parameter afterSignal: called after each signal that does not end the work.
func waitForInput(
    _ descriptor: Int32, named name: String, within milliseconds: UInt64? = nil, afterSignal: () throws -> Void = {}
) throws {
    let start = ContinuousClock.now
    while true {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = unsafe poll(&item, 1, 200)
        let error = errno
        if count > 0 { return }
        try checkInterrupts()
        if let milliseconds, start.duration(to: .now) >= .milliseconds(milliseconds) {
            throw IOError("read", BytePath(name), code: ETIMEDOUT)
        }
        guard count < 0 else { continue }
        guard error == EINTR else { throw IOError("read", BytePath(name), code: error) }
        try afterSignal()
    }
}

/// Standard input as a source of data.
enum StandardInput {
    /// All that there is, up to so many bytes.
    static func all(upTo count: Int, from descriptor: Int32 = STDIN_FILENO) throws -> [UInt8] {
        var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: min(count, 1 << 16)))
        while bytes.count < count {
            var span = piece.mutableSpan
            let length = try fill(&span, from: descriptor)
            bytes += piece[..<length]
            if length < piece.count { break }
        }
        return bytes
    }

    /// Fills as much of the buffer as there is; less means the end.
    ///
    /// - Parameter milliseconds: how long nothing may come; nil for ever.
    static func fill(
        _ buffer: inout MutableSpan<UInt8>, from descriptor: Int32 = STDIN_FILENO,
        named name: String = "standard input",
        within milliseconds: UInt64? = nil
    ) throws -> Int {
        var done = 0
        while done < buffer.count {
            try waitForInput(descriptor, named: name, within: milliseconds)
            let count = unsafe buffer.withUnsafeMutableBufferPointer {
                unsafe read(descriptor, $0.baseAddress! + done, $0.count - done)
            }
            if count == 0 { break }
            if count < 0 {
                guard errno == EINTR else { throw IOError("read", BytePath(name), code: errno) }
                try checkInterrupts()
                continue
            }
            done += count
        }
        return done
    }
}

extension LineSource {
    /// The lines of a file, or of standard input for `-`.
    convenience init(_ operand: [UInt8]) throws {
        let file = operand == Array("-".utf8) ? nil : BytePath(operand)
        try self.init(file.map { try Machine.store.files.openFile($0, writing: false) }) { try StandardInput.fill(&$0) }
    }
}
