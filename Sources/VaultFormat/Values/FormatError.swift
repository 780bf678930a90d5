// VaultFormat: the bytes of a QuickVault file, and nothing else.
//
// Every structure of Spec/container.md, Spec/keys.md and Spec/entries.cddl has a type here with a parse/serialise
// pair: pages, key slots, commit records, check tables, manifest segments, stored records, deterministic CBOR. Bytes
// in, bytes out: no files, no clock, no randomness but what is passed in. A parser checks every number against
// Limits before it is used, and bytes left over are an error. Names follow the Spec.

public import Values

/// A file that breaks the Spec: how badly, what, and where.
public struct FormatError: Error, Equatable, Sendable {
    /// The classes of Spec/reader.md, 1.
    public enum Code: String, Sendable {
        case wrongKey = "wrong-key"
        case repairable
        case damaged
        case malformed
        case tampered
        case notAVault = "not-a-vault"
        case unsupported
        case invalid
        case refused
    }

    /// The class.
    public let code: Code
    /// The structure or field, in the Spec's words.
    public let what: Phrase
    /// The offset in the file, if known.
    public let offset: UInt64?
    /// True if a person's consent to the cost lifts the refusal.
    public let needsConsent: Bool
    /// The file, where it is another than the one that the work is about: the source of a merge.
    public private(set) var file: BytePath?

    /// An error of a class, about `what`, at a byte of the file if that is known.
    public init(_ code: Code, _ what: Phrase, at offset: UInt64? = nil) {
        (self.code, self.what, self.offset, needsConsent) = (code, what, offset, false)
    }

    /// A refusal that a person's consent lifts.
    init(consentFor what: Phrase) { (code, self.what, offset, needsConsent) = (.refused, what, nil, true) }
}

extension FormatError {
    static func malformed(_ what: Phrase) -> FormatError { FormatError(.malformed, what) }
    static func tampered(_ what: Phrase) -> FormatError { FormatError(.tampered, what) }
    static func damaged(_ what: Phrase) -> FormatError { FormatError(.damaged, what) }
    static func unsupported(_ what: Phrase) -> FormatError { FormatError(.unsupported, what) }

    /// The same error, placed in the file.
    public func at(_ offset: UInt64) -> FormatError { FormatError(code, what, at: self.offset ?? offset) }

    /// The same error, of another file than the one that the work is about; of that one for nil.
    package func of(_ file: BytePath?) -> FormatError {
        var error = self
        error.file = self.file ?? file
        return error
    }
}

extension FormatError: CustomStringConvertible {
    /// A line for a person: the class, the place, and what.
    public var message: Phrase {
        switch (code, offset) {
        case (.wrongKey, _): "wrong password: \(what)"
        case (.repairable, let place?), (.damaged, let place?): "damaged at byte \(place): \(what)"
        case (.repairable, nil), (.damaged, nil): "damaged: \(what)"
        case (.malformed, let place?): "breaks the format at byte \(place): \(what)"
        case (.malformed, nil): "breaks the format: \(what)"
        case (.tampered, let place?): "tampered with at byte \(place): \(what)"
        case (.tampered, nil): "tampered with: \(what)"
        case (.notAVault, _): "not a vault: \(what)"
        case (.unsupported, _): "made by a newer program: \(what)"
        case (.invalid, _), (.refused, _): what
        }
    }

    /// The message in English.
    public var description: String { message.description }
}
