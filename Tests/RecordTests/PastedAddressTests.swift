import Cards
import Testing

/// Addresses as people send them are split into fields; what cannot be told is left out.
struct PastedAddressTests {
    private static let whole = [
        "name": "张三", "phone": "13800138000", "province": "浙江省", "city": "杭州市", "district": "西湖区", "address": "文三路1号",
    ]

    @Test(arguments: [
        "张三 13800138000 浙江省杭州市西湖区文三路1号", "张三，138 0013 8000，浙江省杭州市西湖区文三路1号", "浙江省杭州市西湖区文三路1号 张三 +86 13800138000",
        "收货人：张三\n手机号码：138-0013-8000\n所在地区：浙江省杭州市西湖区\n详细地址：文三路1号", "张三13800138000浙江省杭州市西湖区文三路1号",
        "浙江杭州市西湖区文三路1号，张三，8613800138000", "姓名:张三 电话:13800138000 地址:浙江省 杭州市 西湖区 文三路1号",
    ]) func sameAddressInManyForms(_ text: String) {
        #expect(PastedAddress(text)?.parts == Self.whole, "\(PastedAddress(text)?.parts ?? [:])")
    }

    @Test(arguments: [
        (
            "李四 021-12345678 上海市浦东新区世纪大道100号 200120",
            [
                "name": "李四", "phone": "021-12345678", "province": "上海市", "city": "上海市", "district": "浦东新区",
                "address": "世纪大道100号", "postal_code": "200120",
            ]
        ),
        (
            "北京市北京市朝阳区建国路88号 13912345678 王五",
            [
                "name": "王五", "phone": "13912345678", "province": "北京市", "city": "北京市", "district": "朝阳区",
                "address": "建国路88号",
            ]
        ),
        (
            "新疆伊犁哈萨克自治州伊宁市解放路3号 13912345678",
            ["phone": "13912345678", "province": "新疆维吾尔自治区", "city": "伊犁哈萨克自治州", "district": "伊宁市", "address": "解放路3号"]
        ),
        (
            "内蒙古自治区锡林郭勒盟正蓝旗上都镇 13912345678",
            ["phone": "13912345678", "province": "内蒙古自治区", "city": "锡林郭勒盟", "district": "正蓝旗", "address": "上都镇"]
        ),
        (
            "江苏省苏州市昆山市花桥镇1号 赵六 13912345678",
            [
                "name": "赵六", "phone": "13912345678", "province": "江苏省", "city": "苏州市", "district": "昆山市",
                "address": "花桥镇1号",
            ]
        ),
        (
            "公司 张三 吉林市昌邑区松江路1号 13800138000 请放门口 13900139000",
            [
                "name": "张三", "phone": "13800138000", "province": "吉林省", "city": "吉林市", "district": "昌邑区",
                "address": "松江路1号 请放门口 13900139000", "notes": "公司",
            ]
        ),
        (
            "浙江省杭州市西湖区文三路1号 2单元 301室 13912345678",
            [
                "phone": "13912345678", "province": "浙江省", "city": "杭州市", "district": "西湖区",
                "address": "文三路1号 2单元 301室",
            ]
        ),
        ("欧阳娜娜 13912345678", ["name": "欧阳娜娜", "phone": "13912345678"]),
        ("广东省深圳市科技园路1号 13912345678", ["phone": "13912345678", "province": "广东省", "city": "深圳市", "address": "科技园路1号"]),
    ]) func otherPlaces(_ text: String, _ parts: [String: String]) {
        #expect(PastedAddress(text)?.parts == parts, "\(PastedAddress(text)?.parts ?? [:])")
    }

    /// One field is no address, and neither is any other text; long ones take no time.
    @Test(arguments: [
        "张三", "13800138000", "", " ", "\n", "12345678901234567890", "+-+-+-+-+-+-", "文三路1号", "北京路1号", "浙江大厦 5号",
        "重庆南路二段1号", "北京市路1号", "福建路 3号 2单元",
        String(repeating: "1", count: 10_000),
        String(repeating: "区市", count: 10_000), String(repeating: "1 ", count: 5_000),
    ]) func whatIsNoAddress(_ text: String) {
        #expect(PastedAddress(text) == nil, "\(PastedAddress(text)?.parts ?? [:])")
    }
}
