import CSystem
import Glibc
import Values
import VaultCrypto
import VaultStore

/// The arguments as bytes: names of files need not be UTF-8. `--arguments-fd N` alone takes them from a descriptor, where nobody
/// sees them: those of a process are shown to everybody.
let commandWords: [[UInt8]] = {
    let typed = (1..<Int(CommandLine.argc)).compactMap { index in
        unsafe CommandLine.unsafeArgv[index].map { word in
            unsafe UnsafeBufferPointer(start: word, count: strlen(word)).map { UInt8(bitPattern: $0) }
        }
    }
    let text = typed.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "=")
    guard text.hasPrefix("--arguments-fd="), let number = Int32(text.dropFirst(15)) else { return typed }
    return words(from: number) ?? typed
}()

/// Words, each ended by NUL; nil where they cannot be read, or have more than 16 MiB.
private func words(from descriptor: Int32) -> [[UInt8]]? {
    var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while true {
        let count = unsafe read(descriptor, &piece, piece.count)
        guard count > 0 else {
            let isWhole = count == 0 && bytes.last == 0
            return isWhole
                ? bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).map(Array.init) : nil
        }
        bytes += piece[..<count]
        guard bytes.count <= 1 << 24 else { return nil }
    }
}

/// A variable of the environment as the bytes that it has, which need not be UTF-8; nil when it is not set or empty.
func environment(bytes name: String) -> [UInt8]? {
    guard let value = unsafe getenv(name) else { return nil }
    let bytes = unsafe UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? nil : bytes
}

/// A variable of the environment that holds words; nil when it is not set, empty, or not UTF-8.
func environment(_ name: String) -> String? {
    environment(bytes: name).flatMap { String(validating: $0, as: UTF8.self) }
}

/// A folder that a variable of the environment names by an absolute path; relative ones are ignored, as the XDG base
/// directory specification says.
func environment(folder name: String) -> BytePath? {
    environment(bytes: name).flatMap { $0.first == UInt8(ascii: "/") ? BytePath($0) : nil }
}

/// The path of a program where the shell looks for it; nil where it is not there.
func installedPath(of program: String) -> String? {
    (environment("PATH") ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(program)" }
        .first { unsafe access($0, X_OK) == 0 }
}

/// True if a program is where the shell looks for it.
func isInstalled(_ program: String) -> Bool { installedPath(of: program) != nil }

/// Throws when the person pressed Ctrl-C, or the system asked to end.
@Sendable func checkInterrupts() throws { if qv_interrupted() != 0 { throw VaultError.cancelled } }
