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
                Field("market", "market", "市场", .word(["cn", "hk", "us"])),
                Field("method", "method", "估值方法", .word(["top10", "scaled", "index", "given"])),
                Field("coefficient", "coefficient", "仓位系数", .amount),
                Field("benchmark", "benchmark", "业绩基准"),
                Field("stock_position", "share of stocks in percent", "股票仓位", .percent),
                Field("stocks", "what it holds", "重仓股", .stocks),
                Field("report_date", "date of the report", "报告日期", .date),
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
    ]
}
