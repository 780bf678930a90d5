import Values

/// The names that other programs have for what an app has (Spec/product/apps.md, 4).
enum AppNames {
    /// Members that are no field of a card.
    static let (title, tags, group, pinned, prices, inAppPurchases) =
        ("title", "tags", "group", "pinned", "prices", "in_app_purchases")

    /// Names beside the keys and the labels of the fields.
    private static let names: [String: [String]] = [
        title: ["title", "name", "trackName", "名称", "应用名称", "应用"],
        tags: ["tags", "specialTags", "标签"], group: ["group", "分组"],
        pinned: ["pinned", "favourite", "favorite", "收藏", "置顶"], prices: ["prices", "priceHistory", "历史价格"],
        inAppPurchases: ["hasInAppPurchase", "hasInAppPurchases", "内购"],
        "app_id": ["id", "trackId", "应用ID"], "developer": ["artistName", "sellerName", "开发者"],
        "category": ["primaryGenreName", "genre", "类别"], "price": ["originalPrice", "价格"],
        "download_size": ["fileSize", "fileSizeBytes", "size", "大小"], "rating": ["averageUserRating"],
        "ratings": ["ratingCount", "userRatingCount"], "content_rating": ["contentAdvisoryRating"],
        "devices": ["supportedDevices", "设备"], "languages": ["languageCodesISO2A"],
        "system": ["minimumOsVersion", "systemRequirements"], "released": ["releaseDate", "publishDate"],
        "last_update": ["currentVersionReleaseDate", "updatedAt", "更新日期"],
        "found": ["discoveryTime"], "free_from": ["freeStartTime"], "free_until": ["freeEndTime"],
        "url": ["trackViewUrl", "appUrl", "链接"], "changes": ["releaseNotes"],
    ]

    private static let keys: [String: String] = {
        var keys: [String: String] = [:]
        for field in Schema.app.fields {
            for name in [field.key, field.label.english, field.label.chinese] { keys[folded(name)] = field.key }
        }
        for (key, others) in names { for name in others { keys[folded(name)] = key } }
        return keys
    }()

    /// In small letters, without blanks, `-` and `_`.
    private static func folded(_ name: String) -> String { QueryField.fold(name) }

    /// The key that a name stands for; nil where it stands for none.
    static func key(_ name: String) -> String? { keys[folded(name)] }

    /// True if it is the number of an app in a line of the App Store's lookup, whose price is the current one.
    static func isStoreNumber(_ name: String) -> Bool { folded(name) == folded("trackId") }
}
