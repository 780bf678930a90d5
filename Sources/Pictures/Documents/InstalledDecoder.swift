import VaultIO

extension DocumentDecoder {
    /// The decoder that is installed with the program that runs; nil where there is none.
    ///
    /// - Parameters: as of `init`.
    public static func installed(
        isSandboxOptional: Bool = false, seconds: Int = 20, check: @escaping @Sendable () throws -> Void = {}
    ) -> DocumentDecoder? {
        guard let program = ThisProgram.companion("qvault-decode") else { return nil }
        return DocumentDecoder(
            program: program, isSandboxOptional: isSandboxOptional, seconds: seconds, check: check)
    }
}
