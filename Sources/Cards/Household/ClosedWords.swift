public import Values

// The closed words of funds, assets and policies: what cards store, and what the API names.

/// The market that the prices of a fund come from.
public enum Market: String, CaseIterable, Sendable {
    /// Shanghai, Shenzhen and Beijing.
    case cn
    /// Hong Kong.
    case hk
    /// New York.
    case us
}

/// The way in which the change of a fund is found (Spec/product/portfolio.md, 4).
public enum ValuationMethod: String, CaseIterable, Sendable {
    /// k · Σ wᵢ·rᵢ over the securities of the last report.
    case top10
    /// Σ wᵢ·rᵢ · stock position / Σ wᵢ: the rest moves as what is known does.
    case scaled
    /// k · r of the benchmark.
    case index
    /// As a source said.
    case given
}

/// The five categories of what a family owns and owes, debts last.
public enum AssetCategory: String, CaseIterable, Sendable {
    case liquid, fixed, investment, receivable, debt

    /// Its name for people.
    public var label: Phrase {
        switch self {
        case .liquid: "liquid funds"
        case .fixed: "fixed assets"
        case .investment: "investments"
        case .receivable: "receivables"
        case .debt: "debts"
        }
    }

    /// Sub-categories that are offered.
    public var presets: [String] {
        switch self {
        case .liquid: ["现金", "活期存款", "支付宝", "微信", "货币基金"]
        case .fixed: ["房产(自住)", "房产(投资)", "车辆", "车位"]
        case .investment: ["基金", "股票", "定期存款", "银行理财", "债券", "黄金"]
        case .receivable: ["借出款", "押金", "报销"]
        case .debt: ["房贷", "车贷", "信用卡", "花呗", "借款"]
        }
    }

    /// The bucket of a new asset, by its sub-category: what is at hand, and what is put away for a time.
    public func bucket(ofPreset preset: String?) -> AssetBucket? {
        if self == .liquid { return .liquid }
        return ["定期存款", "银行理财"].contains(preset) ? .stable : nil
    }
}

/// The buckets of assets; the other two are growth, which funds are, and insurance.
public enum AssetBucket: String, CaseIterable, Sendable { case liquid, stable }

/// The type of an asset in a bucket.
public enum AssetType: String, CaseIterable, Sendable {
    case deposit
    case moneyFund = "money_fund"
    case termDeposit = "term_deposit"
    case bankProduct = "bank_product"
}

/// The type of an insurance policy.
public enum PolicyType: String, CaseIterable, Sendable {
    case criticalIllness = "critical_illness"
    case medical, accident, life
}

/// The state of an insurance policy.
public enum PolicyStatus: String, CaseIterable, Sendable { case active, lapsed, expired }

extension Check {
    static func words<Word: RawRepresentable & CaseIterable>(_ type: Word.Type) -> Check
    where Word.RawValue == String { .word(type.allCases.map(\.rawValue)) }
}
