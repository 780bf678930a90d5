import Testing
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Blocks that were displaced go back to their places (Spec/reader.md, 10.7).
struct RealignmentTests: ParityScene {
    /// Bytes that were lost or added before blocks move those; their parity tells where they belong.
    @Test func displaced() throws {
        let (fixture, whole) = try backup()
        let added = pattern(1000, 9)
        func changed(_ body: (inout [UInt8]) -> Void) -> [UInt8] {
            var bytes = whole
            body(&bytes)
            return bytes
        }
        let cases = [
            changed { $0.removeFirst(40_001) },
            changed { $0.insert(contentsOf: Array("HTTP/1.1 200 OK\n".utf8), at: 0) },
            changed { $0.removeSubrange(300_000..<300_777) },
            changed { $0.insert(contentsOf: added, at: 300_000) },
            changed { $0.removeSubrange(800_000..<800_512) },
            // The parity tells of the last of them only.
            changed { bytes in
                bytes.removeSubrange(500_000..<500_100)
                bytes.insert(contentsOf: added, at: 300_000)
                bytes.removeSubrange(200_000..<203_000)
            },
            // And of none where what was lost is added again.
            changed { bytes in
                bytes.insert(contentsOf: added, at: 500_000)
                bytes.removeSubrange(200_000..<201_000)
            },
            changed { bytes in
                bytes.removeFirst(250_000)
                for at in 300_000..<310_000 { bytes[at] = 0 }
            },
        ]
        for (index, bytes) in cases.enumerated() {
            let (repair, result) = try repair(bytes, fixture)
            #expect(repair.isWhole == (index < 7) && (result == whole) == (index < 7), "case \(index)")
        }
        // Where no page tells which vault it is, a repair in place changes nothing.
        fixture.files.write(copy, cases[0])
        #expect((try? Repair(inPlace: copy, in: fixture.environment))?.isWhole != true)
        #expect(fixture.files.node(copy)?.content == cases[0])
        // What is too damaged becomes less so, and is written.
        let burst = changed { bytes in
            for at in 200_000..<500_000 { bytes[at] ^= 0x5A }
            bytes.insert(contentsOf: added, at: 0)
        }
        let (part, result) = try repair(burst, fixture)
        #expect(part.isWritten && !part.isWhole && result[..<199_680] == whole[..<199_680])
        fixture.files.write(copy, cases[3])
        #expect(try Repair(inPlace: copy, in: fixture.environment).isWhole)
        #expect(fixture.files.node(copy)?.content == whole)
    }

    /// Anybody can append a tail: a file with a page of its own follows no other one.
    @Test func aForeignTailMovesNothing() throws {
        let (fixture, backup) = try backup(20_000)
        let mine = try VaultFixture([("mine", pattern(90_000, 4))], seed: 70)
        var bytes = mine.bytes
        bytes[Int(Layout.logStart) + 5000] ^= 1
        let foreign = try fixture.open(copy).id
        for (number, end) in [backup, Array(backup[700...])].enumerated() {
            mine.files.write("file", bytes + end)
            let repair = try? Repair(inPlace: "file", in: mine.environment)
            #expect(repair?.isWhole != true && mine.files.node("file")?.content == bytes + end)
            let out = BytePath("out\(number)")
            _ = try? Repair("file", to: out, in: mine.environment)
            #expect((try? LockedVault(out, in: mine.environment))?.header.vaultID != foreign)
        }
    }

    /// Blocks that a check without a key proves stay as they are, whatever the parity says of their places.
    @Test func whatIsProvenStays() throws {
        let (fixture, whole) = try backup()
        let tail = try Int(fixture.open(copy).record.core.end) + 4096
        var bytes = whole
        // Most of the parity is lost, and so are bytes near the beginning, which are added again near the end.
        for at in tail + 12_000..<bytes.count { bytes[at] = 0 }
        bytes.insert(contentsOf: pattern(100, 8), at: 700_000)
        bytes.removeSubrange(300_000..<300_100)
        let (_, result) = try repair(bytes, fixture)
        #expect(result[750_000..<tail] == whole[750_000..<tail] && result[..<299_000] == whole[..<299_000])
    }

    /// An overlay that becomes shorter and longer again reads as a file does: nothing that was cut off comes back.
    @Test func anOverlayThatIsCut() throws {
        let files = MemoryFileSystem()
        files.write("base", pattern(9000))
        let base = try files.openFile("base", writing: false)
        let overlay = try OverlayFile(over: base, changes: files.openFolder("").makeFile(replacing: false))
        var model = pattern(9000)
        func put(_ bytes: [UInt8], at place: Int) throws {
            try overlay.writeAll(bytes.span, at: UInt64(place))
            if model.count < place + bytes.count {
                model += [UInt8](repeating: 0, count: place + bytes.count - model.count)
            }
            model.replaceSubrange(place..<place + bytes.count, with: bytes)
        }
        func cut(to length: Int) throws {
            try overlay.truncate(to: UInt64(length))
            model = Array(model.prefix(length)) + [UInt8](repeating: 0, count: max(0, length - model.count))
        }
        try put(pattern(3000, 2), at: 5000)
        try put(pattern(500, 3), at: 12_000)
        try cut(to: 6000)
        try put(pattern(10, 4), at: 7000)
        try cut(to: 11_000)
        try cut(to: 4000)
        try put(pattern(100, 5), at: 8500)
        #expect(try overlay.bytes(at: 0, count: 20_000) == model)
        #expect(overlay.written == [4000..<8600])
    }
}
