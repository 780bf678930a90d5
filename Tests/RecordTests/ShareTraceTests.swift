import Pictures
import Testing
import VaultFormat
import Cards
import VaultStore
import VaultTesting
import Watermark

/// A leak held against the copies of one picture (Spec/product/watermark.md, 8).
struct ShareTraceTests {
    private func again(_ jpeg: [UInt8]) throws -> [UInt8] {
        try Picture(reading: jpeg, width: 9999, height: 9999).jpeg(quality: 75)
    }

    @Test func aCopyIsFound() throws {
        let scene = try TraceScene(TraceScene.picture(1200, 900))
        let names = Dictionary(
            uniqueKeysWithValues: try scene.fixture.open().shares().map { ($0.id, $0.texts["recipient"] ?? "") })
        for (place, name) in ["one bank", "two bank"].enumerated() {
            guard case .matches(let same, let none) = try scene.trace(scene.copies[place]) else {
                return #expect(Bool(false))
            }
            #expect(
                same.map { names[$0.share.id] } == [name] && same[0].score == nil && same[0].verdict == .found
                    && none == 0)
            guard case .matches(let found, let residual) = try scene.trace(again(scene.copies[place])) else {
                return #expect(Bool(false))
            }
            #expect(
                names[found.first?.share.id ?? scene.attachment] == name && found.first?.verdict == .found
                    && residual <= LeakTrace.residualLimit)
            #expect(found.dropFirst().allSatisfy { $0.verdict != .found })
        }
        guard case .matches(let clean, _) = try scene.trace(again(scene.original)) else { return #expect(Bool(false)) }
        #expect(clean.isEmpty, "the original is none of its copies")
    }

    /// The version that was shared is compared, not the one of today.
    @Test func theOldVersionIsCompared() throws {
        let scene = try TraceScene(TraceScene.picture(1200, 900))
        try scene.fixture.save(seed: 3) { save in
            let entry = try #require(try save.before.entry(scene.attachment))
            try save.put(
                entry.id, kind: entry.kind, parent: entry.parent, overview: entry.overview,
                content: Array("no picture".utf8))
        }
        guard case .matches(let found, _) = try scene.trace(again(scene.copies[0])) else { return #expect(Bool(false)) }
        #expect(found.first?.verdict == .found)
    }

    /// A copy whose note is malformed is named, and no other is held up by it.
    @Test(arguments: [
        ("lattice_key", "00"), ("layout", "newer"), ("hidden", ""), ("hidden", "1 0 0 9"),
        ("hidden", "1 9223372036854775807 0 9 9"),
        ("hidden", "201 0 0 9 9"), ("hidden", "1 0 0 30000 30000"),
    ]) func malformedNotesAreTold(_ key: String, _ value: String) throws {
        let scene = try TraceScene(TraceScene.picture(400, 300))
        let shares = try scene.fixture.open().shares()
        for (number, share) in shares.enumerated() {
            try scene.fixture.save(seed: 10 + UInt64(number)) { save in
                let entry = try #require(try save.before.entry(share.id))
                var fields = try RecordFields(parsing: save.before.content(of: entry, limit: 1 << 16))
                fields.texts[key] = value
                try save.put(
                    entry.id, kind: entry.kind, parent: entry.parent, overview: entry.overview, content: fields.bytes)
            }
        }
        var told: [RecordID] = []
        let outcome = try scene.trace(again(scene.copies[0]), unreadable: { told.append($0.id) })
        if case .matches(let found, _) = outcome { #expect(found.isEmpty) }
        #expect(Set(told) == Set(shares.map(\.id)) && told.count == shares.count)
    }

    @Test func verdicts() {
        #expect([6, 5.99, 4.75, 4.74].map { LeakTrace.Verdict($0) } == [.found, .likely, .likely, .none])
    }
}
