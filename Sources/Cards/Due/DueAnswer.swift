public import Values
import VaultFormat
public import VaultStore

/// What a person said of a date that is due: put off until a day, or done. It holds for that date only; a field that gets
/// another one is due again. Stored as a line of the setting `due.answers` (Spec/product/records.md, 4.1).
public struct DueAnswer: Equatable, Sendable {
    /// The record in hexadecimal, or a task's name.
    public let subject: String
    /// The field's key, or a word of its own.
    public let key: String
    /// `YYYY-MM-DD`.
    public let date: String
    /// The day until which it is put off, `YYYY-MM-DD`; nil once it is done.
    public let until: String?

    /// An answer.
    public init(subject: String, key: String, date: String, until: String?) {
        (self.subject, self.key, self.date, self.until) = (subject, key, date, until)
    }

    /// Reads a line: subject, date, `done` or a day, key. The key may have blanks.
    init?(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 3).map(String.init)
        guard parts.count == 4 else { return nil }
        self.init(subject: parts[0], key: parts[3], date: parts[1], until: parts[2] == "done" ? nil : parts[2])
    }

    /// Orders answers about one date field: by the date, then by the day until which it is put off; done comes last.
    var rank: String { date + (until ?? "~") }

    /// True if both are about one date field.
    func isAbout(_ other: DueAnswer) -> Bool { subject == other.subject && key == other.key }

    var line: String { "\(subject) \(date) \(until ?? "done") \(key)" }

    /// True if a date is not to be shown on a day.
    public func hides(subject: String, key: String, date: String, today: Day) -> Bool {
        self.subject == subject && self.key == key && self.date == date && isInForce(today)
    }

    private func isInForce(_ today: Day) -> Bool { until.map { Day($0).map { $0 > today } ?? false } ?? true }
}

extension Setting {
    /// The answers that it holds; nil where any of it is something else.
    var answers: [DueAnswer]? {
        guard case .list(let lines) = value else { return nil }
        let answers = lines.compactMap(DueAnswer.init)
        return answers.count == lines.count ? answers : nil
    }
}

extension Vault {
    static let answersName = "due.answers"

    /// The answers of people to what is due.
    ///
    /// - Throws: as `setting`.
    public func dueAnswers() throws -> [DueAnswer] {
        guard case .list(let lines)? = try setting(Self.answersName)?.value else { return [] }
        return lines.compactMap(DueAnswer.init)
    }
}

extension VaultTransaction {
    /// Notes answers, in place of older ones about the same.
    ///
    /// - Throws: all that storing throws.
    public func note(_ answers: [DueAnswer]) throws {
        if let setting = try before.setting(Vault.answersName), setting.answers == nil {
            throw FormatError(
                .invalid, "the setting \(Vault.answersName) holds something else: 'config rm' takes it away")
        }
        let old = try before.dueAnswers().filter { old in !answers.contains { $0.isAbout(old) } }
        try put(Setting(.list((old + answers).map(\.line))), as: Vault.answersName)
    }
}
