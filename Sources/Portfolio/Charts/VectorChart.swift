import VaultFormat

extension Chart {
    /// The chart as a picture (SVG 1.1) of 800 by 400.
    package var svg: String {
        let labels = labels(5)
        let left = max(80, 20 + 8 * Double(labels.map(\.count).max() ?? 0))
        let (top, width, height) = (50.0, 770 - left, 290.0)
        let places = positions(width: width, height: height)
        let line = places.map { "\(number(left + $0.x)),\(number(top + height - $0.y))" }.joined(separator: " ")
        let lines = labels.enumerated().map { place, label in
            let y = top + height * Double(place) / Double(labels.count - 1)
            return #"<path d="M\#(number(left)) \#(number(y))h\#(number(width))" stroke="gainsboro"/>"#
                + Self.text(label, x: left - 8, y: y + 4, anchor: "end")
        }
        let dot = places.last.map {
            #"<circle cx="\#(number(left + $0.x))" cy="\#(number(top + height - $0.y))" r="4" fill="seagreen"/>"#
        }
        return
            ([
                #"<?xml version="1.0" encoding="UTF-8"?>"#,
                #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 400" font-family="sans-serif" font-size="13">"#,
                #"<rect width="800" height="400" fill="white"/>"#,
                Self.text(title, x: left, y: 28, anchor: "start", size: 17),
            ] + lines + [
                #"<polyline points="\#(line)" fill="none" stroke="seagreen" stroke-width="2" stroke-linejoin="round"/>"#,
                dot ?? "", Self.text(first, x: left, y: top + height + 26, anchor: "start"),
                Self.text(last, x: left + width, y: top + height + 26, anchor: "end"), "</svg>",
            ]).joined(separator: "\n") + "\n"
    }

    private static func text(_ text: String, x: Double, y: Double, anchor: String, size: Int = 13) -> String {
        let size = size == 13 ? "" : #" font-size="\#(size)""#
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        return
            #"<text x="\#(number(x))" y="\#(number(y))" text-anchor="\#(anchor)" fill="black"\#(size)>\#(escaped)</text>"#
    }
}

/// A place in a picture, to a hundredth.
private func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    return hundredths % 100 == 0 ? "\(hundredths / 100)" : "\(Double(hundredths) / 100)"
}
