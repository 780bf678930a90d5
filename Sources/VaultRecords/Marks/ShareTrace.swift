import VaultCrypto
public import VaultFormat
public import VaultStore
public import Watermark

/// The comparison of a leak with the copies that were given away (Spec/product/watermark.md, 8).
public struct ShareTrace: Sendable {
    /// A copy and its score.
    public struct Match: Sendable {
        /// The copy.
        public let share: Share
        /// Its score in standard deviations; nil where the leak is the very file.
        public let score: Double?

        /// The standing of the score.
        public var verdict: LeakTrace.Verdict { score.map { LeakTrace.Verdict($0) } ?? .found }
    }

    /// The result for one attachment.
    public enum Outcome: Sendable {
        /// Its copies that the leak may be, the likeliest first; with what the registration left, in pixels. Empty where it is
        /// none of them, or its copies bear no signal.
        case matches([Match], residual: Double)
        /// The original is not found in the leak.
        case notFound
        /// It is found, and too crooked to tell; the residual in pixels.
        case cannotTell(residual: Double)
        /// Copies of it were drawn with a font that draws otherwise here, and it is none of the rest.
        case otherFont
    }
}

extension Vault {
    /// Finds copies that a leak may be.
    ///
    /// - Parameters:
    ///   - leak: a JPEG or PNG: the file itself, made smaller, cut, a photo of it.
    ///   - attachment: the original.
    ///   - corners: places in the leak of the original's four corners, as parts of its width and height, clockwise from the
    ///     upper left one; nil where they are to be found.
    /// - Throws: as `content`; `MarkError`.
    public func trace(
        _ leak: any PictureSource, of attachment: Entry, corners: [(x: Double, y: Double)]? = nil
    ) throws -> ShareTrace.Outcome {
        let shares = try shares(of: attachment.id)
        let digest = hexText(try leak.sha256())
        if let same = shares.first(where: { $0.texts["sha256"] == digest }) {
            return .matches([ShareTrace.Match(share: same, score: nil)], residual: 0)
        }
        let groups = Dictionary(grouping: shares.compactMap(TracedShare.init)) { $0.group }
        guard !groups.isEmpty else { return .matches([], residual: 0) }
        let picture = try LeakTrace.Leak(leak)
        var original = try content(of: attachment, limit: Self.maximumAttachmentByteCount)
        defer { wipeBytes(&original) }
        var (matches, residual): ([ShareTrace.Match], Double?) = ([], nil)
        var isOtherFont = false
        for group in groups.values.sorted(by: { $0.count > $1.count }) {
            guard try hexText(group[0].copy.drawing()) == group[0].share.texts["drawing"] else {
                isOtherFont = true
                continue
            }
            do {
                let trace = try LeakTrace(picture, of: original, as: group[0].copy, corners: corners)
                residual = min(residual ?? .infinity, trace.residual)
                guard trace.residual <= LeakTrace.residualLimit else { continue }
                matches += try Self.matches(group, trace)
            } catch TraceError.noMatch { continue }
        }
        guard !isOtherFont || !matches.isEmpty else { return .otherFont }
        guard let residual else { return .notFound }
        guard residual <= LeakTrace.residualLimit || !matches.isEmpty else { return .cannotTell(residual: residual) }
        return .matches(matches.sorted { ($0.score ?? 0) > ($1.score ?? 0) }, residual: residual)
    }

    /// Copies that differ in names only are told apart together; one that may be it is looked at once more with its own name.
    private static func matches(_ group: [TracedShare], _ trace: LeakTrace) throws -> [ShareTrace.Match] {
        try group.compactMap { one in
            var score = try trace.score(shareKey: one.key, isTracedAllOver: one.copy.style.isTracedAllOver)
            guard score >= 3 else { return nil }
            let closer = try trace.compared(with: one.copy)
            score = max(score, try closer.score(shareKey: one.key, isTracedAllOver: one.copy.style.isTracedAllOver))
            return LeakTrace.Verdict(score) == .none ? nil : ShareTrace.Match(share: one.share, score: score)
        }
    }
}

/// A share with what its trace needs; only copies of the dense layout have a signal.
private struct TracedShare {
    let share: Share
    let copy: LeakTrace.Copy
    let key: [UInt8]

    init?(_ share: Share) {
        var texts = share.texts
        guard let style = try? MarkStyle(taking: &texts), style.layout == .dense,
            let drawn = texts["drawn"], let text = try? MarkText(slotted: drawn),
            let width = texts["width"].flatMap({ Int($0) }), let height = texts["height"].flatMap({ Int($0) }),
            1...30_000 ~= width, 1...30_000 ~= height, width * height <= 120_000_000,
            let lattice = texts["lattice_key"].flatMap(hexadecimalBytes),
            let key = texts["share_key"].flatMap(hexadecimalBytes), lattice.count == 32, key.count == 32
        else { return nil }
        (self.share, self.key) = (share, key)
        copy = LeakTrace.Copy(text, style, width: width, height: height, latticeKey: lattice)
    }

    /// Copies of one group differ in names and signals only.
    var group: [String] {
        let keys = ["drawing", "width", "height", "lattice_key", "angle", "opacity", "ink", "trace"]
        return keys.map { share.texts[$0] ?? "" }
    }
}
