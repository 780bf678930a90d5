/// The size of a card as it is made.
package struct CardSize: Equatable, Sendable {
    /// Millimetres.
    package let across, down: Double

    /// ISO/IEC 7810.
    private static let id1 = CardSize(across: 85.6, down: 53.98), id3 = CardSize(across: 125, down: 88)
    /// GA 482 and GA 37.
    private static let licence = CardSize(across: 88, down: 60)
    private static let byKind = [
        "idcard": id1, "bankcard": id1, "residence-permit": id1, "social-security": id1, "medical-card": id1,
        "passport": id3, "driving-licence": licence, "vehicle": licence,
    ]

    private init(across: Double, down: Double) { (self.across, self.down) = (across, down) }

    /// The size of the cards of a kind, by its name; nil where it is not known.
    package init?(kind: String) {
        guard let size = Self.byKind[kind] else { return nil }
        self = size
    }

    /// The long side to the short one.
    package var ratio: Double { across / down }

    /// The ratios of all cards whose size is known, each once.
    package static let ratios = Set(byKind.values.map(\.ratio)).sorted()

    /// True if a picture may show such a card and nothing around it.
    ///
    /// - Parameter likeness: the ratio by which it may be longer or shorter.
    package func isShape(ofWidth width: Double, height: Double, likeness: Double) -> Bool {
        1 / likeness...likeness ~= max(width, height) / min(width, height) / ratio
    }
}
