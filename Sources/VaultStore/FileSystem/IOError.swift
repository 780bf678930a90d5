public import VaultFormat

/// A call on a file that the system refused.
public struct IOError: Error, Equatable, Sendable {
    /// The operation that failed: "open", "read", "write", …
    public let operation: String
    /// The file it was tried on.
    public let path: BytePath
    /// The system's error number.
    public let code: Int32

    /// A refusal with the system's number.
    public init(_ operation: String, _ path: BytePath, code: Int32) {
        (self.operation, self.path, self.code) = (operation, path, code)
    }
}

extension IOError: CustomStringConvertible {
    /// A line for a person: the operation and the system's reason, without the path.
    public var message: Phrase { "cannot \(Phrase(stringLiteral: operation)): \(Phrase(stringLiteral: reason))" }

    /// The path and the message, in English.
    public var description: String { "\(path): \(message)" }
}
