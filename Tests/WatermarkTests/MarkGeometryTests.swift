import Foundation
import Testing
import VaultCrypto
import VaultFormat
import Watermark

/// The places of marks, against the values of Spec/product/watermark.md.
struct MarkGeometryTests {
    /// The page's values, which a program of its own computed.
    private static func values() throws -> [String: String] {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../Spec/product/watermark.md"),
            encoding: .utf8)
        var values: [String: String] = [:]
        for line in page.split(separator: "\n") {
            let parts = line.components(separatedBy: " = ")
            if parts.count == 2, values[parts[0]] == nil { values[parts[0]] = parts[1] }
        }
        return values
    }

    @Test func sparseMarksStandWhereTheSpecSays() throws {
        let values = try Self.values()
        func value(_ name: String) throws -> String { try #require(values[name], "\(name)") }
        let secret = Array<UInt8>(0..<32)
        let seed = WatermarkSeed(try Secret(copying: secret.span))
        let lattice = try seed.latticeKey([UInt8](repeating: 0x11, count: 16))
        let share = try seed.shareKey([UInt8](repeating: 0x22, count: 16))
        #expect(try hexText(lattice) == value("lattice key") && hexText(share) == value("share key"))
        var style = MarkStyle()
        style.layout = .sparse
        let layout = try SparseLayout(
            width: 1200, height: 800, style: style, lattice: MarkNumbers(key: lattice),
            jitter: MarkNumbers(key: share))
        func text(_ number: Double) -> String { String(format: "%.6f", number) }
        #expect(try text(layout.size) == value("em") && text(layout.angle) == value("angle"))
        #expect(try text(layout.opacity()) == value("opacity"))
        let places = try layout.places(drawing: (420, 330), lineCount: 3, lineWidth: 380)
        #expect(try places.map { "\($0.x),\($0.y)" }.joined(separator: " ") == value("corners"))
    }

    /// HMAC of the label, a zero and the number of the page in four bytes.
    @Test func pagesHaveKeysOfTheirOwn() throws {
        let key = Array<UInt8>(1...32)
        var mac = try HMACSHA256(key: key.span)
        let message = Array("quickvault/1/page".utf8) + [0, 1, 2, 3, 4]
        let tag = try mac.tag(of: message.span)
        #expect(try WatermarkSeed.key(key, ofPage: 0x0102_0304) == tag && WatermarkSeed.key(key, ofPage: nil) == key)
    }

    @Test func denseRowsStandWhereTheSpecSays() throws {
        let values = try Self.values()
        func value(_ name: String) throws -> String { try #require(values[name], "\(name)") }
        let secret = Array<UInt8>(0..<32)
        let seed = WatermarkSeed(try Secret(copying: secret.span))
        let lattice = MarkNumbers(key: try seed.latticeKey([UInt8](repeating: 0x11, count: 16)))
        let share = MarkNumbers(key: try seed.shareKey([UInt8](repeating: 0x22, count: 16)))
        #expect(try hexText(lattice.bytes("quickvault/1/noise", count: 16)) == value("noise"))
        var style = MarkStyle()
        style.layout = .dense
        let layout = try RowLayout(
            MarkText("copy", values: [:]), style, width: 1200, height: 800, lattice: lattice, share: share)
        #expect(try String(format: "%.6f", layout.size) == value("dense em"))
        #expect(try String(format: "%.6f", layout.angle) == value("dense angle"))
        let chips = try share.bytes(RowLayout.strokeLabel, count: 4)
        let signs = (0..<32).map { (cell: Int) -> String in
            let bit: UInt8 = chips[cell / 8] >> UInt8(7 - cell % 8) & 1
            return bit == 1 ? "+" : "-"
        }.joined()
        #expect(try signs == value("chips"))
        for (x, y) in [(0.5, 0.5), (600.5, 400.5), (1199.5, 799.5)] {
            let numbers = layout.numbers(x: x, y: y)
            let wanted = try value("at \(x), \(y)").split(separator: " ").compactMap { Double($0) }
            #expect(wanted.count == 6)
            for (number, other) in zip(numbers, wanted) {
                #expect(abs(number - other) < 0.0002, "\(x), \(y): \(number) \(other)")
            }
        }
    }
}
