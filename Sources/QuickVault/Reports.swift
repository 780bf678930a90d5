public import VaultFormat
public import Cards
public import VaultStore

/// The result of storing files and folders.
public struct StoreReport: Sendable {
    /// The counts of what was stored.
    public let count: TreeCount
    /// The files that were left out, and why.
    public let problems: [TreeProblem]
}

/// The result of checking a whole vault.
public struct VerificationReport: Sendable {
    /// The worst class of what is wrong; nil for a sound vault.
    public let worst: FormatError.Code?
    /// The findings, in words.
    public let findings: [String]
    /// Versions of records that were opened.
    public let recordCount: Int

    init(_ verification: Verification) {
        worst = verification.worst
        findings = verification.findings.map { "\($0.what)" }
        recordCount = verification.count.records
    }
}

/// An error in a card.
public struct CardProblem: Error {
    /// The errors, field by field.
    public let complaints: [Card.Complaint]

    /// An error of these complaints.
    public init(complaints: [Card.Complaint]) { self.complaints = complaints }
}

extension Card {
    /// A new card.
    ///
    /// - Parameters:
    ///   - kind: the name of its kind, such as `address` (Spec/product/records.md, 2).
    ///   - title: what it is called.
    ///   - values: its fields by key; of some kinds also of one's own.
    /// - Throws: `CardProblem` with everything that is wrong.
    public init(kind: String, title: String, values: KeyValuePairs<String, String>) throws {
        guard let schema = Schema.named(kind) else {
            throw CardProblem(complaints: [Complaint(key: "kind", what: "is no kind of cards")])
        }
        self.init(schema: schema, overview: Overview(title: Array(title.utf8)))
        let wrong = set(values.map { (key: $0.key, value: $0.value) })
        try check(besides: wrong)
    }

    /// - Throws: `CardProblem` with everything that is wrong.
    func check() throws {
        var copy = Card(schema: schema, overview: overview)
        let values = schema.fields.compactMap { field in fields.texts[field.key].map { (key: field.key, value: $0) } }
        try check(besides: copy.set(values))
    }

    private func check(besides wrong: [Complaint]) throws {
        var complaints = wrong + missing(besides: wrong)
        if let what = Card.complaint(aboutName: title) { complaints.append(Complaint(key: "title", what: what)) }
        if !complaints.isEmpty { throw CardProblem(complaints: complaints) }
    }
}
