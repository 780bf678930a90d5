import Testing

import Values

struct TimeSpanTests {
    @Test(arguments: [
        ("90", 90_000), ("90s", 90_000), ("500ms", 500), ("0.5s", 500), ("15m", 900_000), ("1.5h", 5_400_000),
        ("2d", 172_800_000), ("4w", 2_419_200_000), ("1y", 31_557_600_000), ("0", 0), ("0.0015s", 1),
        ("30天", 2_592_000_000), ("2周", 1_209_600_000), ("3个月", 7_776_000_000), ("1年", 31_557_600_000),
        ("12小时", 43_200_000), ("1.5分钟", 90_000), ("5日", 432_000_000), ("9秒", 9000),
    ])
    func lengthsOfTime(_ text: String, _ milliseconds: UInt64) {
        #expect(TimeSpan.milliseconds(text) == milliseconds && TimeSpan.seconds(text) == milliseconds / 1000)
        #expect(TimeSpan.days(text) == Int64(milliseconds / 86_400_000))
    }

    @Test(arguments: [
        "", "s", "-1s", "+1", "1.", ".5s", "1.5.2s", "1 s", "1S", "١s", "10000001", "1e3", "1dd", "天", "1月", "1个",
    ])
    func textsThatAreNoLength(_ text: String) { #expect(TimeSpan.milliseconds(text) == nil) }

    @Test(arguments: ["250ms", "90s", "15m", "12h", "24h", "30d", "3650d"])
    func textsAreReadBack(_ text: String) throws {
        #expect(TimeSpan.text(try #require(TimeSpan.milliseconds(text))) == text)
    }
}

/// Sizes as people write them.
struct ByteSizeTests {
    @Test(
        arguments: [
            ("500", 500), ("0", 0), ("2MB", 2_000_000), ("2 mb", 2_000_000), ("1.5GB", 1_500_000_000),
            ("10MiB", 10_485_760),
            ("0.5KiB", 512), ("3k", 3000), ("7b", 7), ("18446744073709551615", .max),
        ] as [(String, UInt64)])
    func sizes(_ text: String, _ bytes: UInt64) { #expect(ByteSize.bytes(text) == bytes) }

    @Test(arguments: [
        "", "MB", "-1", "1.5", "0.3KiB", "1,5MB", "1e3", "2TB", "2  MB", "MB2", "18446744073709551616",
        "99999999999GiB",
        "１MB", ".5MB", "+1",
    ])
    func textsThatAreNoSize(_ text: String) { #expect(ByteSize.bytes(text) == nil) }
}
