import Values
public import VaultFormat

// The kinds of cards, as data (Spec/product/records.md, 2).

extension Schema {
    // Fields that several kinds have.
    private static let notes = Field("notes", "notes", "备注", .text)
    private static let name = Field("name", "name", "姓名", required: true)
    private static let phone = Field("phone", "phone", "电话", .anyPhone)
    private static let email = Field("email", "e-mail", "电子邮箱", .email)
    private static let home = Field("address", "address", "住址")
    private static let address = Field("address", "address", "地址")
    private static let sex = Field("sex", "sex", "性别", .sex)
    private static let birth = Field("birth", "date of birth", "出生日期", .date)
    private static let authority = Field("authority", "issuing authority", "签发机关")
    private static let validFrom = Field("valid_from", "valid from", "有效期起", .date)
    private static let validUntil = Field("valid_until", "valid until", "有效期至", .date)
    private static let validOrForever = Field("valid_until", "valid until", "有效期至", .dateOrForever)
    private static let account = Field("bank_account", "bank account", "银行账号", .account)
    private static let username = Field("username", "user name", "用户名")
    private static let password = Field("password", "password", "密码", .text, sensitive: true)

    /// Kinds of cards (Spec/product/records.md, 2).
    public static let cards: [Schema] =
        [
            Schema(
                16, "address", "address", "地址",
                [
                    name,
                    Field("phone", "phone", "电话", .anyPhone, required: true),
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
                    Field("address", "address", "注册地址"),
                    phone, Field("bank", "bank", "开户银行"), account, notes,
                ]),
            Schema(18, "text", "text", "文本", [Field("text", "text", "内容", .text, required: true)]),
            Schema(
                19, "idcard", "identity card", "身份证",
                [
                    name,
                    Field("number", "ID number", "公民身份号码", .identityNumber, required: true, sensitive: true),
                    sex, Field("ethnicity", "ethnicity", "民族"), birth, home, authority, validFrom, validOrForever,
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
                    Field("phone", "phone", "预留电话", .anyPhone),
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
                    name,
                    Field("number", "passport number", "护照号码", .passportNumber, required: true, sensitive: true),
                    Field("nationality", "nationality", "国籍"),
                    sex, birth,
                    Field("birthplace", "place of birth", "出生地点"),
                    Field("issued", "issued", "签发日期", .date),
                    validUntil, authority, notes,
                ]),
            Schema(
                23, "contact", "contact", "联系人", takesOwnFields: true,
                [
                    name, phone, email,
                    Field("wechat", "WeChat", "微信"),
                    Field("company", "company", "公司"),
                    Field("position", "position", "职位"),
                    address,
                    Field("birthday", "birthday", "生日", .date),
                    notes,
                ]),
            Schema(24, "note", "note", "笔记", takesOwnFields: true, [Field("text", "text", "内容", .text)]),
            Schema(
                25, "login", "login", "登录", takesOwnFields: true,
                [
                    username, password,
                    Field("url", "web site", "网址"),
                    Field("totp", "one-time password", "动态口令", sensitive: true),
                    notes,
                ]),
            Schema(
                26, "invoice-person", "invoice details of a person", "个人发票信息", [name, phone, email, address, notes]),
            Schema(
                27, "driving-licence", "driving licence", "驾驶证",
                [
                    name,
                    Field("number", "licence number", "证号", .identityNumber, required: true, sensitive: true),
                    Field("class", "class", "准驾车型"),
                    Field("first_issue", "first issue", "初次领证日期", .date),
                    validFrom, validOrForever, Field("file_number", "file number", "档案编号"), home, notes,
                ]),
            Schema(
                28, "vehicle", "vehicle", "车辆",
                [
                    Field("plate", "number plate", "号牌号码", required: true),
                    Field("owner", "owner", "所有人"),
                    Field("model", "make and model", "品牌型号"),
                    Field("vin", "vehicle identification number", "车辆识别代号"),
                    Field("engine", "engine number", "发动机号码"),
                    Field("registered", "registered", "注册日期", .date),
                    Field("inspection_until", "inspection valid until", "检验有效期至", .date),
                    Field("insurance_until", "insurance valid until", "保险有效期至", .date),
                    notes,
                ]),
            Schema(
                29, "residence-permit", "residence permit", "居住证",
                [
                    name,
                    Field("number", "permit number", "证件号码", .documentNumber, required: true, sensitive: true),
                    home, authority, validFrom, validUntil, notes,
                ]),
            Schema(
                30, "social-security", "social security card", "社保卡",
                [
                    name,
                    Field(
                        "number", "social security number", "社会保障号码", .documentNumber, required: true, sensitive: true),
                    Field("card_number", "card number", "卡号"),
                    Field("bank", "bank", "银行"),
                    account, validOrForever, notes,
                ]),
            Schema(
                31, "medical-card", "medical card", "就诊卡",
                [
                    name,
                    Field("hospital", "hospital or insurer", "医院或保险机构"),
                    Field("number", "card number", "卡号", sensitive: true),
                    Field("blood_group", "blood group", "血型"),
                    Field("allergies", "allergies", "过敏史", .text),
                    Field("contact", "emergency contact", "紧急联系人"),
                    phone, notes,
                ]),
            Schema(
                48, "wifi", "wireless network", "无线网络",
                [
                    Field("network", "network name", "网络名称", required: true),
                    password, Field("security", "security", "加密方式"), notes,
                ]),
            Schema(
                49, "server", "server", "服务器", takesOwnFields: true,
                [
                    Field("host", "host", "主机", required: true),
                    Field("port", "port", "端口"),
                    username, password, Field("system", "operating system", "操作系统"), notes,
                ]),
            Schema(
                50, "ssh-key", "SSH key", "SSH 密钥", takesOwnFields: true,
                [
                    Field("private_key", "private key", "私钥", .text, required: true, sensitive: true),
                    Field("public_key", "public key", "公钥", .text),
                    Field("fingerprint", "fingerprint", "指纹"),
                    Field("passphrase", "passphrase", "口令", sensitive: true),
                    notes,
                ]),
            Schema(
                51, "software", "software licence", "软件许可", takesOwnFields: true,
                [
                    Field("product", "product", "产品", required: true),
                    Field("key", "licence key", "许可密钥", .text, sensitive: true),
                    Field("version", "version", "版本"),
                    Field("licensee", "licensed to", "授权给"),
                    email, Field("bought", "bought", "购买日期", .date), validOrForever, notes,
                ]),
        ] + portfolio + [app]

    /// The schema of a kind of cards, if it is one that this version knows.
    public static func of(_ kind: Entry.Kind) -> Schema? { byKind[kind] }
    static func isKnown(_ kind: Entry.Kind) -> Bool { byKind.index(forKey: kind) != nil }
    private static let byKind = Dictionary(cards.map { ($0.kind, $0) }) { first, _ in first }

    /// The schema with this name, or with this label in either language.
    public static func named(_ name: String) -> Schema? {
        cards.first { $0.name == name || $0.label.chinese == name || $0.label.english == name }
    }

    /// The schemas whose name, or a label, begins with these letters.
    public static func beginning(with letters: String) -> [Schema] {
        let letters = letters.lowercased(), bytes = Array(letters.utf8)
        let begun = cards.filter { schema in
            [schema.name, schema.label.chinese, schema.label.english].contains { $0.lowercased().hasPrefix(letters) }
        }
        guard begun.isEmpty, Pinyin.isTyped(bytes) else { return begun }
        return cards.filter { Pinyin.spells(bytes.span, Array($0.label.chinese.utf8).span) }
    }
}
