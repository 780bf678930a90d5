import CWords
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let reader = Verb(
        name: "reader",
        summary: "write a page that opens any vault in a browser, without network and without this program",
        operandCount: 0...0,
        options: [
            Option(.output, also: "-o", value: "FILE", help: "the file to write; - for standard output"),
            Option(.force, help: "replace a file that is there"), .json,
        ],
        example: "qvault reader -o reader.html",
        note: "one file for any phone or computer: open it there, and choose the vault"
    ) { arguments in
        let output = try arguments.output("reader", "FILE", mayStream: true)
        guard !output.isStandardStream else { return try PocketReader.print() }
        do { try PocketReader.write(to: output, replacing: arguments.has(.force)) } catch VaultError.exists(let path) {
            throw Failure.overwriting(path)
        }
        return try Messages.done("wrote the reader to \(output)", arguments, json: .path(output))
    }
}

/// The pocket reader: a page of HTML that opens vaults in a browser (Spec/product/reader-page.md).
enum PocketReader {
    /// Its name beside backups.
    static let name = Array("qvault-reader.html".utf8)

    private static var bytes: UnsafeBufferPointer<UInt8> {
        var count = 0
        let start = unsafe qv_words_reader(&count)
        return unsafe UnsafeBufferPointer(start: start, count: count)
    }

    static func print() throws -> ExitCode {
        var out = StandardOutput()
        try out.write(unsafe bytes.span)
        try out.flush()
        return .done
    }

    /// Writes it to a file.
    ///
    /// - Throws: `VaultError.exists` where one is there and shall not be replaced; `IOError`.
    static func write(to path: BytePath, replacing: Bool) throws {
        let file = try PendingFile(in: path.parent)
        try file.append(unsafe bytes.span)
        try file.finish(as: path, replacing: replacing)
        try file.publish(as: path)
    }

    /// The beginning of each reader that was written, and where its title stands.
    private static let title = Array("<title>QuickVault reader</title>".utf8), headByteCount = 1024

    /// The place beside a backup.
    ///
    /// - Throws: `Failure` `.refused` where another file than a reader has its name.
    static func place(in folder: BytePath) throws -> BytePath {
        let path = folder.appending(name)
        guard try Machine.store.files.exists(path) else { return path }
        let head = try Machine.store.files.openFile(path, writing: false).bytes(at: 0, count: headByteCount)
        guard head.indices.contains(where: { head[$0...].starts(with: title) }) else {
            throw Failure(
                .refused, "\(path): is no reader, and is not replaced",
                hint: "give it another name, or leave out --with-reader")
        }
        return path
    }
}
