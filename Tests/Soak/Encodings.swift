import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Cuts the manifests of all sound vectors at every length and changes every byte: each is refused, or it is
/// read and then written again byte for byte. So there is one encoding for one content, and no length is believed.
func mutateEncodings(_ kit: SoakRun) throws {
    let samples = try Sample.all()
    kit.each(samples.count) { index in
        let sample = samples[index]
        func check(_ bytes: [UInt8], _ what: () -> String) {
            kit.count("encodings")
            do {
                if try sample.rewritten(bytes) != bytes {
                    kit.violate("\(sample.name): \(what()) is read, and not canonical")
                }
            } catch is FormatError {} catch { kit.violate("\(sample.name): \(what()): \(error)") }
        }
        check(sample.bytes) { "as it is" }
        for length in sample.bytes.indices { check(Array(sample.bytes[..<length])) { "cut at \(length)" } }
        check(sample.bytes + [0]) { "a byte more" }
        for offset in sample.bytes.indices {
            var bytes = sample.bytes
            for value in stride(from: UInt8(index % kit.size(16, 1)), through: 255 - 15, by: kit.size(16, 1)) {
                bytes[offset] = value
                check(bytes) { "byte \(offset) as \(value)" }
            }
            // The whole row of each type, which tells lengths and kinds apart.
            for lead in [0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x5B, 0x7B, 0x9B, 0xBB, 0xF4, 0xF6, 0xF8, 0xFB, 0xFF]
                as [UInt8]
            {
                bytes[offset] = lead
                check(bytes) { "byte \(offset) as \(lead)" }
            }
        }
    }
}

/// One piece of a manifest in its encoding, and how it is read and written again.
private struct Sample: Sendable {
    let name: String
    let bytes: [UInt8]
    let rewritten: @Sendable ([UInt8]) throws -> [UInt8]

    static func all() throws -> [Sample] {
        var samples: [Sample] = []
        var seen: Set<[UInt8]> = []
        for vector in Vector.all where vector.name.hasPrefix("ok-") && vector.header["master-key"] != nil {
            let files = MemoryFileSystem()
            files.write("v.qvault", vector.file)
            let locked = try LockedVault("v.qvault", in: testEnvironment(files))
            for segment in try locked.open(master: vector.unlock(locked)).manifest.segments
            where segment.head.itemCount < 40 {
                let made = try of(segment, vector.name).filter {
                    $0.bytes.count < 600 && seen.insert($0.bytes).inserted
                }
                samples += made
            }
        }
        return samples
    }

    private static func of(_ segment: Segment, _ name: String) throws -> [Sample] {
        var samples = [Sample(head: segment, name)]
        for part in [SegmentPart.live, .past] { samples += try segment.entries(part).map { Sample($0, part, name) } }
        return samples + (try segment.lines().map { Sample($0, name) })
    }

    private init(head segment: Segment, _ name: String) {
        let link = segment.link
        self.name = "\(name), head"
        bytes = segment.head.bytes
        rewritten = { try SegmentHead(parsing: $0, of: link).bytes }
    }

    private init(_ entry: Entry, _ part: SegmentPart, _ name: String) {
        let chunk = SegmentHead.Chunk(length: 4096, count: 1, digest: .zero, first: entry.id.value)
        let write: @Sendable ([Entry]) -> [UInt8] = { entries in Self.array(entries) { $0.write(to: &$1) } }
        self.name = "\(name), entry"
        bytes = write([entry])
        rewritten = { write(try SegmentChunk.entries($0, part, chunk)) }
    }

    private init(_ line: CommitLine, _ name: String) {
        let chunk = SegmentHead.Chunk(
            length: 4096, count: 1, digest: .zero, first: Bytes16(high: 0, low: line.sequence))
        let write: @Sendable ([CommitLine]) -> [UInt8] = { lines in Self.array(lines) { $0.write(to: &$1) } }
        self.name = "\(name), line"
        bytes = write([line])
        rewritten = { write(try SegmentChunk.lines($0, chunk)) }
    }

    private static func array<Item>(_ items: [Item], _ write: (Item, inout CBORWriter) -> Void) -> [UInt8] {
        var writer = CBORWriter()
        writer.array(items.count)
        for item in items { write(item, &writer) }
        return writer.bytes
    }
}
