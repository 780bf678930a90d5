import Values

/// Values from one to another; nil where they are open.
struct Bounds<Value: Comparable & Sendable>: Sendable {
    private let lower, upper: Value?
    /// True if the bound itself is within.
    private let includesLower, includesUpper: Bool

    init(_ lower: Value?, _ upper: Value?, includesLower: Bool = true, includesUpper: Bool = true) {
        (self.lower, self.upper) = (lower, upper)
        (self.includesLower, self.includesUpper) = (includesLower, includesUpper)
    }

    /// The values that compare so with those from `first` to `last`.
    init(_ comparison: QueryCondition.Comparison, _ first: Value, _ last: Value) {
        switch comparison {
        case .has, .equal, .unequal: self.init(first, last)
        case .less: self.init(nil, first, includesUpper: false)
        case .lessOrEqual: self.init(nil, last)
        case .greater: self.init(last, nil, includesLower: false)
        case .greaterOrEqual: self.init(first, nil)
        }
    }

    func contains(_ value: Value) -> Bool {
        if let lower, includesLower ? value < lower : value <= lower { return false }
        if let upper, includesUpper ? value > upper : value >= upper { return false }
        return true
    }
}

extension QueryCondition.Comparison {
    /// The comparison with the ends changed: who is younger than a week was born after its beginning.
    var turned: Self {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        case .has, .equal, .unequal: self
        }
    }
}
