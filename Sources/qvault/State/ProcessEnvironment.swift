import CSystem
import Glibc
import Values
import VaultCrypto
import VaultStore

/// The arguments as bytes: names of files need not be UTF-8.
let commandWords: [[UInt8]] =
    (1..<Int(CommandLine.argc)).compactMap { index in
        unsafe CommandLine.unsafeArgv[index].map { word in
            unsafe UnsafeBufferPointer(start: word, count: strlen(word)).map { UInt8(bitPattern: $0) }
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

/// True if a program is where the shell looks for it.
func isInstalled(_ program: String) -> Bool {
    (environment("PATH") ?? "/usr/bin:/bin").split(separator: ":").contains {
        unsafe access("\($0)/\(program)", X_OK) == 0
    }
}

/// Throws when the person pressed Ctrl-C, or the system asked to end.
@Sendable func checkInterrupts() throws { if qv_interrupted() != 0 { throw VaultError.cancelled } }
