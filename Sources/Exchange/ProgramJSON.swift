// Parts that the JSON of several programs has in common.

import VaultFormat

/// The files of an item in an archive: their names there, and what is in them.
typealias ItemFiles = (JSON) throws -> [(name: String, content: [UInt8])]

extension String {
    /// A year as a bank card prints it: two digits of this century. Another one stays whole, which no card takes.
    var yearOfCard: String { count == 4 && hasPrefix("20") ? String(suffix(2)) : self }
}

extension JSON {
    /// The text of a member; empty where it has none.
    func string(_ key: String) -> String { self[key]?.text ?? "" }
    /// The items of a member; none of one that is no list.
    func each(_ key: String) -> [JSON] { self[key]?.items ?? [] }
    /// A time as text; nil where there is none, or one before 1970.
    var timestamp: Timestamp? { text.flatMap { Timestamp($0) } }
    /// A time in seconds since 1970.
    var secondsTimestamp: Timestamp? { number.flatMap { 0...Day.lastSecond ~= $0 ? Timestamp(second: $0) : nil } }
}
