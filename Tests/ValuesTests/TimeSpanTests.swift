import Testing

import Values

struct TimeSpanTests {
    @Test(arguments: [
        ("90", 90_000), ("90s", 90_000), ("500ms", 500), ("0.5s", 500), ("15m", 900_000), ("1.5h", 5_400_000),
        ("2d", 172_800_000), ("4w", 2_419_200_000), ("1y", 31_557_600_000), ("0", 0), ("0.0015s", 1),
    ])
    func lengthsOfTime(_ text: String, _ milliseconds: UInt64) {
        #expect(TimeSpan.milliseconds(text) == milliseconds && TimeSpan.seconds(text) == milliseconds / 1000)
        #expect(TimeSpan.days(text) == Int64(milliseconds / 86_400_000))
    }

    @Test(arguments: ["", "s", "-1s", "+1", "1.", ".5s", "1.5.2s", "1 s", "1S", "١s", "10000001", "1e3", "1dd"])
    func textsThatAreNoLength(_ text: String) { #expect(TimeSpan.milliseconds(text) == nil) }

    @Test(arguments: ["250ms", "90s", "15m", "12h", "24h", "30d", "3650d"])
    func textsAreReadBack(_ text: String) throws {
        #expect(TimeSpan.text(try #require(TimeSpan.milliseconds(text))) == text)
    }
}
