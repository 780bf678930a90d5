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
    /// The path of a program that is installed with this one: beside it, or in `../libexec`; nil where there is none, or it is
    /// somebody else's.
    package static func companion(_ name: String) -> String? {
        guard let path else { return nil }
        let folder = String(decoding: path.parent.bytes, as: UTF8.self)
        return ["\(folder)/\(name)", "\(folder)/../libexec/\(name)"].first {
            unsafe access($0, X_OK) == 0 && isTrusted($0, as: path)
        }
    }

    /// True if a file is root's, this user's, or of the program's owner, and not everybody may change it.
    private static func isTrusted(_ path: String, as program: BytePath) -> Bool {
        var (mine, theirs) = (stat(), stat())
        guard unsafe stat(String(decoding: program.bytes, as: UTF8.self), &mine) == 0, unsafe stat(path, &theirs) == 0
        else {
            return false
        }
        return [0, geteuid(), mine.st_uid].contains(theirs.st_uid) && theirs.st_mode & S_IWOTH == 0
    }
}
