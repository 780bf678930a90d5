public import Values

/// A choice of apps that has a name: a query for each (Spec/product/apps.md, 5). Bands of price, rating, size and last update do not
/// overlap; those of the release date do.
public struct AppPreset: Sendable {
    /// Its name in English, as one word, and in Chinese.
    public let name: LocalizedLabel
    /// The query.
    public let query: String

    private init(_ english: String, _ chinese: String, _ query: String) {
        (name, self.query) = (LocalizedLabel(english, chinese), query)
    }

    private static let games =
        "游戏|games|动作|冒险|街机|桌面|卡牌|赌场|家庭|解谜|赛车|角色扮演|模拟|小游戏|文字"

    /// All of them: choices of editors and people, categories, then bands of price, rating, size, release date and last update.
    public static let all: [AppPreset] = [
        AppPreset("picks", "今日精选", "is:free tag:编辑推荐|pick"), AppPreset("rated", "高分应用", "rating>=4.5"),
        AppPreset("no-purchases", "无内购", "tag:无内购|no-purchases"), AppPreset("favourites", "收藏", "is:pinned"),
        AppPreset("games", "游戏", "category:\(games)"), AppPreset("productivity", "效率", "category:效率|productivity"),
        AppPreset("photo", "摄影", "category:摄影|photo"),
        AppPreset("price-0", "原价免费", "price=0"), AppPreset("price-1-10", "超值限免", "price>0 price<10"),
        AppPreset("price-10-50", "中等价值", "price>=10 price<50"),
        AppPreset("price-50-200", "高价值", "price>=50 price<200"), AppPreset("price-200", "超高价值", "price>=200"),
        AppPreset("rating-4.5", "4.5星以上", "rating>=4.5"), AppPreset("rating-4", "4到4.5星", "rating>=4 rating<4.5"),
        AppPreset("rating-3.5", "3.5到4星", "rating>=3.5 rating<4"), AppPreset("rating-low", "3.5星以下", "rating<3.5"),
        AppPreset("size-50m", "50MB以下", "download_size<50MB"),
        AppPreset("size-200m", "50到200MB", "download_size>=50MB download_size<200MB"),
        AppPreset("size-1g", "200MB到1GB", "download_size>=200MB download_size<1GB"),
        AppPreset("size-big", "1GB以上", "download_size>=1GB"),
        AppPreset("week", "本周新品", "released:this-week"), AppPreset("month", "本月新品", "released:this-month"),
        AppPreset("half-year", "半年内", "released>=-183d"), AppPreset("year", "一年内", "released>=-1y"),
        AppPreset("classic", "经典应用", "released<-1y"),
        AppPreset("maintained", "活跃维护", "last_update>=-90d"),
        AppPreset("now-and-then", "偶尔更新", "last_update<-90d last_update>=-1y"),
        AppPreset("abandoned", "停止更新", "last_update<-1y"),
    ]

    /// The one with a name, in either language.
    public static func named(_ name: String) -> AppPreset? {
        let word = name.lowercased()
        return all.first { $0.name.english == word || $0.name.chinese == name }
    }
}
