public import Values

// The closed words of funds, assets and policies: what cards store, and what the API names.

/// The market that the prices of a fund come from.
public enum Market: String, ClosedWords, Sendable {
    /// Shanghai, Shenzhen and Beijing.
    case cn
    /// Hong Kong.
    case hk
    /// New York.
    case us

    /// Names in Chinese; the first is shown.
    public var chinese: [String] {
        switch self {
        case .cn: ["沪深北", "A股"]
        case .hk: ["港股"]
        case .us: ["美股"]
        }
    }
}

/// The way in which the change of a fund is found (Spec/product/portfolio.md, 4).
public enum ValuationMethod: String, ClosedWords, Sendable {
    /// k · Σ wᵢ·rᵢ over the securities of the last report.
    case top10
    /// Σ wᵢ·rᵢ · stock position / Σ wᵢ: the rest moves as what is known does.
    case scaled
    /// k · r of the benchmark.
    case index
    /// As a source said.
    case given

    /// Names in Chinese; the first is shown.
    public var chinese: [String] {
        switch self {
        case .top10: ["重仓股"]
        case .scaled: ["按仓位推算"]
        case .index: ["业绩基准", "指数"]
        case .given: ["来源给出"]
        }
    }
}

/// The five categories of what a family owns and owes, debts last.
public enum AssetCategory: String, ClosedWords, Sendable {
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

    /// Names in Chinese; the first is shown.
    public var chinese: [String] {
        switch self {
        case .liquid: ["流动资金"]
        case .fixed: ["固定资产"]
        case .investment: ["投资理财", "投资"]
        case .receivable: ["应收款"]
        case .debt: ["负债"]
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
public enum AssetBucket: String, ClosedWords, Sendable {
    case liquid, stable

    /// Names in Chinese; the first is shown.
    public var chinese: [String] {
        switch self {
        case .liquid: ["活钱", "流动资金"]
        case .stable: ["稳钱"]
        }
    }
}

/// The type of an asset in a bucket.
public enum AssetType: String, ClosedWords, Sendable {
    case deposit
    case moneyFund = "money_fund"
    case termDeposit = "term_deposit"
    case bankProduct = "bank_product"

    /// Names in Chinese; the first is shown.
    public var chinese: [String] {
        switch self {
        case .deposit: ["活期"]
        case .moneyFund: ["货币基金"]
        case .termDeposit: ["定期存款", "定期"]
        case .bankProduct: ["银行理财"]
        }
    }
}

/// The type of an insurance policy.
public enum PolicyType: String, ClosedWords, Sendable {
    case criticalIllness = "critical_illness"
    case medical, accident, life

    /// Names in Chinese; the first is shown.
    public var chinese: [String] {
        switch self {
        case .criticalIllness: ["重疾险"]
        case .medical: ["医疗险"]
        case .accident: ["意外险"]
        case .life: ["寿险"]
        }
    }
}

/// The state of an insurance policy.
public enum PolicyStatus: String, ClosedWords, Sendable {
    case active, lapsed, expired

    /// Names in Chinese; the first is shown.
    public var chinese: [String] {
        switch self {
        case .active: ["有效"]
        case .lapsed: ["脱保"]
        case .expired: ["已终止"]
        }
    }
}

extension Check {
    static func words<Words: ClosedWords>(_ type: Words.Type) -> Check {
        .word(type.allCases.map(\.word))
    }
}
