import Testing
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Pushes and pulls between two machines (Spec/replication.md, 4).
struct ReplicaWireTests: ReplicaScene {
    /// What a wire says, when it hears these bytes.
    private final class Ear {
        var heard: [UInt8]
        private(set) var said: [UInt8] = []

        init(_ heard: [UInt8]) { self.heard = heard }

        func wire() -> ReplicaWire {
            var next = 0
            return ReplicaWire(
                read: { [self] buffer in
                    let count = min(buffer.count, heard.count - next)
                    for i in 0..<count { buffer[i] = heard[next + i] }
                    next += count
                    return count
                },
                write: { [self] bytes in for i in bytes.indices { said.append(bytes[i]) } })
        }
    }

    private func message(_ kind: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        var head = [kind]
        head.append(bigEndian: UInt64(bytes.count))
        return head + bytes
    }

    /// What a client says that pushes to the copy.
    private func speech(_ fixture: VaultFixture) throws -> [UInt8] {
        let source = try ReplicaSource(LockedVault(vault, in: fixture.environment))
        let page = try Page(parsing: Array(fixture.files.node(copy)!.content[..<4096]))
        let ear = Ear(message(3, [2] + page.bytes) + message(6, []))
        let wire = ear.wire()
        try wire.open(copy, as: .sends)
        #expect(try wire.send(source, judging: first)?.isWhole == false)
        return ear.said
    }

    private func serve(_ heard: [UInt8], _ fixture: VaultFixture) throws {
        let wire = Ear(heard).wire()
        let (path, role) = try wire.accept()
        guard path == copy, role == .sends else { throw FormatError(.invalid, "another path") }
        _ = try wire.receive(into: ReplicaTarget(path, in: fixture.environment, timeout: .zero))
    }

    @Test func overAWire() throws {
        let fixture = try fixture()
        try push(fixture)
        try fixture.put("4", pattern(3_000_000), seed: 4)
        let said = try speech(fixture)
        try serve(said, fixture)
        #expect(try content(fixture, copy) == content(fixture, vault))
    }

    /// A client that says anything, or breaks off anywhere, leaves the copy as it was.
    @Test func aHostileWire() throws {
        let fixture = try fixture()
        try push(fixture)
        let before = try #require(fixture.files.node(copy)?.content)
        try fixture.put("4", pattern(3000), seed: 4)
        let said = try speech(fixture)
        func isRefused(_ heard: [UInt8]) throws -> Bool {
            do {
                try serve(heard, fixture)
                #expect(try content(fixture, copy) == content(fixture, vault))
                fixture.files.node(copy)?.content = before
                return false
            } catch {
                #expect(fixture.files.node(copy)?.content == before)
                return true
            }
        }
        for end in Array(stride(from: 0, to: said.count - 9, by: 37)) + [said.count - 9, said.count - 1] {
            #expect(try isRefused(Array(said[..<end])), "\(end) bytes")
        }
        var generator = CountingGenerator(seed: 11)
        for _ in 0..<3000 {
            var bytes = said
            let at = Int.random(in: 0..<min(bytes.count, 9000), using: &generator)
            bytes[at] = UInt8.random(in: 0...255, using: &generator)
            _ = try isRefused(bytes)
        }
        // A page of another state, lengths beyond all bounds.
        for length in [UInt64(1 << 20) + 1, 1 << 40, .max] {
            var head: [UInt8] = [2]
            head.append(bigEndian: length)
            #expect(try isRefused(Array(said[..<(8 + 9 + 1 + copy.bytes.count)]) + head))
        }
    }
}
