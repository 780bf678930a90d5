import Testing
import VaultCrypto
import Pictures
import Watermark

/// The layouts that keep a page legible: slots that keep their ink, letters that are crossed, sentences that are whole.
struct CalmRowTests {
    private func seed() throws -> WatermarkSeed {
        let bytes = [UInt8](repeating: 9, count: 32)
        return WatermarkSeed(try Secret(copying: bytes.span))
    }

    private func layout(
        _ kind: MarkStyle.Layout, _ width: Int, _ height: Int, for recipient: String, hidesVariables: Bool = false
    ) throws -> RowLayout {
        var style = MarkStyle()
        style.layout = kind
        let text = try MarkText(
            "仅供{recipient}{purpose}使用，他用无效", values: ["recipient": recipient, "purpose": "开户"])
        return try RowLayout(
            text, style, width: width, height: height,
            lattice: MarkNumbers(key: seed().latticeKey([UInt8](repeating: 1, count: 16))), share: nil,
            hidesVariables: hidesVariables)
    }

    private func mark(_ picture: [UInt8], _ text: String, _ kind: MarkStyle.Layout) throws -> (
        marked: Watermark.Marked, lightness: [Int]
    ) {
        var style = MarkStyle()
        (style.layout, style.isTracedAllOver) = (kind, false)
        let copy = PictureInMemory()
        let marked = try Watermark.mark(
            picture, MarkText(text, values: [:]), style, seed: seed(), original: [UInt8](repeating: 1, count: 16),
            share: [UInt8](repeating: 2, count: 16), into: copy)
        let pixels = try Picture(reading: copy.bytes, width: 9999, height: 9999).pixels
        return (marked, stride(from: 0, to: pixels.count, by: 3).map { Int(pixels[$0]) })
    }

    /// A JPEG of gray values, but for a little noise.
    private func gray(_ width: Int, _ height: Int, _ value: (Int, Int) -> UInt8) throws -> [UInt8] {
        let pixels = (0..<height).flatMap { y in (0..<width).map { x in value(x, y) } }
        return try Picture(width: width, height: height, pixels: pixels.flatMap { [$0, $0, $0] }).jpeg(quality: 98)
    }

    /// The lighter pixel of up to 11 copies for others leaves most of the ink in the slots of names; the median too.
    @Test(arguments: [MarkStyle.Layout.clear, .strong, .light]) func slotsKeepTheirInk(_ kind: MarkStyle.Layout) throws
    {
        let names = ["招商银行", "建设银行", "王女士", "某某公司", "李四", "学校", "房东张", "中介", "签证处", "工商银行", "物业公司"]
        let maps = try names.map { try layout(kind, 600, 420, for: $0).map().rows }
        let bars = try layout(kind, 600, 420, for: names[0], hidesVariables: true).map().rows
        let most = try layout(kind, 600, 420, for: names[0]).map().rows.max() ?? 0
        // Slots are the pixels that differ from copy to copy, and the bars around them.
        let slots = bars.indices.filter { place in
            maps.contains { $0[place] != bars[place] } || (bars[place] > 0 && bars[place] < most / 2)
        }
        #expect(slots.count > 4000)
        for count in [2, 5, 11] {
            let chosen = maps.prefix(count)
            let usual = slots.map { place in chosen.reduce(0.0) { $0 + Double($1[place]) } / Double(count) }.reduce(
                0, +)
            let lightest = slots.map { place in Double(chosen.map { $0[place] }.min() ?? 0) }.reduce(0, +)
            let median = slots.map { place in Double(chosen.map { $0[place] }.sorted()[count / 2]) }.reduce(0, +)
            #expect(
                lightest > 0.6 * usual && median > 0.6 * usual,
                "\(kind) \(count): \(lightest / usual) \(median / usual)")
        }
    }

    /// Each of a thousand thin strokes, as digits have them, is changed: black ones become lighter.
    @Test(arguments: [(827, 1170, 3, 12), (1000, 630, 3, 25)]) func lettersAreCrossed(
        _ width: Int, _ height: Int, _ thick: Int, _ high: Int
    ) throws {
        let (across, down) = (40, 2 * high)
        let picture = try gray(width, height) { x, y in x % across < thick && y % down < high ? 25 : 252 }
        let after = try mark(picture, "仅供测试使用", .clear).lightness
        var (all, crossed) = (0, 0)
        for top in stride(from: 0, to: height - high, by: down) {
            for left in stride(from: 0, to: width - thick, by: across) {
                all += 1
                let changed = (top..<top + high).flatMap { y in (left..<left + thick).map { after[y * width + $0] } }
                crossed += changed.count { $0 > 60 } >= 2 ? 1 : 0
            }
        }
        #expect(all > 300 && crossed == all, "\(crossed) of \(all)")
    }

    /// On stripes of middle grays ink is dark everywhere, or light, but does not change from letter to letter.
    @Test func inkDoesNotFlip() throws {
        let picture = try gray(800, 600) { x, _ in x / 50 % 2 == 0 ? 108 : 138 }
        for (kind, isSteady) in [(MarkStyle.Layout.clear, true), (.dense, false)] {
            let after = try mark(picture, "仅供测试使用", kind).lightness
            let changes = after.indices.map { after[$0] - ($0 % 800 / 50 % 2 == 0 ? 108 : 138) }
            let (darker, lighter) = (changes.count { $0 < -8 }, changes.count { $0 > 8 })
            #expect(
                (Double(min(darker, lighter)) < 0.02 * Double(max(darker, lighter))) == isSteady, "\(darker) \(lighter)"
            )
        }
    }

    /// A line that is too long for the picture is cut between words, and what is said about the copy tells it.
    @Test func wordsAreNotCut() throws {
        #expect(
            MarkText.wrapped("For the internal use of Example Ltd", 3) == [
                "For the ", "internal ", "use of ", "Example Ltd",
            ])
        #expect(MarkText.wrapped("仅供招商银行开户使用，他用无效", 2) == ["仅供招商银行开户", "使用，他用无效"])
        #expect(MarkText.wrapped("Internationalisation", 2) == ["Internatio", "nalisation"])
        #expect(MarkText.wrapped("   ", 2).joined() == "   " && MarkText.wrapped("", 2) == [])
        let line = "Only for the opening of an account at the Bank of Nowhere, void for all else"
        for count in 1...9 { #expect(MarkText.wrapped(line, count).joined() == line) }
        let page = try gray(800, 1100) { _, _ in 255 }
        let english = try mark(
            page, "for Sample Property Management Ltd lease application only, void for any other use", .clear
        ).marked
        #expect(try #require(english.wholeRows) > 2 && english.size < 25 && english.size > 14)
        let short = try mark(page, "仅供测试使用", .clear).marked, long = try mark(page, line + line, .clear).marked
        #expect(try #require(short.wholeRows) > 2 && short.isReadWhenSmall == true)
        #expect(long.wholeRows == 0 && long.isReadWhenSmall == false)
        #expect(try mark(page, "仅供测试使用", .sparse).marked.isReadWhenSmall == nil)
    }

    /// On a picture that is much wider than high rows lie flat and letters are larger, so that sentences fit.
    @Test func panoramas() throws {
        let wide = try gray(4000, 400) { _, _ in 255 }
        let marked = try mark(wide, "仅供测试使用", .clear).marked
        #expect(try #require(marked.wholeRows) > 0 && marked.isReadWhenSmall == true && marked.size > 30)
    }
}
