import CSystem
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

extension IOError {
    /// The code for a pipe, device or folder in the place of a file.
    static var notAFile: Int32 { QV_NOT_A_FILE }
    /// The system does not permit it to this user.
    package var isDenied: Bool { code == QV_DENIED }
    /// Something of this name is there already.
    public var isNameTaken: Bool { code == QV_NAME_TAKEN }
    /// Nothing of this name is there.
    public var isMissing: Bool { code == QV_MISSING }
    /// A symbolic link stands where none is followed.
    public var isLink: Bool { code == QV_LINK }
    /// The file system cannot do this: give a file a second name, for instance.
    package var isUnsupported: Bool { [QV_NOT_PERMITTED, QV_NOT_SUPPORTED, QV_TOO_MANY_LINKS].contains(code) }
    /// The name cannot be given to another file: it is a mount point.
    package var isNameInUse: Bool { code == QV_NAME_IN_USE }
    /// No space or quota left, or the file is larger than allowed.
    public var isSpaceExhausted: Bool { [QV_NO_SPACE, QV_NO_QUOTA, QV_TOO_LARGE].contains(code) }
    /// More than a call can give.
    package var isTooLong: Bool { code == QV_TOO_LONG }
    /// The system's words for its error number.
    public var reason: String { unsafe String(cString: qv_error_text(code)) }
}

extension IOError: CustomStringConvertible {
    /// A line for a person: the operation and the system's reason, without the path.
    public var message: Phrase { "cannot \(Phrase(stringLiteral: operation)): \(Phrase(stringLiteral: reason))" }

    /// The path and the message, in English.
    public var description: String { "\(path): \(message)" }
}
