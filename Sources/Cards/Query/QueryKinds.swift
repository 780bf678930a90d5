import Values
import VaultFormat

/// Everyday names of the kinds of records, and short names of banks (Spec/product/query.md, 4).
enum QueryKinds {
    /// The kinds that are no cards and that a query finds, with their names, and what else they are called.
    static let others: [(kind: Entry.Kind, names: [String])] = [
        (.file, ["file", "文件"]), (.folder, ["folder", "文件夹", "目录"]), (.symlink, ["symlink", "链接"]),
        (.attachment, ["attachment", "附件", "扫描件"]), (.share, ["share", "副本", "分享"]), (.setting, ["setting", "设置"]),
    ]

    /// The word for saves, which are no records.
    static let save = ["save", "saves", "存档"]

    /// Everyday names of kinds of cards.
    private static let everyday: [String: [String]] = [
        "address": ["收货地址", "地址"], "invoice": ["发票", "开票", "抬头"], "invoice-person": ["发票", "抬头"],
        "idcard": ["id card", "证件"], "bankcard": ["信用卡", "储蓄卡", "借记卡", "credit card", "debit card"],
        "licence": ["执照"], "passport": ["证件"], "driving-licence": ["驾照", "driver license"],
        "vehicle": ["行驶证", "汽车", "car"],
        "login": ["密码", "账号", "帐号", "网站", "account"], "contact": ["名片", "通讯录"], "note": ["便签", "记事"],
        "medical-card": ["医保卡"], "wifi": ["wlan", "wi-fi"], "software": ["序列号", "激活码"], "policy": ["保险", "insurance"],
        "asset": ["存款"], "holding": ["份额"],
    ]

    /// All names of a kind, the one that queries are written with first; none of a kind that no query finds.
    static func names(_ kind: Entry.Kind) -> [String] { table[kind]?.names ?? [] }

    /// The same, folded.
    static func folded(_ kind: Entry.Kind) -> [[UInt8]] { table[kind]?.folded ?? [] }

    /// The name of a kind for people.
    static func label(_ kind: Entry.Kind) -> LocalizedLabel? {
        Schema.of(kind)?.label ?? others.first { $0.kind == kind }.map { LocalizedLabel($0.names[0], $0.names[1]) }
    }

    /// True if a query finds records of a kind.
    static func isFound(_ kind: Entry.Kind) -> Bool { table[kind] != nil }

    /// All kinds that a query finds.
    static let all: [Entry.Kind] = others.map(\.kind) + Schema.cards.map(\.kind)

    private static let table: [Entry.Kind: (names: [String], folded: [[UInt8]])] = {
        let cards = Schema.cards.map { schema in
            (schema.kind, [schema.name, schema.label.english, schema.label.chinese] + (everyday[schema.name] ?? []))
        }
        let rows = (others.map { ($0.kind, $0.names) } + cards).map { kind, names in
            (kind, (names, names.map { Folding.fold($0.utf8) }))
        }
        return Dictionary(rows) { first, _ in first }
    }()

    /// The kinds that a word means: by a name of theirs, else by the beginning of one. `card` means all kinds of cards.
    static func kinds(called word: String) -> Set<Entry.Kind> {
        let word = Folding.fold(word.utf8)
        guard !word.isEmpty else { return [] }
        if ["card", "卡片"].contains(String(decoding: word, as: UTF8.self)) { return Set(Schema.cards.map(\.kind)) }
        let exact = all.filter { folded($0).contains(word) }
        return Set(exact.isEmpty ? all.filter { folded($0).contains { $0.starts(with: word) } } : exact)
    }

    /// Short names of banks, and what of their names they stand for.
    private static let short: [(name: String, full: String)] = [
        ("招行", "招商银行"), ("工行", "工商银行"), ("建行", "建设银行"), ("农行", "农业银行"), ("中行", "中国银行"), ("交行", "交通银行"),
        ("邮储", "邮政储蓄"), ("光大", "光大银行"), ("民生", "民生银行"), ("浦发", "浦东发展"), ("广发", "广东发展"),
    ]

    /// What a folded word stands for besides itself.
    static func others(_ word: [UInt8]) -> [[UInt8]] {
        short.filter { name, full in
            let (name, full) = (Array(name.utf8), Array(full.utf8))
            // Spelled, it has to be all of the name: `zh` begins many.
            let isSpelled = word.count >= 5 && Pinyin.isTyped(word) && Pinyin.spells(word.span, name.span)
            return word == name || word == full || isSpelled
        }.flatMap { [Array($0.name.utf8), Array($0.full.utf8)] }.filter { $0 != word }
    }
}
