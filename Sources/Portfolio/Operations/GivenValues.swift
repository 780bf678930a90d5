import Values
public import Cards

/// Values by key, as words like `shares=1000` give them.
public typealias GivenValues = [(key: String, value: String)]

extension Refusal {
    /// Refuses a name that is given twice.
    public static func check(eachOnce names: [String]) throws {
        guard let twice = names.indices.first(where: { names[..<$0].contains(names[$0]) }) else { return }
        throw Refusal("'\(printable(names[twice].utf8))' is given twice", .misused)
    }

    /// Refuses `+100`, which somebody may mean as 100 more.
    public static func check(unsigned text: String) throws {
        guard let first = text.first, "+＋".contains(first) else { return }
        throw Refusal("'\(printable(text.utf8))': give the new number, without a plus sign")
    }
}

extension Check {
    /// A value of a key, as it is stored.
    ///
    /// - Throws: `Refusal`.
    func stored(_ value: String, of key: String) throws -> String {
        let text = normalized(value)
        if let what = complaint(about: text) { throw Refusal(what, key: key) }
        return text
    }
}
