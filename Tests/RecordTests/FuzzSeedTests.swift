import Foundation
import FuzzTargets
import Testing

/// The seeds of the fuzzer, with what it found before. An input ends the process where something does not hold.
struct FuzzSeedTests {
    @Test(arguments: FuzzTarget.allCases) func seeds(_ target: FuzzTarget) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = root.appending(path: "fuzz/seeds/\(target.rawValue)")
        // Pictures are made by the run (fuzz/README.md).
        guard ![.jpeg, .png].contains(target) else {
            #expect(!FileManager.default.fileExists(atPath: folder.path))
            return
        }
        let seeds = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!seeds.isEmpty)
        for seed in seeds { try target.run([UInt8](Data(contentsOf: seed))) }
        // Parts of them too, as the fuzzer makes them.
        for seed in seeds.prefix(3) { try target.run([UInt8](Data(contentsOf: seed).dropLast())) }
    }
}
