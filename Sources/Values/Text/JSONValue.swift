/// A value that has one form in JSON.
package protocol JSONValue {
    /// The value as JSON.
    var json: JSON { get }
}

extension JSON: JSONValue, ExpressibleByDictionaryLiteral {
    package var json: JSON { self }

    /// An object: members in the order given.
    package init(dictionaryLiteral members: (String, any JSONValue)...) {
        self = .object(members.map { ($0, $1.json) })
    }

    /// One object of the members of several.
    package init(joining objects: JSON...) { self = .object(objects.flatMap { $0.members ?? [] }) }

    /// The object without the members that are null.
    package var withoutNulls: JSON { .object((members ?? []).filter { !$1.isNull }) }
}

extension JSONValue where Self: CustomStringConvertible {
    /// A text: its description.
    package var json: JSON { .text(description) }
}

extension String: JSONValue {}

/// In English.
extension Phrase: JSONValue {}

extension Bool: JSONValue {
    package var json: JSON { .bool(self) }
}

extension Int: JSONValue {
    package var json: JSON { .integer(Int64(self)) }
}

extension Int64: JSONValue {
    package var json: JSON { .integer(self) }
}

extension Int32: JSONValue {
    package var json: JSON { .integer(Int64(self)) }
}

extension UInt64: JSONValue {
    package var json: JSON { .unsigned(self) }
}

extension Double: JSONValue {
    package var json: JSON { .real(self) }
}

/// In RFC 3339.
extension Timestamp: JSONValue {
    package var json: JSON { .text(text) }
}

/// In RFC 3339.
extension FileTime: JSONValue {
    package var json: JSON { .text(text) }
}

extension Optional: JSONValue where Wrapped: JSONValue {
    package var json: JSON { self?.json ?? .null }
}

extension Array: JSONValue where Element: JSONValue {
    package var json: JSON { .list(map(\.json)) }
}
