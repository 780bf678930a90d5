package import Values
import VaultFormat
import Cards
public import VaultStore

/// A report on the household that somebody wrote outside: JSON, kept as it is in the setting `diagnosis.report`
/// (Spec/product/assets.md, 10).
public struct Diagnosis: Sendable {
    package let json: JSON
    private let text: [UInt8]

    /// Something that the report finds wrong.
    public struct Issue: Sendable {
        /// In a few words.
        public let title: String
        /// `high`, `medium`, `info`, or what the report says.
        public let severity: String
        /// More of it; may be empty.
        public let detail: String
    }

    /// Date, score and the number of issues: no words of the report.
    package static let line = Shape<Diagnosis>(
        "",
        [
            .text("report_date", \.date), .count("score", \.score), .count("issues", \.issues.count),
            .count("high", \.highCount),
        ])
    private static let name = "diagnosis.report"

    /// Reads a report.
    ///
    /// - Returns: nil where it is no JSON object with the list `issues_summary`.
    public init?(_ text: [UInt8]) {
        guard let json = try? JSON(parsing: text), json["issues_summary"]?.items != nil else { return nil }
        (self.json, self.text) = (json, text)
    }

    /// The report that a vault keeps; nil where there is none.
    ///
    /// - Throws: as `Vault.setting`.
    public init?(_ vault: Vault) throws {
        guard case .file(let text)? = try vault.setting(Self.name)?.value else { return nil }
        self.init(text)
    }

    /// Keeps it in place of the one before.
    ///
    /// - Throws: all that storing throws.
    public func store(in transaction: VaultTransaction) throws {
        try transaction.put(Setting(.file(text)), as: Self.name)
    }

    /// The day that it gives; nil where it gives none.
    public var date: String? { json["report_date"]?.text }

    /// The member `issues_summary`.
    public var issues: [Issue] {
        (json["issues_summary"]?.items ?? []).map { item in
            Issue(
                title: item["issue"]?.text ?? "", severity: item["severity"]?.text ?? "info",
                detail: item["detail"]?.text ?? "")
        }
    }

    /// The member `recommendations`: a title, and a way to do it.
    public var recommendations: [(title: String, approach: String)] {
        (json["recommendations"]?.items ?? []).map { ($0["title"]?.text ?? "", $0["approach"]?.text ?? "") }
    }

    private var highCount: Int { issues.count { $0.severity == "high" } }

    /// max(0, 100 − 10 · high − 3 · others).
    public var score: Int { max(0, 100 - 10 * highCount - 3 * (issues.count - highCount)) }
}
