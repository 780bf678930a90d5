public import Values
import VaultFormat
public import VaultStore

/// A search that a person did, as the setting `find.history` keeps it (Spec/product/query.md, 9).
public struct KeptQuery: Sendable, Equatable {
    /// The words or the query.
    public let text: String
    /// How often.
    public let count: Int
    /// When last.
    public let time: Timestamp

    /// Searches that are kept at most.
    public static let limit = 50
    /// Bytes of one at most; a longer one is not kept.
    public static let byteCount = 1024
    fileprivate static let setting = "find.history"

    fileprivate init(text: String, count: Int, time: Timestamp) {
        (self.text, self.count, self.time) = (text, count, time)
    }

    /// Reads a line: number, time, text.
    fileprivate init?(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard parts.count == 3, let count = Int(parts[0]), count > 0, let time = Timestamp(parts[1]) else { return nil }
        self.init(text: parts[2], count: count, time: time)
    }

    fileprivate var line: String { "\(count) \(time.text) \(text)" }
}

extension Vault {
    /// The searches that are kept, those that were done most often first, of equals the latest; nil where none is to be kept.
    ///
    /// - Throws: as `setting`.
    public func keptQueries() throws -> [KeptQuery]? {
        guard case .list(let lines)? = try setting(KeptQuery.setting)?.value else { return nil }
        return lines.compactMap(KeptQuery.init).sorted { ($1.count, $1.time, $0.text) < ($0.count, $0.time, $1.text) }
    }
}

extension VaultTransaction {
    /// Keeps a search, where the vault keeps them; the oldest goes where there are too many.
    ///
    /// - Returns: false where it is not kept.
    /// - Throws: all that storing throws.
    public func keep(query text: String, at now: Timestamp) throws -> Bool {
        let text = text.split(whereSeparator: \.isNewline).joined(separator: " ").trimmed
        guard let kept = try before.keptQueries(), !text.isEmpty, text.utf8.count <= KeptQuery.byteCount else {
            return false
        }
        let count = kept.first { $0.text == text }?.count ?? 0
        let others = kept.filter { $0.text != text }.sorted { $1.time < $0.time }.prefix(KeptQuery.limit - 1)
        let new = KeptQuery(text: text, count: count + 1, time: Timestamp(second: now.seconds))
        try put(Setting(.list(([new] + others).map(\.line))), as: KeptQuery.setting)
        return true
    }

    /// Begins to keep searches, with none kept yet.
    ///
    /// - Throws: all that storing throws.
    public func keepQueries() throws { try put(Setting(.list([])), as: KeptQuery.setting) }

    /// Keeps no searches any longer: those that were kept go into the trash, where a purge takes them away.
    ///
    /// - Returns: false where none was to be kept.
    /// - Throws: all that storing throws.
    public func forgetQueries() throws -> Bool {
        guard let entry = try entry(Setting.id(KeptQuery.setting)) else { return false }
        try trash(entry)
        return true
    }
}
