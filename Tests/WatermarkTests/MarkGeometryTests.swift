import Foundation
import Testing
import VaultCrypto
import VaultFormat
import VaultRecords
import Watermark

/// The places of marks, against the values of Spec/product/watermark.md.
struct MarkGeometryTests {
    /// The page's values, which a program of its own computed.
    @Test func standsWhereTheSpecSays() throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../Spec/product/watermark.md"),
            encoding: .utf8)
        var values: [String: String] = [:]
        for line in page.split(separator: "\n") {
            let parts = line.components(separatedBy: " = ")
            if parts.count == 2, values[parts[0]] == nil { values[parts[0]] = parts[1] }
        }
        func value(_ name: String) throws -> String { try #require(values[name], "\(name)") }
        let secret = Array<UInt8>(0..<32)
        let seed = WatermarkSeed(try Secret(copying: secret.span))
        let lattice = try seed.latticeKey([UInt8](repeating: 0x11, count: 16))
        let share = try seed.shareKey([UInt8](repeating: 0x22, count: 16))
        #expect(try hexText(lattice) == value("lattice key") && hexText(share) == value("share key"))
        let layout = try MarkLayout(
            width: 1200, height: 800, style: MarkStyle(), lattice: MarkNumbers(key: lattice),
            jitter: MarkNumbers(key: share))
        func text(_ number: Double) -> String { String(format: "%.6f", number) }
        #expect(try text(layout.size) == value("em") && text(layout.angle) == value("angle"))
        #expect(try text(layout.opacity()) == value("opacity"))
        let places = try layout.places(drawing: (420, 330), lineCount: 3, lineWidth: 380)
        #expect(try places.map { "\($0.x),\($0.y)" }.joined(separator: " ") == value("corners"))
    }
}
