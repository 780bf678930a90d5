import Pictures
import Testing
import Watermark

/// Numbers and words in what text recognition reads, and where they stand.
struct ReadLineTests {
    /// Words of 10 pixels a character and 20 of height, with so many pixels before each.
    private func line(_ words: (gap: Double, text: String)...) -> ReadLine {
        var (line, left) = (ReadLine(), 0.0)
        for word in words {
            left += word.gap
            let width = 10 * Double(word.text.count)
            line.add(word.text, left: left, top: 100, width: width, height: 20)
            left += width
        }
        return line
    }

    private func numbers(_ line: ReadLine) -> [String] { line.numbers.map { text(line, $0) } }
    private func text(_ line: ReadLine, _ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(line.symbols[range].map(\.scalar)))
    }

    @Test func numbersAreLongRowsOfDigits() {
        #expect(numbers(line((0, "11010119900307001X"))) == ["11010119900307001x"])
        #expect(numbers(line((0, "号码:6222"), (20, "0212"), (20, "3456"), (20, "7890"))) == ["6222021234567890"])
        #expect(numbers(line((0, "6222"), (41, "0212"))) == [], "a wide gap parts them")
        #expect(numbers(line((0, "12345678"), (41, "87654321"))) == ["12345678", "87654321"])
        #expect(numbers(line((0, "2026-11-28"))) == [] && numbers(line((0, "28.11.2026"))) == [], "days")
        #expect(numbers(line((0, "1,234,567.00"))) == [] && numbers(line((0, "123456.78"))) == [], "amounts")
        #expect(numbers(line((0, "12345678.90"))) == ["12345678"], "without its decimals")
        #expect(numbers(line((0, "6222-0212-3456-7890"))) == ["6222-0212-3456-7890"])
        #expect(numbers(line((0, "+1"), (9, "(415)"), (9, "555-0132"))) == ["1(415)555-0132"])
        #expect(numbers(line((0, "138.1234.5678"))) == ["138.1234.5678"])
        #expect(numbers(line((0, "SSN"), (9, "123-45-6789"))) == ["123-45-6789"])
        #expect(numbers(line((0, "1234---5678"))) == [])
        #expect(numbers(line((0, "１３８００１３８０００"))) == ["13800138000"], "wide digits are digits")
        #expect(numbers(line((0, "l3800l38OO0"))) == ["l3800l38oo0"], "letters that were digits")
        #expect(numbers(line((0, "oilblossoil"))) == [], "a word is none")
        #expect(numbers(line((0, "E12345678"))) == ["12345678"])
        #expect(numbers(line((0, "1234567"))) == [])
        #expect(numbers(ReadLine()) == [])
    }

    @Test func partsOfNumbers() {
        let number = 3..<21
        #expect(Hiding.Digits.all.range(in: number) == number)
        #expect(Hiding.Digits.last(4).range(in: number) == 17..<21)
        #expect(Hiding.Digits.first(6).range(in: number) == 3..<9)
        #expect(Hiding.Digits.butLast(4).range(in: number) == 3..<17)
        for digits in [Hiding.Digits.last(40), .first(40)] { #expect(digits.range(in: number) == number) }
        #expect(Hiding.Digits.butLast(40).range(in: number).isEmpty)
    }

    /// Signs between groups are no digits; of two numbers that look like one all is hidden.
    @Test func digitsThatAreHidden() {
        func hidden(_ digits: Hiding.Digits, _ line: ReadLine) -> [String] {
            line.numbers.compactMap { line.hidden(digits, of: $0).map { text(line, $0) } }
        }
        let card = line((0, "6222-0212-3456-78-90"))
        #expect(hidden(.last(4), card) == ["78-90"] && hidden(.first(6), card) == ["6222-02"])
        #expect(hidden(.all, card) == ["6222-0212-3456-78-90"] && hidden(.butLast(20), card) == [])
        #expect(hidden(.butLast(4), card) == ["6222-0212-3456"])
        let two = line((0, "6222021234567890"), (20, "13812345678"))
        #expect(hidden(.last(4), two) == ["622202123456789013812345678"])
    }

    /// The end of a span of days belongs to it; only of one amount the decimals stay.
    @Test func spansOfDays() {
        #expect(numbers(line((0, "2020.01.01-2040.01.01"))) == ["2020.01.01-2040.01.01"])
    }

    /// Lines that fall by two degrees are sloped; a line of one word says nothing.
    @Test func lines() {
        func sloped(_ fall: Double, words: Int = 4) -> ReadLine {
            var line = ReadLine()
            for word in 0..<words {
                let left = 120 * Double(word)
                line.add("word", left: left, top: 100 + fall * left, width: 100, height: 20)
            }
            return line
        }
        #expect(!ReadLine.areSloped([]) && !ReadLine.areSloped([sloped(0.3, words: 1)]))
        #expect(!ReadLine.areSloped([sloped(0.02), sloped(-0.02)]))
        #expect(ReadLine.areSloped([sloped(0.05), sloped(-0.05)]))
        #expect(!ReadLine.areSloped([sloped(0), sloped(0.3), sloped(0.01)]), "one line is noise")
        // The box of a word that falls is higher, by its width.
        for (height, isSloped) in [(18.0, false), (24.0, true)] {
            var word = ReadLine()
            word.add("11010119900307001X", left: 0, top: 0, width: 180, height: height)
            #expect(word.isSloped(3..<9) == isSloped)
        }
    }

    /// A Chinese character has twice the width of a digit.
    @Test func charactersOfFullWidth() {
        var line = ReadLine()
        line.add("样张路12", left: 0, top: 0, width: 80, height: 20)
        #expect(line.symbols.map(\.left) == [0, 20, 40, 60, 70] && line.symbols.last?.right == 80)
    }

    @Test func wordsAreFoundWhereverTheyStand() {
        let read = line((0, "住址"), (5, "ＡＢ"), (5, "Road"), (30, "ab"))
        #expect(read.places(of: "ab").map { text(read, $0) } == ["ab", "ab"])
        #expect(read.places(of: "AB road") == [2..<8])
        #expect(read.places(of: "址 a") == [1..<3])
        #expect(read.places(of: "road x") == [] && read.places(of: "  ") == [])
        #expect(line((0, "aaa")).places(of: "aa") == [0..<2, 1..<3])
    }

    /// Half a character more on both sides, an eighth of the height above and below; never beyond the left or upper edge.
    @Test func boxes() {
        let read = line((100, "0123456789"))
        #expect(read.box(6..<10, scale: 1) == PixelBox(left: 155, top: 98, width: 50, height: 25))
        #expect(read.box(6..<10, scale: 2) == PixelBox(left: 310, top: 195, width: 100, height: 50))
        #expect(line((0, "01")).box(0..<1, scale: 1)?.left == 0)
        #expect(read.box(4..<4, scale: 1) == nil)
        // No box reaches beyond what a picture may have: one that did would not be hidden.
        #expect(read.box(0..<10, scale: 290)?.left == 27_550 && read.box(0..<10, scale: 290)?.width == 2450)
    }

    /// Rows of tesseract's table that are no words, or damaged, are left out.
    @Test func tables() {
        let rows = [
            "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext",
            "4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t", "5\t1\t1\t1\t1\t1\t10\t20\t40\t30\t96.5\tab",
            "5\t1\t1\t1\t1\t2\t60\t20\t20\t30\t91\tc", "5\t1\t1\t1\t2\t1\t10\t60\t20\t30\t91\td",
            "5\t1\t1\t1\t2\t2\tx\t60\t20\t30\t91\te", "5\t1\t1\t1\t2\t2\t1\t60\t20\t30\t91",
            "5\t1\t1\t1\t2\t2\t1\t60\t-20\t30\t91\tf", "5\t1\t1\t1\t2\t2\t1\t60\tnan\t30\t91\tg",
        ]
        let lines = DocumentDecoder.lines(inTable: rows.joined(separator: "\n"))
        let texts = lines.map { text($0, $0.symbols.indices) }
        #expect(texts == ["abc", "d"])
        #expect(DocumentDecoder.lines(inTable: "") == [])
    }
}
