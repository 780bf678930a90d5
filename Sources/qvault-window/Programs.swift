import CSystem
import Glibc

/// Starts a program with files as its descriptors 0, 1, 2 and so on; nil where it cannot be started.
func startProgram(_ words: [String], _ files: [Int32]) -> pid_t? {
    let pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let started = unsafe pointers.withUnsafeBufferPointer { words in
        unsafe files.withUnsafeBufferPointer { files in
            unsafe qv_start_with(words.baseAddress, environ, files.baseAddress, files.count, &process)
        }
    }
    return started == 0 ? process : nil
}

/// A descriptor of a file that is read; -1 where it cannot be opened.
func openToRead(_ path: String) -> Int32 { unsafe open(path, O_RDONLY | O_CLOEXEC) }

/// Another descriptor of an open file, with a place of its own: at its first byte.
func openAnew(_ descriptor: Int32) -> Int32 { openToRead("/proc/self/fd/\(descriptor)") }

/// A file in memory; its content goes with the last descriptor.
struct MemoryFile: ~Copyable {
    let descriptor: Int32

    /// An empty one; nil where there is no memory or no descriptor.
    init?(_ bytes: [UInt8] = []) {
        descriptor = unsafe qv_memory_file("window")
        guard descriptor >= 0 else { return nil }
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress! + done, $0.count - done)
            }
            guard count > 0 else { return nil }
            done += count
        }
        lseek(descriptor, 0, SEEK_SET)
    }

    /// Takes a descriptor over.
    init(taking descriptor: Int32) { self.descriptor = descriptor }

    deinit { if descriptor >= 0 { close(descriptor) } }

    var byteCount: UInt64 { byteCountOf(descriptor) }

    /// The same content under a descriptor with a place of its own, read only; it is the caller's to close.
    var reader: Int32 { openAnew(descriptor) }

    /// Its first bytes.
    func bytes(upTo limit: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(min(UInt64(limit), byteCount)))
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress! + done, $0.count - done, off_t(done))
            }
            guard count > 0 else { break }
            done += count
        }
        return Array(bytes[..<done])
    }
}

/// The length of an open file; 0 where it cannot be told.
func byteCountOf(_ descriptor: Int32) -> UInt64 {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? UInt64(max(0, status.st_size)) : 0
}
