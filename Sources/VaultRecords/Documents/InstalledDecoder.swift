import Glibc

extension DocumentDecoder {
    /// The decoder that is installed with the program that runs: beside it, or in `../libexec`; nil where there is none.
    ///
    /// - Parameters: as of `init`.
    public static func installed(
        isSandboxOptional: Bool = false, seconds: Int = 20, check: @escaping @Sendable () throws -> Void = {}
    ) -> DocumentDecoder? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { return nil }
        let program = String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let end = program.lastIndex(of: "/") else { return nil }
        let folder = program[..<end]
        let places = ["\(folder)/qvault-decode", "\(folder)/../libexec/qvault-decode"]
        guard let place = places.first(where: { unsafe access($0, X_OK) == 0 }) else { return nil }
        return DocumentDecoder(
            program: place, isSandboxOptional: isSandboxOptional, seconds: seconds, check: check)
    }
}
