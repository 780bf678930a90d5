import Cards
import VaultFormat
public import Watermark

/// The text and style of an attachment's mark (Spec/product/watermark.md, 7).
public struct MarkProfile: Equatable, Sendable {
    /// Lines; `{recipient}`, `{purpose}`, `{date}`, `{time}` and `{until}` stand for values.
    public var text: String
    /// The recipient and the purpose of copies, unless a copy names others.
    public var recipient: String?, purpose: String?
    /// Its style.
    public var style: MarkStyle
    /// Fields that a newer program added.
    private var rest = RecordFields()

    /// A new profile.
    public init(text: String, recipient: String? = nil, purpose: String? = nil, style: MarkStyle = MarkStyle()) {
        (self.text, self.recipient, self.purpose, self.style) = (text, recipient, purpose, style)
    }

    /// The mark's text.
    ///
    /// - Parameters:
    ///   - day: `2026-01-31`; nil for a draft, in which values that are missing are `…`.
    ///   - time: `18:00`.
    ///   - until: the last day for which the copy is given, as `day`.
    /// - Throws: `MarkError`.
    public func markText(day: String?, time: String? = nil, until: String? = nil) throws -> MarkText {
        var values = ["recipient": recipient, "purpose": purpose].compactMapValues(\.self)
        (values["date"], values["time"], values["until"]) = (day, time, until)
        return try MarkText(text, values: values, placeholder: day == nil ? "…" : nil)
    }

    /// Reads the content of a record.
    ///
    /// - Throws: `FormatError.malformed`.
    package init(parsing bytes: [UInt8]) throws {
        var fields = try RecordFields(parsing: bytes)
        guard let text = fields.texts.removeValue(forKey: "text") else {
            throw FormatError(.malformed, "a mark without a text")
        }
        self.init(
            text: text, recipient: fields.texts.removeValue(forKey: "recipient"),
            purpose: fields.texts.removeValue(forKey: "purpose"), style: try MarkStyle(taking: &fields.texts))
        rest = fields
    }

    /// As deterministic CBOR.
    var bytes: [UInt8] {
        var fields = rest
        fields.texts.merge(style.texts) { $1 }
        (fields.texts["text"], fields.texts["recipient"], fields.texts["purpose"]) = (text, recipient, purpose)
        return fields.bytes
    }
}

extension MarkStyle {
    /// The layouts by their names in records; `sparse` has none.
    private static let layouts = Dictionary(
        uniqueKeysWithValues: Layout.allCases.filter { $0 != .sparse }.map { ($0.rawValue, $0) })

    /// As texts by key; what is as usual is absent. A mark without a layout is sparse, as all were at first.
    var texts: [String: String] {
        var texts: [String: String] = [:]
        let usual = MarkStyle()
        if angle != usual.angle { texts["angle"] = Self.text(angle) }
        texts["opacity"] = opacity.map(Self.text)
        if gap != usual.gap { texts["gap"] = Self.text(gap) }
        texts["size"] = size.map(Self.text)
        texts["ink"] = isLight.map { $0 ? "white" : "black" }
        texts["font"] = family
        texts["layout"] = layout == .sparse ? nil : layout.rawValue
        if isTracedAllOver { texts["trace"] = "all" }
        texts["focus"] = focus?.text
        return texts
    }

    /// Takes its texts out of others.
    ///
    /// - Throws: `FormatError.malformed` for one that is out of its range.
    init(taking texts: inout [String: String]) throws {
        self.init()
        func number(_ key: String, _ range: ClosedRange<Double>) throws -> Double? {
            guard let text = texts.removeValue(forKey: key) else { return nil }
            guard ExactDecimal(text) != nil, let value = Double(text), range.contains(value) else {
                throw FormatError(.malformed, "a mark's \(key)")
            }
            return value
        }
        func word<Value>(_ key: String, _ values: [String: Value]) throws -> Value? {
            guard let text = texts.removeValue(forKey: key) else { return nil }
            guard let value = values[text] else { throw FormatError(.malformed, "a mark's \(key)") }
            return value
        }
        angle = try number("angle", Self.angles) ?? angle
        opacity = try number("opacity", Self.opacities)
        gap = try number("gap", Self.gaps) ?? gap
        size = try number("size", Self.sizes)
        isLight = try word("ink", ["white": true, "black": false])
        family = texts.removeValue(forKey: "font")
        layout = try word("layout", Self.layouts) ?? .sparse
        // In the other layouts it says nothing, and is as usual.
        isTracedAllOver = try word("trace", ["all": true]) ?? !layout.hasRows
        if let text = texts.removeValue(forKey: "focus") {
            focus = Focus(text)
            if focus == nil { throw FormatError(.malformed, "a mark's focus") }
        }
    }

    /// A number without a fraction that is nothing.
    public static func text(_ number: Double) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension MarkStyle.Focus {
    /// Four numbers with commas between: x, y, width and height.
    public var text: String { [x, y, width, height].map(MarkStyle.text).joined(separator: ",") }

    /// - Returns: nil where the text is none.
    public init?(_ text: String) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let numbers = words.compactMap { ExactDecimal($0) == nil ? nil : Double($0) }
        guard words.count == 4, numbers.count == 4 else { return nil }
        self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
}
