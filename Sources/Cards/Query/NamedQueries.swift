import Values
public import VaultFormat
public import VaultStore

/// Queries that a person gave names, as settings of the vault: `@NAME` stands for one (Spec/product/query.md, 7).
public enum NamedQueries {
    private static let space = "query."

    /// The name of the setting that holds a query.
    ///
    /// - Throws: `Refusal` where no setting can be called so.
    public static func setting(_ name: String) throws -> String {
        guard Setting.complaint(aboutName: space + name) == nil, !name.contains(".") else {
            throw Refusal("'\(name)' is no name of a query: letters, digits, '-' and '_'")
        }
        return space + name
    }

    /// The name of the query that a setting holds; nil where it holds none.
    public static func name(_ entry: Entry) -> String? {
        entry.kind == .setting && entry.title.hasPrefix(space) ? String(entry.title.dropFirst(space.count)) : nil
    }
}

extension Vault {
    /// The text of the query with a name; nil where there is none.
    ///
    /// - Throws: as `setting`.
    public func query(named name: String) throws -> String? {
        guard let place = try? NamedQueries.setting(name), case .text(let text) = try setting(place)?.value else {
            return nil
        }
        return text
    }

    /// All queries with names, by name.
    ///
    /// - Throws: as `setting`.
    public func namedQueries() throws -> [(name: String, text: String)] {
        try entries { NamedQueries.name($0) != nil }.compactMap { entry in
            guard let name = NamedQueries.name(entry), case .text(let text) = try setting(entry).value else {
                return nil
            }
            return (name, text)
        }.sorted { $0.name < $1.name }
    }
}
