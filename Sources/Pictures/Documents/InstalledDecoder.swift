import Glibc
import Values
import VaultIO

extension DocumentDecoder {
    /// The decoder that is installed with the program that runs: beside it, or in `../libexec`; nil where there is none, or
    /// it is somebody else's.
    ///
    /// - Parameters: as of `init`.
    public static func installed(
        isSandboxOptional: Bool = false, seconds: Int = 20, check: @escaping @Sendable () throws -> Void = {}
    ) -> DocumentDecoder? {
        guard let path = ThisProgram.path else { return nil }
        let (program, folder) = (
            String(decoding: path.bytes, as: UTF8.self), String(decoding: path.parent.bytes, as: UTF8.self)
        )
        let places = ["\(folder)/qvault-decode", "\(folder)/../libexec/qvault-decode"]
        guard let place = places.first(where: { unsafe access($0, X_OK) == 0 && belongs($0, with: program) }) else {
            return nil
        }
        return DocumentDecoder(
            program: place, isSandboxOptional: isSandboxOptional, seconds: seconds, check: check)
    }

    /// True if a file is root's, this user's, or of the program's owner, and not everybody may change it.
    private static func belongs(_ path: String, with program: String) -> Bool {
        var (mine, theirs) = (stat(), stat())
        guard unsafe stat(program, &mine) == 0, unsafe stat(path, &theirs) == 0 else { return false }
        return [0, geteuid(), mine.st_uid].contains(theirs.st_uid) && theirs.st_mode & S_IWOTH == 0
    }
}
