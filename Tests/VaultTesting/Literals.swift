package import VaultFormat

// Tests write times and kinds as numbers.
extension Timestamp: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: UInt64) { self.init(microseconds: value) }
}

extension FileTime: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self.init(nanoseconds: value) }
}

extension Entry.Kind: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: UInt16) { self.init(rawValue: value) }
}
