// The kind of cards of a wish list of apps, as data (Spec/product/apps.md, 1).

extension Schema {
    /// An app that somebody would like to have, and what it costs.
    package static let app = Schema(
        69, "app", "app", "应用", takesOwnFields: true,
        [
            Field("app_id", "number of the app", "应用编号"),
            Field("developer", "developer", "开发商"),
            Field("category", "category", "分类"),
            Field("price", "price", "原价", .amount),
            Field("current_price", "current price", "现价", .amount),
            Field("currency", "currency", "币种", .currency),
            Field("rating", "rating", "评分", .rating),
            Field("ratings", "ratings", "评分人数", .amount),
            Field("download_size", "download size", "安装包大小", .size),
            Field("version", "version", "版本"),
            Field("content_rating", "age rating", "年龄分级"),
            Field("devices", "devices", "支持设备"),
            Field("languages", "languages", "语言"),
            Field("system", "system requirements", "系统要求"),
            Field("released", "released", "发布日期", .date),
            Field("last_update", "last update", "最近更新", .date),
            Field("found", "found", "发现时间", .time),
            Field("free_from", "free from", "限免开始", .time),
            Field("free_until", "free until", "限免结束", .deadline),
            Field("url", "web site", "网址"),
            Field("subtitle", "subtitle", "副标题"),
            Field("description", "description", "描述", .text),
            Field("changes", "changes of this version", "更新日志", .text),
            Field("notes", "notes", "备注", .text),
        ])
}
