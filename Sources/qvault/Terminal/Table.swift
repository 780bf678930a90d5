import VaultFormat

/// Rows in columns, each as wide as its longest cell and two blanks from the next; the last one has no width.
///
/// - Parameter right: the columns whose cells stand to the right.
func inColumns(_ rows: [[String]], right: Set<Int> = []) -> [String] {
    let widths = (0..<(rows.map(\.count).max() ?? 1) - 1).map { place in
        rows.map { place < $0.count - 1 ? columns($0[place]) : 0 }.max() ?? 0
    }
    return rows.map { row in
        row.indices.map { place in
            place < row.count - 1 ? padded(row[place], widths[place], left: right.contains(place)) + "  " : row[place]
        }.joined()
    }
}
