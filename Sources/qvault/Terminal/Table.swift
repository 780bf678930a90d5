import VaultFormat

/// Rows of as many cells in columns, each as wide as its longest cell and two blanks from the next.
///
/// - Parameter right: true of the columns whose cells stand to the right.
func inColumns(_ rows: [[String]], right: (Int) -> Bool = { _ in false }) -> [String] {
    let widths = (rows.first ?? []).indices.map { place in rows.map { columns($0[place]) }.max() ?? 0 }
    return rows.map { row in
        row.indices.map { padded(row[$0], widths[$0], left: right($0)) }.joined(separator: "  ").trimmingEnd()
    }
}
