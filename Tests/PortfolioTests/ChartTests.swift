import Cards
import Testing
import Values

import Portfolio

/// Values over time, drawn in signs and as a picture.
struct ChartTests {
    private static func chart(_ values: [String], isMoney: Bool = false, hidesValues: Bool = false) -> Chart {
        let points = values.enumerated().map { (time: 7 + Int64($0), value: ExactDecimal($1) ?? .zero) }
        return Chart(
            title: "T<&", points: points, timeText: { "day \($0 - 7)" }, isMoney: isMoney, hidesValues: hidesValues)
    }

    @Test(
        arguments: [
            (["1", "2", "3"], "▁▅█"), (["3", "1"], "█▁"), (["2", "2", "2"], "▄▄▄"), (["1"], ""), ([], ""),
            (["-1", "0", "7"], "▁▂█"), (["0", "2.5", "7"], "▁▃█"),
        ] as [([String], String)])
    func sparklines(_ values: [String], _ bars: String) {
        #expect(Chart.sparkline(values.compactMap { ExactDecimal($0) }) == bars)
    }

    /// Lines are as wide as asked for, the dots rise from the lower left to the upper right, and every third has a label.
    @Test func signs() {
        let lines = Self.chart(["1", "2", "3"]).lines(width: 30, height: 4)
        #expect(lines.count == 5 && lines.allSatisfy { $0.count == 30 })
        #expect(lines[0].hasPrefix("3.0000 ┤") && lines[1].hasPrefix("       ┤") && lines[3].hasPrefix("1.0000 ┤"))
        #expect(lines[0].last != " " && lines[3].dropFirst(8).first != " " && lines[3].last == " ")
        #expect(lines[4].trimmed.hasPrefix("day 0") && lines[4].hasSuffix("day 2"))
        let flat = Self.chart(["5", "5"]).lines(width: 20, height: 3)
        #expect(flat[1].contains("⠤") || flat[1].contains("⠒") || flat[1].contains("⣀"), "\(flat)")
    }

    @Test(arguments: [("1.5", "+1.5"), ("-1.5", "-1.5"), ("0.0", "0.0"), ("-0.0", "0.0")])
    func signsOfFigures(_ value: String, _ text: String) throws {
        #expect(signedText(try #require(ExactDecimal(value))) == text)
    }

    @Test func amountsHaveCommasOrAreHidden() {
        let money = Self.chart(["1234567.5", "1234568.5"], isMoney: true)
        #expect(money.lines(width: 40, height: 1)[0].hasPrefix("1,234,567.50 ┤"))
        let hidden = Self.chart(["1234567.5", "1234568.5"], isMoney: true, hidesValues: true)
        #expect(hidden.lines(width: 40, height: 4)[0].hasPrefix("**** ┤") && !hidden.svg.contains("1,234"))
    }

    /// A chart over given hours begins and ends with them, or with points that lie outside.
    @Test func hoursOfTradeAreTheAxis() throws {
        let half = Chart(
            title: "t", points: [(10, ExactDecimal(1)), (15, ExactDecimal(3))], timeText: { "\($0)" }, axis: 10...20)
        #expect(half.positions(width: 100, height: 1).map(\.x) == [0, 50])
        #expect(half.lines(width: 30, height: 3).last?.trimmed.hasPrefix("10 ") == true)
        #expect(half.lines(width: 30, height: 3).last?.hasSuffix(" 20") == true)
        let beyond = Chart(
            title: "t", points: [(8, ExactDecimal(1)), (28, ExactDecimal(3))], timeText: { "\($0)" }, axis: 10...20)
        #expect(beyond.positions(width: 100, height: 1).map(\.x) == [0, 100])
        for (day, market, open, close) in [
            ("2026-11-27", Market.cn, "2026-11-27T01:30:00Z", "2026-11-27T07:00:00Z"),
            ("2026-11-27", .hk, "2026-11-27T01:30:00Z", "2026-11-27T08:00:00Z"),
            ("2026-11-27", .us, "2026-11-27T14:30:00Z", "2026-11-27T21:00:00Z"),
            ("2026-07-01", .us, "2026-07-01T13:30:00Z", "2026-07-01T20:00:00Z"),
        ] {
            let hours = TradingClock.hours(of: try #require(Day(day)), market: market)
            let texts = [hours.lowerBound, hours.upperBound].map { "\(Timestamp(second: $0).text.prefix(19))Z" }
            #expect(texts == [open, close], "\(day) \(market)")
        }
    }

    /// A whole chart in signs: of five lines the first, the fourth and the last have a label.
    @Test func wholeChart() {
        let lines = Self.chart(["1", "4", "2", "2", "3.5"]).lines(width: 24, height: 5)
        #expect(
            lines == [
                "4.0000 ┤   ⢰⠣⡀         ⢀", "       ┤  ⢠⠃ ⠱⡀       ⡰⠁", "       ┤ ⢀⠇   ⠘⡄    ⢀⠎  ",
                "1.7500 ┤ ⡎     ⠈⠒⠒⠒⠒⠁   ",
                "1.0000 ┤⡜               ", "        day 0      day 4",
            ])
    }

    /// A whole picture: title, five lines with their labels, the values between them, and both times.
    @Test func wholePicture() {
        #expect(
            Self.chart(["1", "3", "2"]).svg == """
                <?xml version="1.0" encoding="UTF-8"?>
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 400" font-family="sans-serif" font-size="13">
                <rect width="800" height="400" fill="white"/>
                <text x="80" y="28" text-anchor="start" fill="black" font-size="17">T&lt;&amp;</text>
                <path d="M80 50h690" stroke="gainsboro"/><text x="72" y="54" text-anchor="end" fill="black">3.0000</text>
                <path d="M80 122.5h690" stroke="gainsboro"/><text x="72" y="126.5" text-anchor="end" fill="black">2.5000</text>
                <path d="M80 195h690" stroke="gainsboro"/><text x="72" y="199" text-anchor="end" fill="black">2.0000</text>
                <path d="M80 267.5h690" stroke="gainsboro"/><text x="72" y="271.5" text-anchor="end" fill="black">1.5000</text>
                <path d="M80 340h690" stroke="gainsboro"/><text x="72" y="344" text-anchor="end" fill="black">1.0000</text>
                <polyline points="80,340 425,50 770,195" fill="none" stroke="seagreen" stroke-width="2" stroke-linejoin="round"/>
                <circle cx="770" cy="195" r="4" fill="seagreen"/>
                <text x="80" y="366" text-anchor="start" fill="black">day 0</text>
                <text x="770" y="366" text-anchor="end" fill="black">day 2</text>
                </svg>

                """)
    }

    @Test func aPicture() {
        let svg = Self.chart(["1", "3"]).svg
        #expect(svg.hasPrefix("<?xml") && svg.hasSuffix("</svg>\n") && svg.contains(">T&lt;&amp;</text>"))
        #expect(svg.contains(#"points="80,340 770,50""#) && svg.contains(#"<circle cx="770" cy="50""#))
        #expect(svg.contains(">3.0000</text>") && svg.contains(">day 0</text>") && svg.contains(">day 1</text>"))
    }
}
