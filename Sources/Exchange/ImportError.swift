public import VaultFormat

/// Why nothing of a source can be imported.
public enum ImportError: Error {
    /// It is of a kind that is not taken: what, and what to do.
    case unsupported(Phrase, hint: Phrase)
}

/// Why a record, or the content of a file that belongs to an import, cannot be taken. The rest of the import goes on.
public struct ImportFileError: Error {
    /// The reason, for a person.
    public let what: Phrase

    /// An error of one record or file.
    public init(_ what: Phrase) { self.what = what }
}

/// A part of the source that was not imported as it was; the rest was.
public struct ImportProblem: Sendable {
    /// Its place: a line, a row or an entry.
    public let place: Phrase
    /// The problem.
    public let what: Phrase

    init(_ place: Phrase, _ what: Phrase) { (self.place, self.what) = (place, what) }
}
