/// A sentence for a mark, by what a copy is given for.
public struct MarkTemplate: Sendable {
    /// Its names, as a person types them.
    public let name: String, chineseName: String
    /// The purpose that it names; nil where the person names one.
    public let purpose: (chinese: String, english: String)?
    /// True if it says that the copy is void for any other use.
    private let isExclusive: Bool

    private init(
        _ name: String, _ chineseName: String, purpose: (chinese: String, english: String)? = nil,
        isExclusive: Bool = true
    ) {
        (self.name, self.chineseName, self.purpose, self.isExclusive) = (name, chineseName, purpose, isExclusive)
    }

    /// All of them, the usual one first.
    public static let all = [
        Self("bank", "银行"),
        Self("account", "银行开户", purpose: ("银行开户", "account opening")),
        Self("rental", "租房", purpose: ("租房", "rental")),
        Self("job", "入职", purpose: ("入职", "employment")),
        Self("visa", "签证", purpose: ("签证", "visa application")),
        Self("card", "办卡", purpose: ("办卡", "card application")),
        Self("school", "学校", purpose: ("入学", "school enrolment")),
        Self("plain", "通用", isExclusive: false),
    ]

    /// The lines of the mark, with variables in braces.
    ///
    /// - Parameter hasEnd: true if a copy is given until a day, which the text says then.
    public func text(isChinese: Bool, hasEnd: Bool) -> String {
        let sentence =
            switch (isExclusive, isChinese) {
            case (true, true): "仅供{recipient}{purpose}使用，他用无效"
            case (true, false): "for {recipient} {purpose} only, void for any other use"
            case (false, true): "仅供{recipient}使用"
            case (false, false): "for {recipient} only"
            }
        let days = !hasEnd ? "{date}" : isChinese ? "{date} 至 {until}" : "{date} to {until}"
        return sentence + "\n" + days
    }
}
