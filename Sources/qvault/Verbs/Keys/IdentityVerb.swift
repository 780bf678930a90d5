import VaultCrypto
import VaultFormat
import VaultIO

/// Reads the identity of a recipient from a file.
func readIdentity(fromFile path: BytePath) throws -> Identity { try Identity.parse(readSecret(fromFile: path)) }

extension Verb {
    static let keyIdentity = Verb(
        name: "key identity", summary: "make an identity, for which others add a key slot without your secret",
        operands: "[FILE]",
        options: [
            Option(
                .output, also: "-o", value: "FILE",
                help: "the file to make, which only you can read; - for standard output"),
            .json,
        ],
        example: "qvault key identity -o me.key",
        note: "shows the recipient to give away, for 'key add --recipient'; with FILE that of an identity that is there"
    ) { arguments in
        if let file = arguments.operands.first {
            guard !arguments.has(.output) else {
                throw Failure(.usage, "key identity: a FILE to show, or -o FILE to make, not both")
            }
            let path = BytePath(file)
            let identity = try naming(path) { try readIdentity(fromFile: path) }
            return try showRecipient(of: identity, at: path, arguments)
        }
        guard let output = arguments.bytes(.output) else {
            throw Failure(.usage, "key identity: -o FILE says where it is to be kept", hint: "-o - prints it")
        }
        var random = SystemRandom()
        let identity = try Identity(random: &random)
        let text = try identity.text()
        if output == Array("-".utf8) {
            guard !arguments.has(.json) else {
                throw Failure(
                    .usage, "key identity: --json needs -o FILE: the identity itself is never printed as JSON")
            }
            var out = StandardOutput()
            try text.withSpan { try out.write($0) }
            try out.flush()
            return .done
        }
        let path = BytePath(output)
        try checkFree([.output], arguments)
        try writePrivately(text, to: path)
        try showRecipient(of: identity, at: path, arguments)
        return Messages.done("wrote the identity to \(path): whoever has it opens what was made for this recipient")
    }

    /// Prints the recipient of an identity.
    @discardableResult
    private static func showRecipient(of identity: borrowing Identity, at path: BytePath, _ arguments: Arguments) throws
        -> ExitCode
    {
        let recipient = try Recipient(of: identity).text
        guard arguments.has(.json) else { return try StandardOutput.print(recipient + "\n") }
        return try StandardOutput.print(JSON(joining: .path(path), ["recipient": recipient]))
    }
}
