/// Lines of imports and feeds.
extension Chinese {
    /// What is wrong with a line of an import or of a feed.
    static let fundLines: [String: String] = [
        "has no stock with a weight from 0 to 100": "没有权重在 0 到 100 之间的股票",
        "is of another report than the lines before": "与前面各行不是同一份报告",
        "has no code": "没有代码",
        "has another {} than a line before: a holding needs a platform": "{} 与前面的行不同：持仓需要注明平台",
        "has stocks of {}, which is not watched": "含有未关注基金 {} 的重仓股",
        "the stocks of {} stay as they were: a line of the new ones is refused": "{} 的重仓股保持不变：新数据中有一行被拒绝",
        "has no nav, price, estimate or rate": "没有 nav、price、estimate 或 rate 的值",
        "is longer than 64 KiB": "超过 64 KiB",
        "is no JSON object": "不是 JSON 对象",
        "has a {} that is neither text nor number": "{} 既不是文本也不是数字",
        "is not UTF-8": "不是 UTF-8",
        "is no row of a table": "不是表格的一行",
        "has more fields than the header": "字段比表头多",
        "has two columns for {}": "有两列都是 {}",
        "more than 1,000,000 values at once: import them in parts": "一次超过 1,000,000 个值：请分批导入",
        "is longer than 4096 bytes": "超过 4096 字节",
        "is no JSON object and no price directive": "既不是 JSON 对象，也不是价格指令",
        "is of a time to come": "时间在将来",
        "has a price that is not in CNY": "价格不是人民币（CNY）",
        "has no day of the calendar since 1970": "没有 1970 年以来的有效日期",
        "has no code of a fund": "没有基金代码",
        "is no JSON": "不是 JSON",
        "has no nav_date, a day since 1970": "没有 nav_date（1970 年以来的日期）",
        "has no time, like 2026-11-24T14:46:10+08:00": "没有时间，例如 2026-11-24T14:46:10+08:00",
        "has no nav, estimate or rate, and no price with previous_close":
            "没有 nav、estimate 或 rate，也没有带 previous_close 的 price",
        "has a code that is none": "代码无效",
        "has a name or source that is no short line": "名称或来源不是一行短文本",
        "has no code of a fund: 6 digits": "没有基金代码（6 位数字）",
        "has no currency: three capitals": "没有币种代码（三个大写字母）",
        "has a price that is no number above 0 with at most 12 places": "价格不是大于 0 且最多 12 位小数的数字",
        "has a price that is no number": "价格不是数字",
    ]
}
