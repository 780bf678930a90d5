public import VaultFormat

/// A card: a title, what lists show of it, and fields (Spec/product/records.md).
public struct Card: Equatable, Sendable {
    /// The fields of its kind.
    public let schema: Schema
    /// Title, group, tags, and whether lists show it first.
    public var overview: Overview
    /// Its fields.
    public var fields: RecordFields

    /// A card of a kind, as it is stored; one with neither title nor fields, where they are left out.
    public init(schema: Schema, overview: Overview = Overview(title: []), fields: RecordFields = RecordFields()) {
        (self.schema, self.overview, self.fields) = (schema, overview, fields)
    }

    /// Its title.
    public var title: String { String(decoding: overview.title, as: UTF8.self) }

    /// One line of a card, as people see it.
    public struct Line: Equatable, Sendable {
        /// The key; for a field that somebody made up, its name.
        public let key: String
        /// The field's name for people; nil for a field that this version does not know.
        public let label: LocalizedLabel?
        /// Its value.
        public let value: String
        /// True if it is shown only when asked for.
        public let isSensitive: Bool
        /// The rule for its value; nil of a field that this version does not know.
        package let check: Check?

        /// A line for a field of the schema.
        init(_ field: Field, _ value: String) {
            (key, label, self.value) = (field.key, field.label, value)
            (isSensitive, check) = (field.isSensitive, field.check)
        }

        /// A line for any other field.
        init(_ key: String, _ value: String, isSensitive: Bool) {
            (self.key, label, self.value) = (key, nil, value)
            (self.isSensitive, check) = (isSensitive, nil)
        }

        /// The closed word that the value is, if its field takes such words alone.
        public var closedWord: ClosedWord? { check?.closedWord(value) }

        /// The value, and of a sensitive one only what may be shown unasked: `****`, or `****1234`.
        public func shown(isRevealed: Bool) -> String {
            guard isSensitive, !isRevealed else { return value }
            // The last characters of a number tell one from another, and do no harm; those of a password would.
            return "****" + (check?.isNumber == true && value.count > 8 ? String(value.suffix(4)) : "")
        }
    }

    /// The fields that have values: those of the schema in its order, then the others.
    public var lines: [Line] {
        var lines = schema.fields.compactMap { field in fields.texts[field.key].map { Line(field, $0) } }
        func add(_ key: String, _ value: String, isSensitive: Bool = false) {
            lines.append(Line(key, value, isSensitive: isSensitive))
        }
        for (key, value) in fields.texts.sorted(by: { $0.key < $1.key }) where schema[key] == nil { add(key, value) }
        for field in fields.own { add(field.label, field.value, isSensitive: field.isSensitive) }
        return lines
    }

    /// An error in one field.
    public struct Complaint: Equatable, Sendable {
        /// The key as it was given.
        public let key: String
        /// The field's name for people; nil for a key that the kind does not have.
        public let label: LocalizedLabel?
        /// The error.
        public let what: Phrase

        package init(key: String, label: LocalizedLabel? = nil, what: Phrase) {
            (self.key, self.label, self.what) = (key, label, what)
        }
    }

    /// Values by key, of values by key or by label. A field of one's own keeps its name.
    public func keyed(_ values: [(key: String, value: String)]) -> [(key: String, value: String)] {
        values.map { name, value in
            let isOwn = fields.own.contains { $0.label == name }
            return (isOwn ? name : schema.field(called: name)?.key ?? name, value)
        }
    }

    /// Sets fields by key; an empty value takes a field away. Nothing is kept of a value that is wrong.
    ///
    /// - Returns: what is wrong, all of it.
    public mutating func set(_ values: [(key: String, value: String)]) -> [Complaint] {
        var complaints: [Complaint] = []
        var seen: Set<String> = []
        for (key, value) in values {
            guard seen.insert(key).inserted else {
                complaints.append(complaint(key, "is given twice"))
                continue
            }
            if let complaint = set(key, value) { complaints.append(complaint) }
        }
        let ends = Self.spans.filter { seen.contains($0.start) || seen.contains($0.end) }.filter(isTurned)
        return complaints + ends.map { complaint($0.end, "is before the start") }
    }

    /// Fields that begin something, and those that end it.
    private static let spans = [
        (start: "start", end: "maturity"), (start: "start", end: "end"), (start: "free_from", end: "free_until"),
    ]

    /// True if something ends before it starts.
    private func isTurned(_ span: (start: String, end: String)) -> Bool {
        func second(_ key: String) -> Int64? {
            guard schema[key] != nil, let text = fields.texts[key] else { return nil }
            return Day(text)?.second ?? Timestamp(text)?.seconds
        }
        guard let start = second(span.start), let end = second(span.end) else { return false }
        return end < start
    }

