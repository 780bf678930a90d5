import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import VaultIO

/// A file in memory that other programs can open by a path, and that has no name on any disk.
struct MemoryFile: ~Copyable {
    private let descriptor: Int32

    /// - Parameter name: shows in lists of open files only.
    init(_ name: String) throws {
        descriptor = unsafe qv_memory_file(name)
        guard descriptor >= 0 else { throw IOError("make", BytePath("a file in memory"), code: errno) }
    }

    deinit { close(descriptor) }

    func write(_ bytes: Span<UInt8>) throws { try writeAll(bytes, to: descriptor, named: "a file in memory") }

    /// Runs a shell command with the file's path behind it; whether it succeeded.
    func run(_ command: String) -> Bool { unsafe system("\(command) /proc/self/fd/\(descriptor)") == 0 }

    /// Runs a shell command that reads the file and prints to another one; whether it succeeded. Its errors go nowhere.
    func run(_ command: String, outputTo output: borrowing MemoryFile) -> Bool {
        let files = "</proc/self/fd/\(descriptor) >/proc/self/fd/\(output.descriptor) 2>/dev/null"
        return unsafe system("\(command) \(files)") == 0
    }

    /// The same for a program that writes to the file at a path of its command line, which `{}` stands for.
    func run(_ command: String, writingTo output: borrowing MemoryFile) -> Bool {
        let path = "/proc/self/fd/\(output.descriptor)"
        let files = "</proc/self/fd/\(descriptor) >/dev/null 2>&1"
        return unsafe system("\(command.replacing("{}", with: path)) \(files)") == 0
    }

    /// Starts a shell command that reads the file and has nothing else of this process; its output can be read from the
    /// descriptor.
    ///
    /// - Parameter readable: files and folders that it may read besides those of the system; nil for no sandbox.
    func start(
        _ command: String, in folder: String, environment: [String], readable: [String]?
    ) throws -> (output: Int32, process: pid_t) {
        lseek(descriptor, 0, SEEK_SET)
        var words = unsafe environment.map { unsafe strdup($0) }
        var places = unsafe (readable ?? []).map { unsafe UnsafePointer(strdup($0)) }
        defer {
            unsafe words.forEach { unsafe free($0) }
            unsafe places.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) }
        }
        unsafe words.append(nil)
        let rules = readable == nil ? -1 : unsafe qv_sandbox_rules(&places, places.count)
        defer { if rules >= 0 { close(rules) } }
        var process: pid_t = 0
        let output = unsafe words.withUnsafeMutableBufferPointer { words in
            unsafe folder.withCString { folder in
                var apart = unsafe qv_apart(
                    folder: folder, environment: words.baseAddress, is_sandboxed: readable == nil ? 0 : 1, rules: rules)
                return unsafe qv_run_apart(command, &apart, descriptor, &process)
            }
        }
        guard output >= 0 else { throw IOError("run", BytePath("/bin/sh"), code: errno) }
        return (output, process)
    }

    /// Its content.
    func bytes(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe pread(descriptor, &piece, piece.count, off_t(bytes.count))
            guard count >= 0 else { throw IOError("read", BytePath("a file in memory"), code: errno) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= limit else { throw Failure(.invalid, "longer than \(sizeText(UInt64(limit)))") }
        }
    }
}
