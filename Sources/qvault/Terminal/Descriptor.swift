import CSystem
import Glibc
import Values
import VaultIO

/// An open descriptor of the terminal, or of a stream that a secret is read from; closed when it goes.
///
/// Regular files are opened through `VaultStore.FileSystem`. Nothing else in the command calls open(2).
struct Descriptor: ~Copyable {
    /// Never one of the standard descriptors.
    let number: Int32

    init(opening path: BytePath, _ flags: Int32) throws {
        let terminated = path.bytes.map { CChar(bitPattern: $0) } + [0]
        while true {
            let opened = unsafe terminated.withUnsafeBufferPointer {
                unsafe qv_above_standard(open($0.baseAddress!, flags | O_CLOEXEC))
            }
            if opened >= 0 {
                number = opened
                return
            }
            // Opening a pipe waits for its other end.
            guard errno == EINTR else { throw IOError("open", path, code: errno) }
            try checkInterrupts()
        }
    }

    deinit { close(number) }
}