    /// Gives fields of the kind that have no value these ones; what no field takes is left out.
    public mutating func fillEmpty(_ values: [String: String]) {
        for (key, value) in values where fields.texts[key] == nil { _ = set([(key, value)]) }
    }

    /// An error in a field of the kind.
    func complaint(_ key: String, _ what: Phrase) -> Complaint {
        Complaint(key: key, label: schema[key]?.label, what: what)
    }

    private mutating func set(_ key: String, _ value: String) -> Complaint? {
        guard let field = schema[key] else { return setOwn(key, value) }
        // A password is what was typed, to the byte.
        let value = field.isPassword ? value : field.check.normalized(value)
        if field.isPassword ? value.isEmpty : value.isBlank {
            fields.texts[key] = nil
            return nil
        }
        if let what = field.check.complaint(about: value) ?? Self.complaint(aboutCodes: value, of: field) {
            return Complaint(key: key, label: field.label, what: what)
        }
        fields.texts[key] = value
        return nil
    }

    /// The error in what makes one-time codes; a code of six digits is none of it.
    private static func complaint(aboutCodes value: String, of field: Field) -> Phrase? {
        guard field.key == "totp" else { return nil }
        do { _ = try OneTimePassword(value) } catch let problem as OneTimePassword.Problem { return problem.what } catch
        {}
        return nil
    }

    private mutating func setOwn(_ key: String, _ value: String) -> Complaint? {
        // A field that a newer program added can be changed too.
        if fields.texts[key] != nil {
            if let what = Check.text.complaint(about: value) { return Complaint(key: key, what: what) }
            fields.texts[key] = value.isBlank ? nil : value
            return nil
        }
        let place = fields.own.firstIndex { $0.label == key }
        guard schema.takesOwnFields || place != nil else {
            return Complaint(key: key, what: "is no field of this kind")
        }
        if value.isBlank {
            if let place { fields.own.remove(at: place) }
            return nil
        }
        if let what = Self.complaint(aboutLabel: key, value) { return Complaint(key: key, what: what) }
        // Secrets of one-time codes.
        let isSecret = key == "totp" || value.hasPrefix("otpauth://") || value.hasPrefix("steam://")
        if let place {
            fields.own[place].value = value
            if isSecret { fields.own[place].isSensitive = true }
        } else if fields.own.count < Self.ownFieldCount {
            fields.own.append(RecordFields.CustomField(label: key, value: value, isSensitive: isSecret))
        } else {
            return Complaint(key: key, what: "is one field too many: 256 at most")
        }
        return nil
    }

    /// Bytes of UTF-8 in a title, a group or a tag.
    public static let titleByteCount = 255
    /// Tags of a record.
    public static let tagCount = 32
    package static let ownFieldCount = 256

    /// The required fields without a value, except those that already have an error.
    public func missing(besides others: [Complaint]) -> [Complaint] {
        let known = Set(others.map(\.key))
        return schema.fields.filter { $0.isRequired && fields.texts[$0.key] == nil && !known.contains($0.key) }
            .map { Complaint(key: $0.key, label: $0.label, what: "is missing") }
    }

    /// The error in a title, a group or a tag; nil if there is none.
    public static func complaint(aboutName name: String) -> Phrase? {
        if name.isBlank { return "is empty" }
        if name.utf8.count > titleByteCount { return "is longer than 255 bytes" }
        return Check.line.complaint(about: name)
    }

    /// The error in a field of one's own; nil if there is none.
    package static func complaint(aboutLabel label: String, _ value: String) -> Phrase? {
        complaint(aboutName: label) != nil || !CardHead.isField(label)
            ? "is no name for a field" : Check.text.complaint(about: value)
    }

    /// The title of a card to which nobody gave one: of a login its web site; else the first field's value, if lists may
    /// show it; else its kind.
    public func defaultTitle(_ language: KeyPath<LocalizedLabel, String>) -> String {
        let site = schema.name == "login" ? fields.texts["url"].flatMap(Self.host) : nil
        let first = schema.fields.first { !$0.isSensitive }.flatMap { fields.texts[$0.key] }
        let line = (site ?? first).map { String($0.prefix { !$0.isNewline }.prefix(40)) } ?? ""
        return Self.complaint(aboutName: line) == nil ? line : schema.label[keyPath: language]
    }

    /// `example.com` of `https://www.example.com/login`.
    private static func host(_ address: String) -> String? {
        let rest = address.split(separator: "://", maxSplits: 1).last ?? ""
        // Neither a user's name nor a password in an address belongs into a title.
        let place = rest.prefix { !"/?#".contains($0) }.split(separator: "@").last ?? ""
        let name = place.prefix { $0 != ":" }
        return name.isEmpty ? nil : String(name.hasPrefix("www.") ? name.dropFirst(4) : name)
    }
}

extension StringProtocol {
    /// True if there are blanks in it, or nothing.
    package var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
