import Glibc
import VaultCrypto
import VaultFormat
import VaultIO

/// A file that is made whole first and then goes to standard output, where `-o -` asks for that.
enum StreamedFile {
    /// Runs what makes a file at a path: the one that is given, or one in a folder of its own, which is gone afterwards. Where none is
    /// made, none is sent.
    ///
    /// - Throws: `Failure` `.usage` where the file would go to a terminal.
    static func making<R>(_ path: BytePath, _ body: (BytePath) throws -> R) throws -> R {
        guard path.isStandardStream else { return try body(path) }
        guard isatty(STDOUT_FILENO) == 0 else {
            throw Failure(
                .usage, "-o -: a vault is no text for a terminal", hint: "qvault … -o - | ssh HOST 'cat > v.qvault'")
        }
        var random: any RandomSource = Machine.store.random
        let folder = Machine.scratchFolder.appending(Array("qvault-\(hexText(try random.bytes(8)))".utf8))
        let files = Machine.store.files
        try files.makeFolder(folder)
        let name = Array("stream.qvault".utf8)
        defer {
            try? files.openFolder(folder).removeFile(name)
            _ = unsafe rmdir(folder.description)
        }
        let result = try body(folder.appending(name))
        guard try files.exists(folder.appending(name)) else { return result }
        let file = try files.openFile(folder.appending(name), writing: false)
        let size: UInt64 = try file.status().size
        for start in stride(from: UInt64(0), to: size, by: 1 << 20) {
            try checkInterrupts()
            let bytes = try file.bytes(at: start, count: Int(min(1 << 20, size - start)))
            try writeAll(bytes.span, to: STDOUT_FILENO, named: "standard output")
        }
        return result
    }
}
