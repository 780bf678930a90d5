/// Sizes as people write them.
package enum ByteSize {
    /// The number of bytes in a text such as `500000`, `2MB` or `10MiB`; nil if it is no such size.
    package static func bytes(_ text: String) -> UInt64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let units: [Substring: UInt64] = [
            "": 1, "kB": 1000, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "KiB": 1 << 10, "MiB": 1 << 20,
            "GiB": 1 << 30,
        ]
        guard let number = UInt64(digits), let unit = units[text[digits.endIndex...].drop { $0 == " " }] else {
            return nil
        }
        let (count, isTooLarge) = number.multipliedReportingOverflow(by: unit)
        return isTooLarge ? nil : count
    }
}
