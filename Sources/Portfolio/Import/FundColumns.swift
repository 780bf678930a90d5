import Values
import Cards

/// The names that lines and tables of other programs have for what a line says (Spec/product/portfolio.md, 7.1).
package enum FundColumns {
    /// Names beside the keys and the labels of the fields.
    private static let names: [String: [String]] = [
        "code": ["fund_code", "基金代码"], "name": ["fund_name", "名称", "基金名称", "基金简称"], "group": ["分组"],
        "shares": ["份额"], "cost": ["cost_price", "成本价", "持仓成本价", "单位成本"],
        "date": ["purchase_date"], "platform": ["渠道"],
        "nav": ["净值", "单位净值"], "nav_date": ["净值日期"], "price": ["现价", "最新价"],
        "previous_close": ["昨收"], "time": ["时间"], "estimate": ["估值"], "rate": ["汇率"],
        "stock": ["stock_code", "股票代码"], "stock_name": ["股票名称"],
        "weight": ["percentage", "占净值比例", "权重", "仓位"], "source": ["来源"], "kind": [],
        "stocks": [], "type": ["fund_type"], "company": ["management_company"],
    ]

    /// The key of each name in small letters.
    private static let keys: [String: String] = {
        var keys: [String: String] = [:]
        for schema in ["holding", "fund"].compactMap({ Schema.named($0) }) {
            for field in schema.fields {
                for name in [field.key, field.label.english, field.label.chinese] { keys[name] = field.key }
            }
        }
        for (key, others) in names { for name in [key] + others { keys[name] = key } }
        for name in ambiguous { keys[name] = nil }
        return keys
    }()

    /// Names that stand for the cost of a share in some programs, and of all shares in others.
    private static let ambiguous: Set = ["成本", "持仓成本", "持有成本"]

    /// True if a name may be the cost of a share, or of all shares: `--map` says which.
    static func isAmbiguous(_ name: String) -> Bool { ambiguous.contains(name) }

    /// The key that a name stands for; nil where it stands for none.
    package static func key(_ name: String) -> String? { keys[name.lowercased()] }

    static func isKey(_ word: String) -> Bool { keys[word] == word }

    /// What platforms are called elsewhere.
    static func platform(_ name: String) -> String { platforms[name.lowercased()] ?? name }

    private static let platforms = [
        "alipay": "支付宝", "蚂蚁财富": "支付宝", "tiantian": "天天基金", "eastmoney": "天天基金", "danjuan": "蛋卷基金",
        "wechat": "微信理财", "jd": "京东金融", "cmb": "招商银行", "icbc": "工商银行",
    ]
}
