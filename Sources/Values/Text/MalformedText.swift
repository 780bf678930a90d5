/// A text that is not what it should be, or broken off.
public struct MalformedText: Error {
    /// The error, for a person.
    public let what: Phrase
    /// The line that has it, counted from 1.
    public let line: Int

    /// An error at a line.
    package init(_ what: Phrase, line: Int) { (self.what, self.line) = (what, line) }
}
