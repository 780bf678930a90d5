import Values
import VaultIO
import VaultStore

/// Text that a person asked for in the clear.
enum TextOutput {
    /// Writes it to a new file, which gets its name when it is whole; or to standard output, as it is.
    ///
    /// - Parameter output: the name of the file; nil and `-` for standard output.
    static func write(_ text: String, to output: [UInt8]?, replacing isReplacing: Bool = false) throws {
        guard let output, output != Array("-".utf8) else { return _ = try StandardOutput.print(raw: text) }
        let file = try AtomicFile(BytePath(output), Machine.store.files, replacing: isReplacing)
        try file.file.writeAll(Array(text.utf8).span, at: 0)
        try file.file.sync()
        try file.publish()
    }

    /// The same for a verb with `--force`, which says what it wrote.
    static func write(_ text: String, to output: [UInt8], _ arguments: Arguments) throws -> ExitCode {
        try write(text, to: output, replacing: arguments.has(.force))
        return output == Array("-".utf8) ? .done : Messages.done("wrote \(BytePath(output))")
    }
}
