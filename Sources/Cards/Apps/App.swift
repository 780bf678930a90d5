public import Values

/// The figures and marks of an app, by its card and the time (Spec/product/apps.md, 2).
public struct App: Sendable {
    /// A mark of an app at some time.
    public enum Mark: String, CaseIterable, Sendable {
        /// It has a price, and costs nothing now.
        case free
        /// It was found in the last six hours.
        case new
        /// It is free for six hours at most.
        case ending
        /// It has many good ratings.
        case hot
        /// The free period is over.
        case ended

        /// Its name for people.
        public var label: LocalizedLabel {
            switch self {
            case .free: LocalizedLabel("free", "限免")
            case .new: LocalizedLabel("new", "新发现")
            case .ending: LocalizedLabel("ending", "即将结束")
            case .hot: LocalizedLabel("hot", "热门")
            case .ended: LocalizedLabel("ended", "已结束")
            }
        }
    }

    /// The regular price and the current one; nil where it is not known.
    public let price: ExactDecimal?, currentPrice: ExactDecimal?
    /// 0 to 5; nil where it has none.
    public let rating: ExactDecimal?
    private let ratings: ExactDecimal?
    /// When it was found.
    public let found: Timestamp
    private let freeFrom: Timestamp?
    /// When the free period ends; nil where nobody said.
    public let freeUntil: Timestamp?

    /// - Parameters:
    ///   - texts: the fields of its card.
    ///   - created: when its record came into the vault: it was found then, unless a field says otherwise.
    public init(_ texts: [String: String], created: Timestamp) {
        func number(_ key: String) -> ExactDecimal? { texts[key].flatMap { ExactDecimal($0) } }
        func time(_ key: String) -> Timestamp? { texts[key].flatMap { Timestamp($0) } }
        (price, currentPrice) = (number("price"), number("current_price"))
        (rating, ratings) = (number("rating"), number("ratings"))
        (found, freeFrom, freeUntil) = (time("found") ?? created, time("free_from"), time("free_until"))
    }

    /// Six hours: what is found so lately is new, and what ends so soon is ending.
    private static let near: UInt64 = 6 * 3600 * 1_000_000
    /// An app with a rating of 4.5 by a thousand people is hot.
    private static let hot = (rating: ExactDecimal("4.5") ?? .zero, ratings: ExactDecimal(1000))

    /// The regular price minus the current one; nil if that is not above 0, or the free period is over.
    public func saving(at now: Timestamp) -> ExactDecimal? {
        guard let price, let currentPrice, currentPrice < price, !has(.ended, at: now) else { return nil }
        return price - currentPrice
    }

    /// True if it has a price, costs nothing now, and the time for that has begun and is not over.
    public func isFree(at now: Timestamp) -> Bool {
        guard let price, price.sign > 0, let currentPrice, currentPrice.sign == 0 else { return false }
        return freeFrom.map { $0 <= now } ?? true && freeUntil.map { $0 > now } ?? true
    }

    /// True if it has a mark at a time.
    public func has(_ mark: Mark, at now: Timestamp) -> Bool {
        switch mark {
        case .free: isFree(at: now)
        // A clock may tell whole seconds alone.
        case .new: found.seconds <= now.seconds && now.microseconds < found.microseconds + Self.near
        case .ending: isFree(at: now) && freeUntil.map { $0.microseconds - now.microseconds <= Self.near } ?? false
        case .hot:
            (rating ?? .zero) >= Self.hot.rating && (ratings ?? .zero) >= Self.hot.ratings
        case .ended: freeUntil.map { $0 <= now } ?? false
        }
    }

    /// The marks that it has at a time.
    public func marks(at now: Timestamp) -> [Mark] { Mark.allCases.filter { has($0, at: now) } }
}
