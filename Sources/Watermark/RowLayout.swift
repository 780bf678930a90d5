package import CImage
import VaultCrypto

/// Rows of the sentence, and what stands between them, all over a picture, as a person sees it (Spec/product/watermark.md, 3.2 and 3.3).
package struct RowLayout: Sendable {
    /// Pixels across and down.
    package let width, height: Int
    /// Pixels of an em.
    package let size: Double
    /// Degrees counter-clockwise.
    package let angle: Double
    private let design: RowDesign
    private let opacity: Double
    private let gap: Double
    private let focus: MarkStyle.Focus?
    package let sentence: [Strip]
    /// True if a line was too long for the picture, and cut.
    private let isCut: Bool
    private let small: [Strip]
    /// Pixels of a strip for one of the picture.
    private let scale, smallScale: Double
    private let smallSize: Double
    private let noise: [UInt8]
    /// L(1) and L(2): parts of a pitch by which rows are moved down.
    private let phases: (sentence: Double, small: Double)
    private let shifts: [Double]
    private let chips, frameChips: [UInt8]?

    private static let smallText = (chinese: "他用无效 ", english: "void for other use  ")

    /// - Parameters:
    ///   - share: nil for strokes without the signal of a copy.
    ///   - hidesVariables: leaves the slots empty: what all copies of one text have in common.
    /// - Throws: `MarkError`, `CryptoError`.
    package init(
        _ text: MarkText, _ style: MarkStyle, width: Int, height: Int, lattice: MarkNumbers, share: MarkNumbers?,
        hidesVariables: Bool = false
    ) throws {
        guard let design = style.layout.rows else { preconditionFailure("\(style.layout) has no rows") }
        (self.width, self.height, self.design) = (width, height, design)
        (opacity, focus) = (style.ink, style.focus)
        angle = design.angle(style.angle, width: width, height: height) + (try lattice.number(0) - 0.5) * 4
        let part = design.isWhole ? 0.97 : 0.8
        let across = part * Double(width) / max(0.2, qv_sine_and_cosine(angle).cosine)
        size = try Self.size(text, style, design, width: width, height: height, longest: across)
        smallSize = max(9, size / 3.2)
        (scale, smallScale) = (Self.scale(size), Self.scale(smallSize))
        gap = style.gap * size * scale
        let longest = max(across, 12 * size)
        (sentence, isCut) = try Self.rows(
            text, style, design, size: size * scale, longest: longest * scale, hidesVariables: hidesVariables)
        small = [try Self.between(design.between, text, style, em: size, size: smallSize, scale: smallScale)]
        noise = try lattice.bytes("quickvault/1/noise", count: Int(QV_NOISE_SIDE * QV_NOISE_SIDE))
        phases = (try lattice.number(1), try lattice.number(2))
        shifts = try (0..<2 * UInt32(QV_FIELDS)).map { try lattice.number(10 + $0) * Double(QV_NOISE_SIDE) }
        let grid = qv_signal_grid_of(UInt32(width), UInt32(height))
        let byteCount = (Int(grid.across) * Int(grid.down) + 7) / 8
        chips = try share?.bytes(Self.strokeLabel, count: byteCount)
        frameChips = style.isTracedAllOver ? try share?.bytes(Self.frameLabel, count: byteCount) : nil
    }

    /// The labels of the signals' chips.
    package static let strokeLabel = "quickvault/1/chips"
    package static let frameLabel = "quickvault/1/chips-frame"

    /// Small letters are drawn twice as large, and sampled.
    private static func scale(_ size: Double) -> Double { size < 24 ? 2 : 1 }

    /// Pixels of an em: those of the layout, or somewhat fewer where a line fits then.
    private static func size(
        _ text: MarkText, _ style: MarkStyle, _ design: RowDesign, width: Int, height: Int, longest: Double
    ) throws -> Double {
        let usual = style.em(width: width, height: height)
        guard design.isWhole, style.size == nil else { return usual }
        let lengths = try text.parts.map { try Strip($0, family: style.family, size: usual, gap: style.gap).length }
        let fitting = usual * 0.98 * longest / (lengths.max() ?? 1)
        return fitting < usual && fitting >= max(14, 0.6 * usual) ? fitting : usual
    }

    /// The strip of the strokes between rows.
    private static func between(
        _ kind: RowDesign.Between, _ text: MarkText, _ style: MarkStyle, em: Double, size: Double, scale: Double
    ) throws -> Strip {
        guard kind == .text else { return Strip(lineOf: kind == .lines ? max(1.5, em / 20) * scale : 0) }
        let isChinese = text.lines.joined().unicodeScalars.contains { $0.properties.isIdeographic }
        let constant = MarkText.Part(text: isChinese ? smallText.chinese : smallText.english, isVariable: false)
        return try Strip([constant], family: style.family, size: size * scale, gap: 0.4)
    }

    /// All lines one behind the other; where that is longer than a picture shows, a strip for each line, and for parts of it.
    private static func rows(
        _ text: MarkText, _ style: MarkStyle, _ design: RowDesign, size: Double, longest: Double, hidesVariables: Bool
    ) throws -> (strips: [Strip], isCut: Bool) {
        func strip(_ parts: [MarkText.Part]) throws -> Strip {
            try Strip(
                parts, family: style.family, size: size, gap: style.gap, bar: design.bar, hidesVariables: hidesVariables
            )
        }
        let blank = MarkText.Part(text: "   ", isVariable: false)
        let whole = try strip(Array(text.parts.joined(separator: [blank])))
        guard whole.length > longest else { return ([whole], false) }
        var isCut = false
        let strips = try text.parts.flatMap { line in
            let row = try strip(line)
            let count = Int((row.length / longest).rounded(.up))
            guard count > 1 else { return [row] }
            isCut = true
            let text = line.map(\.text).joined()
            let pieces = design.isWhole ? MarkText.wrapped(text, count) : MarkText.cut(text, count)
            return try pieces.filter { !$0.allSatisfy { $0 == " " } }.map { piece in
                try strip([MarkText.Part(text: piece, isVariable: false)])
            }
        }
        return (strips, isCut)
    }

    /// The rows on which a whole sentence shows.
    package var wholeRows: Int { isCut ? 0 : unsafe withC { unsafe Int(qv_whole_rows($0)) } }

    /// The digest of what is drawn where slots are empty: the same for copies that differ in a name, another where a font
    /// changed.
    ///
    /// - Throws: `CryptoError`.
    func drawingDigest() throws -> [UInt8] {
        var hash = try SHA256()
        for strip in sentence + small { try hash.update(strip.bytes.span) }
        return try hash.finish()
    }

    /// The geometry at a place, in pixels from the upper left corner: along and across the sentence's rows, along and across
    /// those of the small text, the factor of the opacity, the signal.
    package func numbers(x: Double, y: Double) -> [Double] {
        let point = unsafe withC { dense in unsafe qv_dense_at(dense, x, y) }
        return [point.row_u, point.row_v, point.micro_u, point.micro_v, point.opacity, point.signal]
    }

    /// The ink of each pixel, of 255, rows from the top: of all strokes; of the sentence's rows without the signal; of strokes on what
    /// is as the ink itself.
    ///
    /// - Throws: `MarkError.noMemory`.
    package func map() throws -> (all: [UInt8], rows: [UInt8], cores: [UInt8]) {
        let empty = [UInt8](repeating: 0, count: width * height)
        var (all, rows, cores) = (empty, empty, empty)
        let status = unsafe withC { dense in
            unsafe all.withUnsafeMutableBufferPointer { all in
                unsafe rows.withUnsafeMutableBufferPointer { rows in
                    unsafe cores.withUnsafeMutableBufferPointer { cores in
                        unsafe qv_dense_map(
                            dense, qv_inks(all: all.baseAddress, rows: rows.baseAddress, cores: cores.baseAddress))
                    }
                }
            }
        }
        guard status == 0 else { throw MarkError.noMemory }
        return (all, rows, cores)
    }

    /// Calls a function with the layout as C has it.
    package func withC<Result>(
        orientation: Int = 1, _ body: (UnsafePointer<qv_dense>) throws -> Result
    ) rethrows -> Result {
        try unsafe sentence.withC { sentence in
            try unsafe small.withC { small in
                try unsafe noise.withUnsafeBufferPointer { noise in
                    try unsafe withOptionalBytes(chips) { chips in
                        try unsafe withOptionalBytes(frameChips) { frameChips in
                            var dense = unsafe qv_dense()
                            unsafe (dense.width, dense.height) = (UInt32(width), UInt32(height))
                            unsafe dense.orientation = Int32(orientation)
                            unsafe dense.em = size
                            let hasText = design.between == .text
                            let pitch = (
                                sentence: design.pitch * size,
                                small: hasText ? max(0.75 * size, 1.6 * smallSize) : max(6, size / 4)
                            )
                            unsafe dense.rows = unsafe qv_rows(
                                strips: sentence.baseAddress, count: sentence.count, scale: scale, degrees: angle,
                                pitch: pitch.sentence, phase: phases.sentence * pitch.sentence, opacity: opacity,
                                gap: gap, has_sentences: design.isWhole ? 1 : 0,
                                bar: Int32(design.bar))
                            unsafe dense.micro = unsafe qv_rows(
                                strips: small.baseAddress, count: small.count, scale: smallScale,
                                degrees: angle - (hasText ? 14 : 55), pitch: pitch.small,
                                phase: phases.small * pitch.small, opacity: hasText ? opacity * 0.24 / 0.34 : 0, gap: 0,
                                has_sentences: 0, bar: 0)
                            unsafe (dense.slow, dense.fine) = (design.slow, design.fine)
                            unsafe (dense.core, dense.reach) = (design.core, design.reach)
                            if let focus {
                                let (across, down) = (Double(width) / 100, Double(height) / 100)
                                unsafe dense.focus = (
                                    focus.x * across, focus.y * down, (focus.x + focus.width) * across,
                                    (focus.y + focus.height) * down
                                )
                            }
                            unsafe dense.noise = noise.baseAddress
                            unsafe withUnsafeMutableBytes(of: &dense.shifts) { bytes in
                                unsafe shifts.withUnsafeBytes { unsafe bytes.copyMemory(from: $0) }
                            }
                            unsafe (dense.chips, dense.frame_chips) = (chips, frameChips)
                            return try unsafe body(&dense)
                        }
                    }
                }
            }
        }
    }
}

private func withOptionalBytes<Result>(
    _ bytes: [UInt8]?, _ body: (UnsafePointer<UInt8>?) throws -> Result
) rethrows -> Result {
    guard let bytes else { return try body(nil) }
    return try unsafe bytes.withUnsafeBufferPointer { try unsafe body($0.baseAddress) }
}
