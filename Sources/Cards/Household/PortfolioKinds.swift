// The kinds of cards of a portfolio, as data (Spec/product/portfolio.md, 1).

extension Schema {
    static let portfolio: [Schema] = [
        Schema(
            64, "fund", "fund", "基金",
            [
                Field("code", "code", "代码", .fundCode, required: true),
                Field("type", "type", "类型"),
                Field("company", "company", "基金公司"),
                Field("currency", "currency", "币种", .currency),
                Field("qdii", "currency of a QDII fund", "QDII 币种", .currency),
                Field("market", "market", "市场", .words(Market.self)),
                Field("method", "method", "估值方法", .words(ValuationMethod.self)),
                Field("coefficient", "coefficient", "仓位系数", .amount),
                Field("benchmark", "benchmark", "业绩基准"),
                Field("stock_position", "share of stocks in percent", "股票仓位", .percent),
                Field("stocks", "what it holds", "重仓股", .stocks),
                Field("report_date", "date of the report", "报告日期", .date),
                Field("allocation", "what it consists of", "资产配置", .allocation),
                Field("shares", "shares", "持有份额", .amount),
                Field("cost", "cost of a share", "持仓成本", .amount),
                Field("reminders", "reminders", "提醒", .reminders),
                Field("notes", "notes", "备注", .text),
            ]),
        Schema(
            65, "holding", "holding", "持仓",
            [
                Field("code", "code of the fund", "基金代码", .fundCode, required: true),
                Field("platform", "platform", "平台"),
                Field("shares", "shares", "持有份额", .amount, required: true),
                Field("cost", "cost of a share", "持仓成本", .amount, required: true),
                Field("date", "bought on", "买入日期", .date),
                Field("trades", "trades", "交易记录", .trades),
                Field("notes", "notes", "备注", .text),
            ]),
        Schema(
            67, "asset", "asset", "资产",
            [
                Field("category", "category", "类别", .words(AssetCategory.self), required: true),
                Field("amount", "amount", "金额", .amount, required: true),
                Field("currency", "currency", "币种", .currency),
                Field("subcategory", "kind of asset", "子类别"),
                Field("bucket", "bucket", "四笔钱", .words(AssetBucket.self)),
                Field("type", "type", "类型", .words(AssetType.self)),
                Field("platform", "platform", "平台"),
                Field("annual_rate", "rate a year in percent", "年利率", .percent),
                Field("start", "start", "起息日", .date),
                Field("maturity", "maturity", "到期日", .date),
                Field("notes", "notes", "备注", .text),
            ]),
        Schema(
            68, "policy", "insurance policy", "保单",
            [
                Field("type", "type", "险种", .words(PolicyType.self)),
                Field("insurer", "insurer", "保险公司", required: true),
                Field("insured_person", "insured person", "被保险人", required: true),
                Field("policy_number", "number of the policy", "保单号"),
                Field("annual_premium", "premium a year", "年缴保费", .amount, required: true),
                Field("currency", "currency", "币种", .currency),
                Field("coverage_amount", "coverage", "保额", .amount),
                Field("coverage_summary", "what is covered", "保障内容", .text),
                Field("start", "start", "生效日", .date),
                Field("end", "end", "终止日", .date),
                Field("payment_years", "years of payment", "缴费年数", .amount),
                Field("next_payment", "next payment", "下次缴费", .date),
                Field("status", "status", "状态", .words(PolicyStatus.self)),
                Field("notes", "notes", "备注", .text),
            ]),
    ]
}
