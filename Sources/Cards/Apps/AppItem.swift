import Values
import VaultFormat

/// An app as a line of a list has it.
struct AppItem {
    /// Its place in the list: `line 3`, or `item 3`.
    let place: Phrase
    private(set) var title: String?
    /// Values of fields by key; those that are empty are left out.
    private(set) var values: [(key: String, value: String)] = []
    private(set) var tags: [String] = []
    private(set) var group: String?
    private(set) var isPinned = false
    /// Prices that it had.
    private(set) var prices: [(time: Timestamp, price: ExactDecimal)] = []
    /// The error in it; nil if there is none.
    private(set) var problem: Phrase?

    /// An item of nothing yet.
    init(place: Phrase) { self.place = place }

    /// Prices of an item at most.
    private static let priceCount = 1000

    // MARK: JSON

    /// Takes an object.
    ///
    /// - Parameter unknown: gets the names of members that mean nothing here.
    init(_ json: JSON, place: Phrase, unknown: inout Set<String>) {
        self.init(place: place)
        guard let members = json.members else {
            problem = "is no object"
            return
        }
        let isOfStore = members.contains { AppNames.isStoreNumber($0.0) }
        for (name, value) in Self.flat(members) where !value.isNull {
            guard let key = AppNames.key(name) else {
                unknown.insert(name)
                continue
            }
            // The App Store's lookup has the current price alone.
            take(isOfStore && name == "price" ? "current_price" : key, value)
        }
        if isOfStore, let price = values.first(where: { $0.key == "current_price" })?.value,
            ExactDecimal(price)?.sign == 1, !values.contains(where: { $0.key == "price" })
        {
            add("price", price)
        }
    }

    /// Lifts the members of inner objects by one level; the outer member wins. `developer` becomes its `name`.
    private static func flat(_ members: [(String, JSON)]) -> [(String, JSON)] {
        members.flatMap { name, value -> [(String, JSON)] in
            guard let inner = value.members else { return [(name, value)] }
            if name == "developer", let title = value["name"] { return [(name, title)] }
            return inner.filter { member in !members.contains { $0.0 == member.0 } }
        }
    }

    private mutating func take(_ key: String, _ value: JSON) {
        switch (key, value) {
        case (AppNames.tags, .list(let items)):
            guard items.allSatisfy({ $0.text != nil }) else { return refuse("tags: one is no text") }
            tags += items.compactMap(\.text)
        case (AppNames.prices, .list(let items)): takePrices(items)
        case (AppNames.inAppPurchases, .bool(let has)): tags.append(has ? "有内购" : "无内购")
        case (AppNames.pinned, .bool(let flag)): isPinned = flag
        case (_, .text(let text)): take(key, text)
        case (_, .list(let items)) where items.allSatisfy({ $0.text != nil }):
            take(key, items.compactMap(\.text).joined(separator: ", "))
        default:
            guard let number = value.decimal else { return refuse("\(key): is neither text nor a number") }
            take(key, Self.isTime(key) ? Self.time(number)?.text ?? "\(number)" : "\(number)")
        }
    }

    /// Prices as `{"time": …, "price": …}`; a day will do.
    private mutating func takePrices(_ items: [JSON]) {
        guard items.count <= Self.priceCount else { return refuse("prices: more than \(Self.priceCount)") }
        for item in items {
            let time = (item["time"] ?? item["date"]).flatMap { value in
                value.decimal.flatMap(Self.time) ?? value.text.flatMap { Timestamp(Check.time.normalized($0)) }
            }
            let price = item["price"].flatMap { $0.decimal ?? $0.text.flatMap { ExactDecimal(typed: $0) } }
            guard let time, let price, price.sign >= 0 else { return refuse("prices: one lacks a time or a price") }
            prices.append((time, price))
        }
    }

    private static func isTime(_ key: String) -> Bool {
        Schema.app[key].map { [.time, .deadline].contains($0.check) } ?? false
    }

    /// Seconds since 1970, or milliseconds.
    private static func time(_ number: ExactDecimal) -> Timestamp? {
        guard let count = Int64(number.rounded(0).description), count >= 0 else { return nil }
        return Timestamp(second: count > 100_000_000_000 ? count / 1000 : count)
    }

    // MARK: Text

    /// Takes the text of a cell.
    mutating func take(_ key: String, _ text: String) {
        guard !text.isBlank else { return }
        switch key {
        case AppNames.title:
            guard title.map({ $0 == text.trimmed }) ?? true else { return refuse("title: is given twice") }
            title = text.trimmed
        case AppNames.group: group = text.trimmed
        case AppNames.tags:
            tags += text.split { ",，、;；|".contains($0) }.map { String($0).trimmed }.filter { !$0.isEmpty }
        case AppNames.pinned: isPinned = !["no", "false", "0", "否"].contains(text.trimmed.lowercased())
        case AppNames.inAppPurchases:
            tags.append(["no", "false", "0", "否", "无"].contains(text.trimmed.lowercased()) ? "无内购" : "有内购")
        case AppNames.prices: refuse("prices: go into JSON")
        case "price", "current_price": add(key, ["免费", "free"].contains(text.trimmed.lowercased()) ? "0" : text)
        // A time is more than a day needs.
        case "released", "last_update": add(key, Timestamp(text).map { String($0.text.prefix(10)) } ?? text)
        default: add(key, text)
        }
    }

    private mutating func add(_ key: String, _ value: String) {
        guard !values.contains(where: { $0.key == key }) else { return refuse("\(key): is given twice") }
        values.append((key, value))
    }

    /// Notes an error; the first one stays.
    mutating func refuse(_ what: Phrase) { problem = problem ?? what }
}
