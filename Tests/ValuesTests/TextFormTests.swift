import Testing

import Values

/// Values as JSON, and days as a calendar.
struct TextFormTests {
    @Test func membersStandInTheirOrder() {
        let none: String? = nil
        let json: JSON = [
            "b": "ü\n", "a": 1, "none": none, "list": [UInt64.max, 0], "real": 0.5, "no": false,
            "time": Timestamp(microseconds: 1_500_000), "phrase": Phrase("of \(2)"), "object": ["x": JSON.null] as JSON,
        ]
        #expect(
            json.line
                == #"{"b":"ü\n","a":1,"none":null,"list":[18446744073709551615,0],"real":0.5,"no":false,"#
                + #""time":"1970-01-01T00:00:01.5Z","phrase":"of 2","object":{"x":null}}"#)
        #expect(JSON(joining: ["a": 1, "b": none], [:], ["c": 2]).line == #"{"a":1,"b":null,"c":2}"#)
        #expect(JSON(joining: ["a": 1, "b": none], ["c": none]).withoutNulls.line == #"{"a":1}"#)
    }

    @Test func daysAreEventsWhoseIdentityStays() throws {
        var calendar = CalendarText(at: Timestamp(microseconds: 1_767_323_045_250_000))
        calendar.add(try #require(Day("2026-01-31")), id: "ab", part: "valid,until", "Pass;\\\nLi")
        let lines = calendar.text.components(of: "\r\n")
        #expect(
            lines == [
                "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//QuickVault//qvault//EN", "BEGIN:VEVENT",
                #"UID:ab-valid\,until"#, "DTSTAMP:20260102T030405Z", "DTSTART;VALUE=DATE:20260131",
                #"SUMMARY:Pass\;\\\nLi"#, "TRANSP:TRANSPARENT", "END:VEVENT", "END:VCALENDAR", "",
            ])
    }

    /// No line has more than 75 bytes, and no character is cut.
    @Test func longLinesOfACalendarAreFolded() throws {
        var calendar = CalendarText(at: .zero)
        let text = String(repeating: "招商", count: 40)
        calendar.add(try #require(Day("2026-01-31")), id: "ab", part: "x", text)
        #expect(calendar.text.components(of: "\r\n").allSatisfy { $0.utf8.count <= 75 })
        #expect(calendar.text.replacing("\r\n ", with: "").contains("SUMMARY:\(text)\r\n"))
    }
}

extension String {
    fileprivate func components(of separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
