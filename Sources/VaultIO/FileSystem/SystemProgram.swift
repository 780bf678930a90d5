import Glibc
package import VaultFormat

/// The program that runs.
package enum ThisProgram {
    /// The path of its file; nil where `/proc` does not say it.
    package static var path: BytePath? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0, path[0] == CChar(bitPattern: UInt8(ascii: "/")) else { return nil }
        return BytePath(path[..<count].map(UInt8.init(bitPattern:)))
    }
}
