import Values

/// The candidate that differs from `word` in the fewest letters, if it is near enough to have been meant.
///
/// - Parameter edits: how many letters may differ; else a few, according to its length.
func nearest(_ word: String, among candidates: [String], within edits: Int? = nil) -> String? {
    let scored = candidates.map { (distance(Array(word), Array($0)), $0) }
    guard let best = scored.min(by: { $0.0 < $1.0 }), best.0 <= edits ?? max(1, min(3, word.count / 2)) else {
        return nil
    }
    return best.1
}

extension Phrase {
    /// The hint that names the candidate which `word` may have been meant for; else another one.
    static func meant(_ word: String, among candidates: [String], within edits: Int? = nil, else other: Phrase)
        -> Phrase
    {
        nearest(word, among: candidates, within: edits).map { "did you mean \($0)?" } ?? other
    }
}

/// Edits (insert, delete, replace, swap of neighbours) between two words.
private func distance(_ a: [Character], _ b: [Character]) -> Int {
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
        var row = [i + 1]
        for j in 0..<b.count {
            var cost = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, rows[i - 1][j - 1] + 1) }
            row.append(cost)
        }
        rows.append(row)
    }
    return rows[a.count][b.count]
}
