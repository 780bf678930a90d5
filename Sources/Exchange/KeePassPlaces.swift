import VaultFormat

/// The attachments of a database whose XML only refers to them by number: each is fetched once, by an entry that has it.
/// A path that several entries have is not asked for, since it would give the attachment of any of them.
final class KeePassPlaces {
    private let fetch: (String, String) -> [UInt8]?
    /// How many entries have a path.
    private var counts: [String: Int] = [:]
    /// The entries that have an attachment, by its number.
    private var places: [String: [(path: String, name: String)]] = [:]
    private var fetched: [String: [UInt8]] = [:]

    /// - Throws: `ImportError`.
    init(_ bytes: [UInt8], fetch: @escaping (String, String) -> [UInt8]?) throws {
        self.fetch = fetch
        _ = try XMLElement.parse(bytes, handing: "Entry") { entry, parents in
            let groups = parents.filter { $0.name == "Group" }.dropFirst().map { ($0["Name"]?.text ?? "") + "/" }
            let path = "/" + groups.joined() + (entry.string("Title") ?? "")
            counts[path, default: 0] += 1
            for binary in entry.each("Binary") {
                guard let number = binary["Value"]?.attributes["Ref"], let name = binary["Key"]?.text else { continue }
                places[number, default: []].append((path, name))
            }
        }
    }

    /// The content of an attachment; nil where no entry gives it.
    func content(_ number: String) -> [UInt8]? {
        if let known = fetched[number] { return known }
        for (path, name) in places[number] ?? [] where counts[path] == 1 {
            guard let bytes = fetch(path, name) else { continue }
            fetched[number] = bytes
            return bytes
        }
        return nil
    }
}
