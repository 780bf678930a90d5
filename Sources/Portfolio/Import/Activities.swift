import Values

/// The activities of Ghostfolio's export (JSON) as holdings that list their trades (Spec/product/portfolio.md, 7.1).
enum Activities {
    /// An object for each symbol and comment: code, platform and trades.
    static func holdings(_ activities: [JSON]) -> [JSON] {
        var (places, trades) = ([Place](), [Place: [String]]())
        for activity in activities {
            let place = Place(code: activity["symbol"]?.text ?? "", platform: activity["comment"]?.text ?? "")
            if trades[place] == nil { places.append(place) }
            trades[place, default: []].append(trade(activity))
        }
        return places.map { place in
            let lines = (trades[place] ?? []).joined(separator: "\n")
            return ["kind": "holding", "code": place.code, "platform": place.platform, "trades": lines]
        }
    }

    private struct Place: Hashable {
        let code: String
        let platform: String
    }

    /// A line of `trades`; of a type that these do not have it is none, and the holding is refused with its name.
    private static func trade(_ activity: JSON) -> String {
        func number(_ key: String) -> ExactDecimal { activity[key]?.decimal ?? .zero }
        let day = String((activity["date"]?.text ?? "").prefix(10))
        let type = (activity["type"]?.text ?? "").lowercased()
        let (count, price) = (number("quantity"), number("unitPrice"))
        guard type != "dividend" else { return "\(day) cash \((count * price).shortest.description)" }
        return
            "\(day) \(type) \(count.shortest.description) \(price.shortest.description) \(number("fee").shortest.description)"
    }
}
