import Watermark

/// The places of fields on cards that all look alike, where a picture shows the card alone and upright.
public struct CardLayout: Equatable, Sendable {
    private let kind: String
    private let part: MarkStyle.Focus

    /// The ratio by which a picture may be longer or shorter than the card.
    private static let likeness = 1.015
    /// The sides of an identity card: words that name them, and fields with room around them, in percent.
    private static let idCard: [(names: [String], fields: [String: MarkStyle.Focus])] = [
        (
            ["正面", "人像", "front"],
            [
                "name": MarkStyle.Focus(x: 14, y: 6, width: 46, height: 16),
                "sex": MarkStyle.Focus(x: 14, y: 19, width: 14, height: 14),
                "ethnicity": MarkStyle.Focus(x: 32, y: 19, width: 29, height: 14),
                "birth": MarkStyle.Focus(x: 14, y: 30, width: 47, height: 15),
                "address": MarkStyle.Focus(x: 14, y: 42, width: 49, height: 33),
                "number": MarkStyle.Focus(x: 28, y: 75, width: 72, height: 21),
            ].compactMapValues(\.self)
        ),
        (
            ["反面", "背面", "国徽", "back"],
            [
                "authority": MarkStyle.Focus(x: 34, y: 63, width: 66, height: 17),
                "valid_from": MarkStyle.Focus(x: 34, y: 77, width: 66, height: 19),
                "valid_until": MarkStyle.Focus(x: 34, y: 77, width: 66, height: 19),
            ].compactMapValues(\.self)
        ),
    ]

    /// The place of a field.
    ///
    /// - Parameters:
    ///   - field: its key.
    ///   - kind: the name of the card's kind.
    ///   - side: what the picture shows, by its name: `正面.jpg`.
    /// - Returns: nil where it is not known.
    public init?(of field: String, kind: String, side: String) {
        // A name of both sides says nothing of where either of them is.
        let shown = Self.idCard.filter { $0.names.contains(where: side.lowercased().contains) }
        guard kind == "idcard", shown.count == 1, let part = shown[0].fields[field] else { return nil }
        (self.kind, self.part) = (kind, part)
    }

    /// The field's place in a picture of this size; nil where the picture has not the shape of the card.
    func part(ofWidth width: Int, height: Int) -> MarkStyle.Focus? {
        guard width > height, let size = CardSize(kind: kind),
            size.isShape(ofWidth: Double(width), height: Double(height), likeness: Self.likeness)
        else { return nil }
        return part
    }
}
