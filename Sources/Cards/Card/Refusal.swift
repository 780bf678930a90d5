public import Values

/// Why an operation changes nothing: a fault in what was given, which a person can mend.
public struct Refusal: Error, Sendable {
    /// The class of the fault.
    public enum Reason: Sendable {
        /// There is no such thing.
        case notFound
        /// The input, or the stored record, does not allow it.
        case invalid
        /// The words of the input are none that are asked for.
        case misused
    }

    /// The class of the fault.
    public let reason: Reason
    /// The input that has it; nil where it is none of them.
    public let key: String?
    /// The fault, for a person.
    public let what: Phrase
    /// A hint for the person; nil where the fault says enough.
    public let hint: Phrase?

    /// A fault.
    public init(_ what: Phrase, key: String? = nil, _ reason: Reason = .invalid, hint: Phrase? = nil) {
        (self.reason, self.key, self.what, self.hint) = (reason, key, what, hint)
    }
}
