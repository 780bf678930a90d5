import Glibc
import VaultFormat
import VaultStore

/// Standard input as a source of data.
enum StandardInput {
    /// Fills as much of the buffer as there is; less means the end.
    static func fill(_ buffer: inout MutableSpan<UInt8>) throws -> Int {
        var done = 0
        while done < buffer.count {
            let count = unsafe buffer.withUnsafeMutableBufferPointer {
                unsafe read(STDIN_FILENO, $0.baseAddress! + done, $0.count - done)
            }
            if count == 0 { break }
            if count < 0 {
                guard errno == EINTR else { throw IOError("read", Path("standard input"), code: errno) }
                try checkInterrupts()
                continue
            }
            done += count
        }
        return done
    }
}
