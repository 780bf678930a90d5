import Testing
import VaultFormat

import Cards

struct SeriesTests {
    private func point(_ time: UInt64, _ values: String...) -> Series.Point { .init(time: time, values: values) }

    @Test func comeBackFromTheirBytes() throws {
        var series = Series()
        for day: UInt64 in [20_781, 20_779, 20_780] { series.set("110011", point(day, "2.50\(day % 10)", "eastmoney")) }
        series.set("6", point(1, ""))
        #expect(series["110011"].map(\.time) == [20_779, 20_780, 20_781])
        let read = try Series(parsing: series.bytes)
        #expect(read == series && read.bytes == series.bytes)
        // A day more costs its value and three bytes.
        let before = series.bytes.count
        series.set("110011", point(20_782, "2.5060", "eastmoney"))
        #expect(series.bytes.count - before == 10)
    }

    @Test func keepOneValueForATime() {
        var series = Series()
        #expect(series.set("a", point(5, "1")) == .added && series.set("a", point(5, "1")) == .none)
        #expect(series.set("a", point(5, "2")) == .replaced)
        #expect(series["a"] == [point(5, "2")])
        series.set("a", point(9, "3"))
        series.removePoints(before: 6)
        #expect(series["a"] == [point(9, "3")])
        series.removePoints(before: 10)
        #expect(series.points.isEmpty)
    }

    @Test func areJoinedInEitherOrder() throws {
        var (mine, theirs) = (Series(), Series())
        for time: UInt64 in 1...4 { mine.set("a", point(time, "\(time)")) }
        for time: UInt64 in 3...6 { theirs.set("a", point(time, time == 4 ? "other" : "\(time)")) }
        theirs.set("b", point(1, "x"))
        let both = mine.union(theirs)
        #expect(both == theirs.union(mine) && both == both.union(mine))
        #expect(both["a"].map(\.time) == [1, 2, 3, 4, 4, 5, 6] && both["b"] == [point(1, "x")])
        #expect(both.conflicts.map(\.time) == [4] && both.conflicts.map(\.key) == ["a"])
        var settled = try Series(parsing: both.bytes)
        #expect(settled == both)
        settled.set("a", point(4, "third"))
        #expect(settled.conflicts.isEmpty && settled["a"].count == 6)
    }

    @Test(
        arguments: [
            [0xA1, 0x61, 0x61, 0x80],  // a key without points
            [0xA1, 0x61, 0x61, 0x81, 0x81, 0x01],  // a point without values
            [0xA1, 0x61, 0x61, 0x81, 0x82, 0x01, 0xF6],  // null without a point before
            [0xA1, 0x61, 0x61, 0x82, 0x82, 0x01, 0x61, 0x31, 0x82, 0x00, 0xF6],  // one point twice
            [0xA1, 0x61, 0x61, 0x82, 0x82, 0x01, 0x61, 0x32, 0x82, 0x00, 0x61, 0x31],  // values not sorted
            [0xA2, 0x61, 0x62, 0x81, 0x82, 0x01, 0x60, 0x61, 0x61, 0x81, 0x82, 0x01, 0x60],  // keys not sorted
            [0xA2, 0x61, 0x61, 0x81, 0x82, 0x01, 0x60, 0x61, 0x61, 0x81, 0x82, 0x01, 0x60],  // a key twice
            [0xA0, 0x00], [0x80], [],
            [
                0xA1, 0x61, 0x61, 0x82, 0x82, 0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x60, 0x82, 0x01,
                0x60,
            ],  // a time beyond 64 bits
            [0xA1, 0x61, 0x61, 0x81, 0x82, 0x1B, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x60],  // 2^53 + 1
        ] as [[UInt8]])
    func malformedOnes(_ bytes: [UInt8]) {
        #expect(throws: FormatError.self) { try Series(parsing: bytes) }
    }
}
