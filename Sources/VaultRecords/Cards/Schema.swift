// VaultRecords: what people keep besides files, as typed records: cards, what is attached to them, settings. A kind of
// record is a row of data in `Schema.all`; what is in a record is checked against it when it is set, and carried along
// when it is not known (Spec/product/records.md). No I/O: VaultStore's.

public import VaultFormat

/// Words for people in both languages.
public struct LocalizedLabel: Equatable, Sendable {
    /// In English.
    public let english: String
    /// In Chinese.
    public let chinese: String

    init(_ english: String, _ chinese: String) { (self.english, self.chinese) = (english, chinese) }
}

/// One field of a kind.
public struct Field: Equatable, Sendable {
    /// Its name in a stored record, on the command line and in JSON.
    public let key: String
    /// Its name for people.
    public let label: LocalizedLabel
    /// True if a record has to have it.
    public let isRequired: Bool
    /// The rule for its value.
    public let check: Check
    /// True if it is shown only when asked for.
    public let isSensitive: Bool

    fileprivate init(
        _ key: String, _ english: String, _ chinese: String, _ check: Check = .line, required: Bool = false,
        sensitive: Bool = false
    ) {
        (self.key, label, self.check) = (key, LocalizedLabel(english, chinese), check)
        (isRequired, isSensitive) = (required, sensitive)
    }
}

/// The fields of one kind of records.
public struct Schema: Equatable, Sendable {
    /// The kind's number in an entry.
    public let kind: Entry.Kind
    /// Its name on the command line and in JSON.
    public let name: String
    /// Its name for people.
    public let label: LocalizedLabel
    /// In the order in which people see them.
    public let fields: [Field]
    /// True if fields may be made up besides.
    public let takesOwnFields: Bool

    private init(
        _ kind: UInt16, _ name: String, _ english: String, _ chinese: String, takesOwnFields: Bool = false,
        _ fields: [Field]
    ) {
        (self.kind, self.name, label) = (Entry.Kind(rawValue: kind), name, LocalizedLabel(english, chinese))
        (self.fields, self.takesOwnFields) = (fields, takesOwnFields)
    }

    /// The field with this key.
    public subscript(_ key: String) -> Field? { fields.first { $0.key == key } }

    /// The schema of a kind of cards, if it is one that this version knows.
    public static func of(_ kind: Entry.Kind) -> Schema? { byKind[kind] }
    static func isKnown(_ kind: Entry.Kind) -> Bool { byKind.index(forKey: kind) != nil }
    private static let byKind = Dictionary(cards.map { ($0.kind, $0) }) { first, _ in first }

    /// The schema with this name, or with this Chinese label.
    public static func named(_ name: String) -> Schema? { cards.first { $0.name == name || $0.label.chinese == name } }

    private static let notes = Field("notes", "notes", "备注", .text)

    /// Kinds of cards (Spec/product/records.md, 2).
    public static let cards: [Schema] = [
        Schema(
            16, "address", "address", "地址",
            [
                Field("name", "name", "姓名", required: true),
                Field("phone", "phone", "电话", .phone, required: true),
                Field("province", "province", "省", required: true),
                Field("city", "city", "市", required: true),
                Field("district", "district", "区县", required: true),
                Field("address", "address", "详细地址", required: true),
                Field("postal_code", "postal code", "邮编", .postalCode),
                notes,
            ]),
        Schema(
            17, "invoice", "invoice details", "发票信息",
            [
                Field("company", "company", "公司名称", required: true),
                Field("tax_id", "tax ID", "税号", .taxID, required: true),
                Field("address", "address", "注册地址", required: true),
                Field("phone", "phone", "电话", .phone, required: true),
                Field("bank", "bank", "开户银行", required: true),
                Field("bank_account", "bank account", "银行账号", .account, required: true),
                notes,
            ]),
        Schema(18, "text", "text", "文本", [Field("text", "text", "内容", .text, required: true)]),
        Schema(
            19, "idcard", "identity card", "身份证",
            [
                Field("name", "name", "姓名", required: true),
                Field("number", "ID number", "公民身份号码", .identityNumber, required: true, sensitive: true),
                Field("sex", "sex", "性别"),
                Field("ethnicity", "ethnicity", "民族"),
                Field("birth", "date of birth", "出生日期", .date),
                Field("address", "address", "住址"),
                Field("authority", "issuing authority", "签发机关"),
                Field("valid_from", "valid from", "有效期起", .date),
                Field("valid_until", "valid until", "有效期至", .dateOrForever),
                notes,
            ]),
        Schema(
            20, "bankcard", "bank card", "银行卡",
            [
                Field("bank", "bank", "银行", required: true),
                Field("number", "card number", "卡号", .bankCard, required: true, sensitive: true),
                Field("holder", "card holder", "持卡人"),
                Field("branch", "branch", "开户网点"),
                Field("expiry", "expires", "有效期", .expiry),
                Field("security_code", "security code", "安全码", .securityCode, sensitive: true),
                Field("phone", "phone", "预留电话", .phone),
                notes,
            ]),
        Schema(
            21, "licence", "business licence", "营业执照",
            [
                Field("company", "company", "名称", required: true),
                Field("tax_id", "unified social credit code", "统一社会信用代码", .taxID, required: true),
                Field("type", "type", "类型"),
                Field("representative", "legal representative", "法定代表人"),
                Field("capital", "registered capital", "注册资本"),
                Field("founded", "founded", "成立日期", .date),
                Field("valid_until", "valid until", "营业期限至", .dateOrForever),
                Field("address", "address", "住所"),
                Field("scope", "scope of business", "经营范围", .text),
                Field("authority", "registration authority", "登记机关"),
                notes,
            ]),
        Schema(
            22, "passport", "passport", "护照",
            [
                Field("name", "name", "姓名", required: true),
                Field("number", "passport number", "护照号码", .passportNumber, required: true, sensitive: true),
                Field("nationality", "nationality", "国籍"),
                Field("sex", "sex", "性别"),
                Field("birth", "date of birth", "出生日期", .date),
                Field("birthplace", "place of birth", "出生地点"),
                Field("issued", "issued", "签发日期", .date),
                Field("valid_until", "valid until", "有效期至", .date),
                Field("authority", "issuing authority", "签发机关"),
                notes,
            ]),
        Schema(
            23, "contact", "contact", "联系人", takesOwnFields: true,
            [
                Field("name", "name", "姓名", required: true),
                Field("phone", "phone", "电话", .anyPhone),
                Field("email", "e-mail", "电子邮箱", .email),
                Field("wechat", "WeChat", "微信"),
                Field("company", "company", "公司"),
                Field("position", "position", "职位"),
                Field("address", "address", "地址"),
                Field("birthday", "birthday", "生日", .date),
                notes,
            ]),
        Schema(24, "note", "note", "笔记", takesOwnFields: true, [Field("text", "text", "内容", .text)]),
        Schema(
            25, "login", "login", "登录", takesOwnFields: true,
            [
                Field("username", "user name", "用户名"),
                Field("password", "password", "密码", .text, sensitive: true),
                Field("url", "web site", "网址"),
                Field("totp", "one-time password", "动态口令", sensitive: true),
                notes,
            ]),
    ]
}
