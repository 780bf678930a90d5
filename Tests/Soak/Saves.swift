import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Many single saves: what each writes, and in how many segments the manifest stands.
func manySaves(_ kit: SoakRun) throws {
    let fixture = try VaultFixture()
    let count = kit.size(300, 10_000)
    var written: [Int] = []
    var curve: [String] = []
    for number in 1...count {
        fixture.files.forgetCalls()
        try fixture.put(BytePath("f\(number)"), pattern(1024), seed: UInt64(number))
        written.append(fixture.files.calls.filter { $0.operation == "write" }.reduce(0) { $0 + $1.count })
        guard "\(number)".dropFirst().allSatisfy({ $0 == "0" }) else { continue }
        fixture.files.forgetCalls()
        let vault = try fixture.open()
        let read = fixture.files.calls.filter { $0.operation == "read" }.reduce(0) { $0 + $1.count }
        let mean = written.reduce(0, +) / written.count
        curve.append("\(number): \(vault.manifest.segments.count) segments, \(read) bytes to open, \(mean) a save")
        if vault.manifest.segments.count > 20 { kit.violate("\(vault.manifest.segments.count) segments") }
    }
    let mean = written.reduce(0, +) / written.count
    if mean > 20_480 { kit.violate("\(mean) bytes a save") }
    kit.count("saves", count)
    kit.note("mean \(mean), median \(written.sorted()[count / 2]) bytes written a save")
    for line in curve { kit.note("\n    after \(line)") }
    let check = try fixture.verify()
    if !check.findings.isEmpty { kit.violate("\(check.findings)") }
}
