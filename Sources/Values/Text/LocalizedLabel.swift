/// The languages of the words for people.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case chinese = "zh"
}

/// Words for people in both languages.
public struct LocalizedLabel: Equatable, Sendable {
    /// In English.
    public let english: String
    /// In Chinese.
    public let chinese: String

    package init(_ english: String, _ chinese: String) { (self.english, self.chinese) = (english, chinese) }

    /// In one of them.
    public func text(in language: Language) -> String { language == .chinese ? chinese : english }
}
