import Foundation
import Testing
import VaultCrypto
import VaultFormat
import Watermark

/// Codes of strips, and the cells in them (Spec/product/strip.md, 2 and 3).
struct CopyStatementTests {
    private static func vectors(_ name: String) throws -> [[String: Any]] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../TestVectors/strip")
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    /// Every code is read as its vector says.
    @Test func codesAreReadAsTheVectorsSay() throws {
        let vectors = try Self.vectors("codes.jsonl")
        #expect(vectors.count >= 60)
        for vector in vectors {
            let name = vector["name"] as? String ?? "?"
            let text = try #require(vector["text"] as? String)
            let says = vector["says"] as? [String: Any]
            let found: CopyStatement.Signed?
            do { found = try CopyStatement.read(Array(text.utf8)) } catch {
                #expect(says?["signature"] as? String == error.rawValue, "\(name): \(error)")
                continue
            }
            guard let found else {
                #expect(says == nil, "\(name)")
                continue
            }
            let wanted = try #require(says)
            let facts = found.statement
            #expect(wanted["signature"] as? String == "right", "\(name)")
            #expect(wanted["public_key"] as? String == hexText(found.publicKey), "\(name)")
            #expect(wanted["share"] as? String == hexText(facts.share), "\(name)")
            #expect(wanted["recipient"] as? String == facts.recipient, "\(name)")
            #expect(wanted["purpose"] as? String == facts.purpose, "\(name)")
            #expect(wanted["day"] as? String == facts.day && wanted["until"] as? String == facts.until, "\(name)")
            #expect(wanted["page"] as? [Int] == facts.page.map { [$0.number, $0.count] }, "\(name)")
            let places = facts.geometry
            #expect(
                wanted["places"] as? [Int] == places.numbers,
                "\(name)")
            #expect(wanted["columns"] as? Int == facts.digest.columns, "\(name)")
            #expect(wanted["rows"] as? Int == facts.digest.rows, "\(name)")
        }
    }

    /// Cells are those of the vectors, and come back from what is packed.
    @Test func cellsAreThoseOfTheVectors() throws {
        for vector in try Self.vectors("digests.jsonl") {
            func number(_ key: String) throws -> Int { try #require(vector[key] as? Int) }
            let bytes = try #require(hexBytes(vector["raster"] as? String ?? ""))
            let picture = try #require(vector["picture"] as? [Int])
            let raster = PictureDigest.Raster(
                width: try number("width"), height: try number("height"), bytes: bytes, of: (picture[0], picture[1]))
            let digest = PictureDigest(raster, cellCount: try number("cells"))
            let numbers = try ["columns", "rows", "low", "step"].map(number)
            #expect([digest.columns, digest.rows, digest.low, digest.step] == numbers)
            #expect(digest.levels.map { String($0, radix: 16) }.joined() == vector["levels"] as? String)
            let again = PictureDigest(
                columns: digest.columns, rows: digest.rows, low: digest.low, step: digest.step, packed: digest.packed)
            #expect(again == digest)
        }
    }

    /// A signature is over everything: no byte of a signed statement can be another.
    @Test func noByteCanBeAnother() throws {
        let key = try WatermarkSeed(Secret(byteCount: WatermarkSeed.byteCount) { $0[0] = 7 }).markKey()
        let statement = CopyStatement(
            share: [UInt8](repeating: 9, count: 16), recipient: "银行", purpose: nil, day: "2026-11-28", until: nil,
            page: .init(number: 3, count: 4),
            geometry: try #require(StripGeometry([1600, 1000, 1090, 1030, 6])),
            digest: PictureDigest(columns: 60, rows: 1, low: 3, step: 5, levels: [UInt8](repeating: 15, count: 60)))
        let text = Array(try statement.text(signedBy: key).utf8)
        let read = try CopyStatement.read(text)
        #expect(read?.statement == statement && read?.publicKey == key.publicKey)
        for place in 4..<text.count {
            var other = text
            other[place] = other[place] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            #expect(throws: CopyStatement.Problem.self) { _ = try CopyStatement.read(other) }
        }
    }
}

private func hexBytes(_ text: String) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
