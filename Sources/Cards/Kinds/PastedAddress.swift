/// A Chinese address as people send it, split into the fields of a card: `张三 138 0013 8000 浙江省杭州市西湖区文三路1号`, also
/// in several lines, and with labels as `收货人：`.
///
/// Provinces are told by their names (GB/T 2260), cities and districts by the character that their names end with. What is not
/// told is left out, so that a person is asked for it.
public struct PastedAddress: Equatable, Sendable {
    /// The parts that were found, by the key of the field.
    public private(set) var parts: [String: String] = [:]

    /// - Parameter text: one line or several.
    /// - Returns: nil where less than two parts are found, or neither a number nor a province: it is no whole address.
    public init?(_ text: String) {
        var words = Self.words(of: Self.withoutLabels(text))
        if let (phone, range) = Self.phone(among: words) {
            parts["phone"] = phone
            words.removeSubrange(range)
        }
        if let code = words.firstIndex(where: { $0.utf8.count == 6 && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) {
            parts["postal_code"] = words.remove(at: code)
        }
        let start = words.firstIndex { Self.province(of: $0) != nil } ?? words.firstIndex(where: Self.isPlace)
        if let start {
            // A name stands before the address, or is the last word; all else is the address.
            var end = words.count
            if start == 0, end > 1, Self.isName(words[end - 1]) { end -= 1 }
            takePlace(words[start..<end].joined(separator: " "))
            words.removeSubrange(start..<end)
        }
        let name = words.count == 1 ? 0 : words.lastIndex(where: Self.isName)
        if let name, 2...20 ~= words[name].count, !words[name].utf8.contains(where: { 0x30...0x39 ~= $0 }) {
            parts["name"] = words.remove(at: name)
        }
        // Nothing of what was pasted is lost.
        if !words.isEmpty { parts["notes"] = words.joined(separator: " ") }
        if parts.count < 2 || parts["phone"] == nil && parts["province"] == nil { return nil }
    }

    /// The words of a text. A number of ten digits and more is one, also where no blank is around it.
    private static func words(of text: String) -> [String] {
        var (words, word) = ([String](), "")
        func isOfNumber(_ character: Character) -> Bool { "0123456789+-".contains(character) }
        func end() {
            let digits = word.reversed().prefix { isOfNumber($0) }
            let isNumber = digits.count { $0 != "-" && $0 != "+" } >= 10
            words += (isNumber ? [String(word.dropLast(digits.count)), String(digits.reversed())] : [word])
            word = ""
        }
        for character in text {
            if " \t\n\r,，;；。".contains(character) {
                end()
                continue
            }
            if !isOfNumber(character), let last = word.last, isOfNumber(last),
                word.reversed().prefix(while: isOfNumber).count >= 10
            {
                end()
            }
            word.append(character)
        }
        end()
        return words.filter { !$0.isEmpty }
    }

    /// A mobile number, with or without +86, in one word or in three; or one with an area code.
    private static func phone(among words: [String]) -> (String, Range<Int>)? {
        for start in words.indices {
            for end in start + 1...min(start + 4, words.count) where end <= words.count {
                let number = words[start..<end].joined()
                guard number.allSatisfy({ "0123456789+-".contains($0) }) else { break }
                let digits = number.filter { $0 != "-" && $0 != "+" }
                let national = digits.count == 13 && digits.hasPrefix("86") ? String(digits.dropFirst(2)) : digits
                if national.count == 11, national.hasPrefix("1") { return (national, start..<end) }
                if end == start + 1, number.hasPrefix("0"), number.contains("-"), 10...12 ~= digits.count {
                    return (number, start..<end)
                }
            }
        }
        return nil
    }

    private static let labels = [
        "收货人", "收件人", "联系人", "姓名", "手机号码", "手机号", "手机", "联系电话", "电话", "所在地区", "详细地址", "收货地址", "收件地址", "地址", "邮编",
        "邮政编码",
    ]

    private static func withoutLabels(_ text: String) -> String {
        labels.reduce(text) { text, label in text.replacing(label + "：", with: " ").replacing(label + ":", with: " ") }
    }

    private mutating func takePlace(_ place: String) {
        var rest = place[...]
        if let (name, count) = Self.province(of: place) {
            parts["province"] = name
            rest = Self.behind(rest, count)
        }
        let isMunicipality = parts["province"]?.hasSuffix("市") ?? false
        if isMunicipality {
            // It is its own city; some write it twice.
            parts["city"] = parts["province"]
            if let name = parts["city"], rest.hasPrefix(name) { rest = Self.behind(rest, name.count) }
            if rest.hasPrefix("市辖区") { rest = Self.behind(rest, 3) }
        } else if let city = Self.beginning(of: rest, upTo: 12, endingWith: Self.cityEnds) {
            parts["city"] = String(city)
            rest = Self.behind(rest, city.count)
        }
        if let district = Self.beginning(of: rest, upTo: 15, endingWith: Self.districtEnds) {
            parts["district"] = String(district)
            rest = Self.behind(rest, district.count)
        }
        if rest.count >= 2 { parts["address"] = String(rest) }
    }

    /// The rest behind so many characters, and behind the blanks there.
    private static func behind(_ text: Substring, _ count: Int) -> Substring {
        text.dropFirst(count).drop { $0 == " " }
    }

    /// True of two to four characters that stand in no part of an address.
    private static func isName(_ word: String) -> Bool {
        2...4 ~= word.count && word.unicodeScalars.allSatisfy { 0x4E00...0x9FFF ~= $0.value } && !isPlace(word)
            && !word.contains { "路街巷弄号楼栋幢层室门".contains($0) }
    }

    /// The shortest beginning of two characters and more before one of these ends, and with it.
    private static func beginning(of text: Substring, upTo count: Int, endingWith ends: [String]) -> Substring? {
        for length in 2...count where length <= text.count {
            let beginning = text.prefix(length)
            // A road or a number does not stand in the name of a town.
            if beginning.contains(where: { " 路街巷弄号0123456789".contains($0) }) { return nil }
            if ends.contains(where: { beginning.hasSuffix($0) && length > $0.count }) { return beginning }
        }
        return nil
    }

    /// The full name of the province that a text begins with, and how many characters of it that takes. A short name counts
    /// only before a city or a district: a street may be called 北京路, and a building 浙江大厦.
    private static func province(of text: String) -> (name: String, count: Int)? {
        for (short, ending) in provinces where text.hasPrefix(short) {
            let name = short + ending
            if text.hasPrefix(name) { return isStreet(text.dropFirst(name.count)) ? nil : (name, name.count) }
            let rest = behind(text[...], short.count)
            // 吉林市 is a city of the province of its name.
            if rest.hasPrefix("市") { return (name, 0) }
            return beginning(of: rest, upTo: 12, endingWith: cityEnds + districtEnds) == nil ? nil : (name, short.count)
        }
        return nil
    }

    private static func isStreet(_ rest: Substring) -> Bool { rest.first.map { "路街巷".contains($0) } ?? false }

    private static let cityEnds = ["市", "自治州", "地区", "盟"], districtEnds = ["区", "县", "旗", "市"]

    private static func isPlace(_ word: String) -> Bool {
        word.count >= 4 && word.contains { "市区县路街镇乡村".contains($0) }
    }

    /// The first part of each name, and the rest of it.
    private static let provinces = [
        ("北京", "市"), ("天津", "市"), ("河北", "省"), ("山西", "省"), ("内蒙古", "自治区"), ("辽宁", "省"), ("吉林", "省"), ("黑龙江", "省"),
        ("上海", "市"), ("江苏", "省"), ("浙江", "省"), ("安徽", "省"), ("福建", "省"), ("江西", "省"), ("山东", "省"), ("河南", "省"),
        ("湖北", "省"), ("湖南", "省"), ("广东", "省"), ("广西", "壮族自治区"), ("海南", "省"), ("重庆", "市"), ("四川", "省"), ("贵州", "省"),
        ("云南", "省"), ("西藏", "自治区"), ("陕西", "省"), ("甘肃", "省"), ("青海", "省"), ("宁夏", "回族自治区"), ("新疆", "维吾尔自治区"),
        ("台湾", "省"), ("香港", "特别行政区"), ("澳门", "特别行政区"),
    ]
}
