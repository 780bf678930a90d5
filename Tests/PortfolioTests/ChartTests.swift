import Testing
import Values

import Portfolio

/// Values over time, drawn in signs and as a picture.
struct ChartTests {
    private static func chart(_ values: [String], isMoney: Bool = false, hidesValues: Bool = false) -> Chart {
        let points = values.enumerated().map { (time: Int64($0), value: ExactDecimal($1) ?? .zero) }
        return Chart(
            title: "T<&", points: points, timeText: { "day \($0)" }, isMoney: isMoney, hidesValues: hidesValues)
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

    @Test func amountsHaveCommasOrAreHidden() {
        let money = Self.chart(["1234567.5", "1234568.5"], isMoney: true)
        #expect(money.lines(width: 40, height: 1)[0].hasPrefix("1,234,567.50 ┤"))
        let hidden = Self.chart(["1234567.5", "1234568.5"], isMoney: true, hidesValues: true)
        #expect(hidden.lines(width: 40, height: 4)[0].hasPrefix("**** ┤") && !hidden.svg.contains("1,234"))
    }

    @Test func aPicture() {
        let svg = Self.chart(["1", "3"]).svg
        #expect(svg.hasPrefix("<?xml") && svg.hasSuffix("</svg>\n") && svg.contains(">T&lt;&amp;</text>"))
        #expect(svg.contains(#"points="80,340 770,50""#) && svg.contains(#"<circle cx="770" cy="50""#))
        #expect(svg.contains(">3.0000</text>") && svg.contains(">day 0</text>") && svg.contains(">day 1</text>"))
    }
}
