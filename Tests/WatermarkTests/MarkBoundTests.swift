import Foundation
import Testing
import VaultCrypto
import VaultFormat
import Watermark

/// Texts and styles of marks, and the places that the layouts give them, at their bounds.
struct MarkBoundTests {
    private func numbers(_ byte: UInt8) -> MarkNumbers { MarkNumbers(key: [UInt8](repeating: byte, count: 32)) }

    // MARK: Texts

    private func parts(_ text: MarkText) -> [[String]] {
        text.parts.map { $0.map { $0.isVariable ? "{\($0.text)}" : $0.text } }
    }

    /// Blanks at the ends of a line go; values side by side are one part, and so are words.
    @Test(arguments: [
        ("{recipient}{purpose}b", [["{li 1}", "b"]]), ("a {recipient}  \n\n  {purpose}", [["a ", "{li}"], ["{1}"]]),
        ("a{x}b", []), ("  {blank}  a", [["a"]]), ("a{blank}", [["a"]]), ("{lines}!", [["{one}"], ["{two}", "!"]]),
        ("a{empty}b", [["ab"]]), ("a}b", [["a}b"]]), ("a{b", [["a{b"]]), (" a ", [["a"]]),
    ])
    func partsOfATemplate(_ template: String, _ wanted: [[String]]) throws {
        let values = ["recipient": "li ", "purpose": "1", "blank": "  ", "lines": "one\ntwo", "empty": ""]
        guard let text = try? MarkText(template, values: values) else { return #expect(wanted.isEmpty) }
        #expect(parts(text) == wanted && text.lines == text.parts.map { $0.map(\.text).joined() })
    }

    /// What was drawn is read again, braces and backslashes of names too.
    @Test(arguments: ["li", "{", "}", "\\", "a\\{b}\\\\", "{}"]) func slottedTextsComeBack(_ name: String) throws {
        let text = try MarkText("for \\ {recipient} only\n2026 {date}.", values: ["recipient": name, "date": "1"])
        #expect(try MarkText(slotted: text.slotted) == text)
    }

    @Test func textsHave200Characters() throws {
        let full = String(repeating: "字", count: 100) + "\n" + String(repeating: "x", count: 100)
        #expect(try MarkText(full, values: [:]).lines.map(\.count) == [100, 100])
        #expect(throws: MarkError.textTooLong(201)) { try MarkText(full + "x", values: [:]) }
        #expect(throws: MarkError.textTooLong(201)) { try MarkText(slotted: full + "x") }
    }

    @Test func missingValues() throws {
        #expect(try MarkText("{date}", values: [:], placeholder: "…").lines == ["…"])
        #expect(throws: MarkError.noValue("date")) { try MarkText("{date}", values: [:]) }
        #expect(throws: MarkError.noValue("dates")) { try MarkText("{dates}", values: [:], placeholder: "…") }
    }

    @Test(
        arguments: [
            ("\u{5BE}", nil), ("\u{900}", nil), ("\u{FE00}", nil), ("\u{FF01}", nil),
            ("\u{200B}", .unprintable("\u{200B}")),
            ("\u{200C}", nil), ("\u{200D}", nil), ("\u{200E}", .unprintable("\u{200E}")),
            ("\u{2066}", .unprintable("\u{2066}")), ("\u{2028}", .unprintable("\u{2028}")),
            ("\u{E000}", .unprintable("\u{E000}")), ("\u{378}", .unprintable("\u{378}")), ("\u{A0}", nil),
        ] as [(Unicode.Scalar, MarkError?)])
    func scripts(_ scalar: Unicode.Scalar, _ error: MarkError?) {
        let text = Result { try MarkText("a\(Character(scalar))", values: [:]) }
        if let error {
            #expect(throws: error) { try text.get() }
        } else {
            #expect(throws: Never.self) { try text.get() }
        }
    }

    @Test(
        arguments: [
            (.noGlyph("\u{7}"), "no font has U+0007"), (.noGlyph("\u{1F9FF}"), "no font has U+1F9FF"),
            (.unprintable("\u{378}"), "U+0378 cannot be drawn"),
            (.page(7, .faint(12)), "page 7: the mark would be hard to see in 12 of 100 places where it stands"),
            (.textTooLong(201), "the text has 201 characters, and 200 fit"), (.noValue("x"), "'x' has no value"),
            (.corrupt("why"), "is damaged or cut short (why)"), (.textEmpty, "the text is empty"),
        ] as [(MarkError, String)])
    func reasons(_ error: MarkError, _ words: String) { #expect(error.reason.description == words) }

    @Test func errorsOfAPage() {
        let ofPages: [MarkError] = [
            .unsupported, .tooLarge, .corrupt(""), .badTable, .tooSmall, .faint(1), .tooLong, .tooSlow(seconds: 20),
            .textTooLarge,
        ]
        let ofAll: [MarkError] = [
            .notAnImage, .noMemory, .noFont, .textEmpty, .encrypted, .tooManyPages(201), .animation, .severalPictures,
            .noDecoder, .noProgram("pdftoppm"), .noLanguage("deu"), .noSandbox, .decoderFailed(""), .page(1, .tooSmall),
        ]
        #expect(ofPages.allSatisfy { $0.isOfPage } && ofAll.allSatisfy { !$0.isOfPage })
        let reasons = (ofPages + ofAll).map(\.reason.description)
        #expect(Set(reasons).count == reasons.count && !reasons.contains(""))
    }

    // MARK: Styles

    @Test(arguments: [
        (0, 0, 100, 100, true), (60, 20, 40, 80, true), (-0.1, 0, 10, 10, false), (0, -0.1, 10, 10, false),
        (0, 0, 0, 10, false), (0, 0, 10, 0, false), (0, 0, 0.1, 0.1, true), (60, 0, 40.1, 10, false),
        (0, 60, 10, 40.1, false),
    ])
    func partsOfAPicture(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ isOne: Bool) {
        #expect((MarkStyle.Focus(x: x, y: y, width: width, height: height) != nil) == isOne)
    }

    // MARK: Sparse

    private func sparse(
        _ width: Int, _ height: Int, lattice: UInt8 = 1, _ change: (inout MarkStyle) -> Void = { _ in }
    ) throws -> SparseLayout {
        var style = MarkStyle()
        style.layout = .sparse
        change(&style)
        return try SparseLayout(
            width: width, height: height, style: style, lattice: numbers(lattice), jitter: numbers(2))
    }

    /// The middle, moved by S(2) and S(3) within two pixels, or within a fortieth of an em.
    @Test(arguments: [(40.0, 1.0), (80, 2), (200, 2)]) func oneMarkStandsInTheMiddle(_ size: Double, _ most: Double)
        throws
    {
        let layout = try sparse(1200, 800) { ($0.layout, $0.size) = (.single, size) }
        let (a, b) = (try numbers(2).number(2), try numbers(2).number(3))
        for side in 100...140 {
            let places = try layout.places(drawing: (side, side + 1), lineCount: 1, lineWidth: 1)
            let x = 600 + (a - 0.5) * 2 * most - Double(side) / 2
            let y = 400 + (b - 0.5) * 2 * most - Double(side + 1) / 2
            #expect(places.count == 1 && places[0].x == Int(x.rounded()) && places[0].y == Int(y.rounded()))
        }
    }

    /// A step along the lines is 16 ems, twice that where the line with its gap is longer.
    @Test func stepsAreDoubled() throws {
        let layout = try sparse(3000, 400) { ($0.size, $0.gap) = (40, 1.5) }
        func places(_ lineWidth: Double) throws -> [String] {
            try layout.places(drawing: (100, 60), lineCount: 1, lineWidth: lineWidth).map { "\($0)" }
        }
        let short = try places(0)
        #expect(try places(580) == short && places(580.1) != short && places(580.1).count < short.count)
    }

    /// Every mark of which something shows, and none else, whatever the shape of picture and drawing.
    @Test(arguments: [(400, 40, 30, 20), (40, 400, 30, 20), (60, 50, 10, 400), (60, 50, 400, 10), (90, 80, 7, 9)])
    func allMarksShow(_ width: Int, _ height: Int, _ across: Int, _ down: Int) throws {
        for more in 0..<12 {
            let (w, h) = (width + more, height + more)
            let layout = try sparse(w, h) { ($0.size, $0.gap) = (8, 0.5) }
            let places = try layout.places(drawing: (across, down), lineCount: 1, lineWidth: 20)
            #expect(places.allSatisfy { $0.x < w && $0.y < h && $0.x + across > 0 && $0.y + down > 0 })
            // One in each cell of the lattice, within what shows of it.
            let cells = Double(w + across) * Double(h + down) / (128 * 1.9 * 8)
            #expect(abs(Double(places.count) - cells) < 3 + cells / 4, "\(places.count) \(cells)")
        }
    }

    /// A larger drawing reaches farther, and its marks have the same middles: none that shows is missing from the smaller one.
    @Test(arguments: [(300, 300), (300, 200), (120, 400)]) func noMarkThatShowsIsLeftOut(_ width: Int, _ height: Int)
        throws
    {
        // A row that begins late in its step shows a mark of the step before.
        for lattice in try (0..<60).filter({ try numbers($0).number(1) > 0.9 }) {
            for size in stride(from: 10.0, to: 30, by: 2) {
                let layout = try sparse(width, height, lattice: lattice) { ($0.size, $0.gap) = (size, 0.5) }
                let places = try layout.places(drawing: (9, 9), lineCount: 1, lineWidth: 5).map { [$0.x, $0.y] }
                let all = try layout.places(drawing: (309, 309), lineCount: 1, lineWidth: 5).map {
                    [$0.x + 150, $0.y + 150]
                }
                let shown = all.filter { $0[0] < width && $0[1] < height && $0[0] > -9 && $0[1] > -9 }
                #expect(places == shown, "\(lattice) \(size)")
            }
        }
    }

    /// There are some 20,000 marks at most.
    @Test func marksAreNotTooMany() throws {
        let layout = try sparse(30_000, 4000) { ($0.size, $0.gap) = (8, 0.5) }
        let count = try layout.places(drawing: (20, 10), lineCount: 1, lineWidth: 20).count
        #expect(500 < count && count < 20_000, "\(count)")
    }

    // MARK: Dense

    private func dense(
        _ text: String, _ width: Int = 400, _ height: Int = 300, share: UInt8? = nil,
        _ change: (inout MarkStyle) -> Void = { _ in }
    ) throws -> RowLayout {
        var style = MarkStyle()
        style.layout = .dense
        change(&style)
        return try RowLayout(
            MarkText(text, values: ["recipient": "li"]), style, width: width, height: height, lattice: numbers(1),
            share: share.map(numbers))
    }

    /// Lines are one strip with three blanks between them, as long as that fits; else a strip each, or parts of equal length.
    @Test func stripsOfASentence() throws {
        func layout(_ text: String) throws -> RowLayout { try dense(text) { ($0.size, $0.gap) = (20, 0.5) } }
        func lengths(_ text: String) throws -> [Double] { try layout(text).sentence.map(\.length) }
        func m(_ count: Int) -> String { String(repeating: "m", count: count) }
        // Letters of less than 24 pixels are drawn twice as large.
        let longest = try 2 * 0.8 * 400 / cos(layout("m").angle * .pi / 180)
        let (letter, blank) = (
            try (lengths("mmmmmm")[0] - lengths("m")[0]) / 5, try lengths("m     m")[0] - lengths("mm")[0]
        )
        let (both, plain) = (try lengths("mm\nmm"), try lengths("mm   mm"))
        #expect(both.count == 1 && abs(both[0] - plain[0]) < 3)
        let line = m(Int(0.7 * longest / letter))
        #expect(try lengths(line).count == 1 && lengths("\(line)\n\(line)") == lengths(line) + lengths(line))
        let third = Int(2.8 * longest / letter / 3)
        let even = try lengths(m(3 * third))
        #expect(even.count == 3 && Set(even).count == 1, "\(even)")
        let uneven = try lengths(m(3 * third + 1))
        #expect(uneven.count == 3 && uneven[0] == uneven[1] && uneven[2] < uneven[1], "\(uneven)")
        let gap = String(repeating: " ", count: Int(2.7 * longest / blank * 5))
        #expect(try lengths("m\(gap)m").count == 2, "a strip of blanks is none")
    }

    /// The signal of the last cell is that of its chip, whatever number of cells there is.
    @Test(arguments: [(400, 300), (401, 301), (333, 77), (200, 20)]) func theLastCellHasAChip(
        _ width: Int, _ height: Int
    ) throws {
        let side = Double(max(width, height)) / 200
        let cells = Int((Double(width) / side).rounded(.up)) * Int((Double(height) / side).rounded(.up))
        for share in 1...24 as ClosedRange<UInt8> {
            let chips = try numbers(share).bytes(RowLayout.strokeLabel, count: cells / 8 + 1)
            let isSet = chips[(cells - 1) / 8] >> UInt8(7 - (cells - 1) % 8) & 1 == 1
            let signal = try dense("copy", width, height, share: share).numbers(
                x: Double(width) + 2 * side, y: Double(height) + 2 * side)[5]
            #expect(signal == (isSet ? 1 : -1), "\(share)")
        }
    }

    /// A part of the picture has more ink, and the rest has what it has.
    @Test func theFocusHasMoreInk() throws {
        let plain = try dense("copy").map().all
        let more = try dense("copy") { $0.focus = MarkStyle.Focus(x: 20, y: 40, width: 50, height: 30) }.map().all
        let changed = plain.indices.filter { plain[$0] != more[$0] }
        #expect(changed.allSatisfy { plain[$0] < more[$0] })
        let (xs, ys) = (changed.map { $0 % 400 }, changed.map { $0 / 400 })
        // From 80 to 280 across and 120 to 210 down, in blocks of 8.
        #expect((76...100).contains(xs.min() ?? 0) && (260..<284).contains(xs.max() ?? 0))
        #expect((116...135).contains(ys.min() ?? 0) && (195..<214).contains(ys.max() ?? 0))
        #expect(changed.count > 200 * 90 / 10)
    }
}
