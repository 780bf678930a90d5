/// A calendar (RFC 5545) of whole days. The identity of an event stays, so that a calendar that reads it again changes its
/// entries and adds none.
package struct CalendarText {
    private var lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//QuickVault//qvault//EN"]
    private let stamp: String

    /// - Parameter now: when it is made.
    package init(at now: Timestamp) {
        stamp = Timestamp(second: now.seconds).text.filter { $0 != "-" && $0 != ":" }
    }

    /// Adds a day.
    package mutating func add(_ day: Day, id: String, part: String, _ summary: String) {
        lines += [
            "BEGIN:VEVENT", "UID:\(id)-\(Self.escaped(part))", "DTSTAMP:\(stamp)",
            "DTSTART;VALUE=DATE:\(day.text.filter { $0 != "-" })", "SUMMARY:\(Self.escaped(summary))",
            "TRANSP:TRANSPARENT", "END:VEVENT",
        ]
    }

    /// The file.
    package var text: String { (lines + ["END:VCALENDAR"]).map { Self.folded($0) + "\r\n" }.joined() }

    /// Text as a value (RFC 5545, 3.3.11).
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "\\;,".contains(character) { result.append("\\") }
            result += character.isNewline ? "\\n" : String(character)
        }
    }

    /// In lines of at most 75 bytes (RFC 5545, 3.1).
    private static func folded(_ line: String) -> String {
        var (result, count) = ("", 0)
        for scalar in line.unicodeScalars {
            let size = UTF8.width(scalar)
            if count + size > 75 { (result, count) = (result + "\r\n ", 1) }
            result.unicodeScalars.append(scalar)
            count += size
        }
        return result
    }
}
