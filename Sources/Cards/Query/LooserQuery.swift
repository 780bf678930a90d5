extension QueryTerm {
    /// Queries that ask for a little less: each without one of the conditions that all have to hold, or with a bound that counts
    /// itself. The nearest first, 8 at most; none of a query of more than 32 words and conditions, where each would take long.
    public var looser: [QueryTerm] {
        guard size <= 32 else { return [] }
        guard case .all(let terms) = self else { return widened.map { [$0] } ?? [] }
        let widened = terms.indices.compactMap { index in
            terms[index].widened.map { QueryTerm.joined(terms[..<index] + [$0] + terms[(index + 1)...]) }
        }
        // A person adds conditions at the end: the last one goes first.
        let shorter = terms.indices.reversed().map { index in
            QueryTerm.joined(terms[..<index] + terms[(index + 1)...])
        }
        return Array((widened + shorter).prefix(8))
    }

    /// Words and conditions, and the values of these.
    private var size: Int {
        switch self {
        case .word, .named: 1
        case .condition(let condition): condition.values.count
        case .not(let term): term.size
        case .all(let terms), .any(let terms): terms.reduce(0) { $0 + $1.size }
        }
    }

    private static func joined(_ terms: ArraySlice<QueryTerm>) -> QueryTerm {
        terms.count == 1 ? terms[terms.startIndex] : .all(Array(terms))
    }

    /// The same condition, holding for more.
    private var widened: QueryTerm? {
        guard case .condition(let condition) = self else { return nil }
        let wider: [QueryCondition.Comparison: QueryCondition.Comparison] = [
            .less: .lessOrEqual, .greater: .greaterOrEqual, .equal: .has,
        ]
        return wider[condition.comparison].map {
            .condition(
                QueryCondition(
                    field: condition.field, comparison: $0, values: condition.values, place: condition.place))
        }
    }
}
