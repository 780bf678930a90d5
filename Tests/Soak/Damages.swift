import Foundation
import Synchronization
import VaultFormat
import VaultStore
import VaultTesting

/// Backups of seven sizes, damaged in ten ways and repaired without a key. What a repair calls whole is the backup that it was,
/// byte for byte. The share that is repaired is printed with 95 %
/// intervals (Wilson), beside that of par2 with parity of the same length.
///
/// The mix is declared in `DamageMix.shares` and `sizes`.
func damageBackups(_ kit: SoakRun) throws {
    let cases = kit.size(120, 10_000)
    let tally = Mutex(DamageTally())
    for (size, share) in DamageMix.sizes where kit.isFull || size <= 4 << 20 {
        let backup = try ParityBackup(byteCount: size)
        kit.each(max(cases * share / 1000, 1)) { index in
            let mix = DamageMix(backup.bytes, seed: size &+ index)
            let isInside = backup.isInReach(mix.hit)
            let isRepaired = try backup.isRepaired(mix.bytes)
            kit.count("damaged backups")
            if isRepaired == nil {
                kit.violate("\(size) bytes, seed \(size &+ index), \(mix.kind): called whole, and wrong")
            }
            tally.withLock { $0.add(mix.kind, isInside: isInside, isRepaired: isRepaired == true) }
        }
    }
    kit.note("\n" + tally.withLock { $0.text })
    try compareWithPar2(kit)
}

/// One backup in which something is damaged.
private struct DamageMix {
    /// Bytes of a backup, without its parity, and how many of 1,000 cases have that.
    static let sizes = [
        (256 << 10, 300), (1 << 20, 300), (4 << 20, 210), (16 << 20, 150), (64 << 20, 30), (256 << 20, 8), (1 << 30, 2),
    ]

    enum Kind: String, CaseIterable {
        case burst = "a burst of at most 9 %"
        case longBurst = "a burst of 9 to 15 %"
        case bursts = "2 to 8 bursts of at most 8 % together"
        case bytes = "single bytes, at most one in 64 KiB"
        case sectors = "zeroed sectors, at most 1 %"
        case noTail = "at most 8 % missing at the end"
        case noHead = "at most 8 % missing at the beginning"
        case zeroHead = "at most 8 % zero at the beginning"
        case parity = "any part of the parity"
        case shift = "at most 4 KiB lost or added, once to three times"
    }

    /// Of 100 cases.
    static let shares: [(kind: Kind, share: Int)] = [
        (.burst, 20), (.longBurst, 3), (.bursts, 10), (.bytes, 20), (.sectors, 15), (.noTail, 10), (.noHead, 7),
        (.zeroHead, 5), (.parity, 5), (.shift, 5),
    ]

    let kind: Kind
    private(set) var bytes: [UInt8]
    /// What was damaged, in places of the whole file.
    private(set) var hit: [Range<Int>] = []

    init(_ whole: [UInt8], seed: Int) {
        var random = Seeded(seed)
        var number = Int.random(in: 0..<100, using: &random)
        kind =
            Self.shares.first { share in
                number -= share.share
                return number < 0
            }.map(\.kind) ?? .burst
        bytes = whole
        let length = whole.count
        // Small and large ones are as likely.
        func part(_ share: Double) -> Int {
            let most = max(Double(length) * share, 2)
            return Int(exp(Double.random(in: 0...log(most), using: &random)))
        }
        func place(_ count: Int) -> Int { Int.random(in: 0...length - count, using: &random) }
        switch kind {
        case .burst:
            let count = part(0.09)
            garble(at: place(count), count, &random)
        case .longBurst:
            let count = Int(Double(length) * Double.random(in: 0.09...0.15, using: &random))
            garble(at: place(count), count, &random)
        case .bursts:
            let number = Int.random(in: 2...8, using: &random)
            for _ in 0..<number {
                let count = part(0.08 / Double(number))
                garble(at: place(count), count, &random)
            }
        case .bytes:
            for _ in 0..<part(1 / 65_536) { garble(at: place(1), 1, &random) }
        case .sectors:
            let size = Bool.random(using: &random) ? 512 : 4096
            for _ in 0..<max(1, part(0.01) / size) { clear(at: place(size) / size * size, size) }
        case .noTail: cut(length - part(0.08)..<length)
        case .noHead: cut(0..<part(0.08))
        case .zeroHead: clear(at: 0, part(0.08))
        case .parity:
            // The parity is the last eighth, about.
            let tail = length / 8
            let count = Int.random(in: 1...tail, using: &random)
            garble(at: length - tail + Int.random(in: 0...tail - count, using: &random), count, &random)
        case .shift:
            // From the end, so that places stay what they are.
            let places = (0..<Int.random(in: 1...3, using: &random)).map { _ in place(4096) }.sorted(by: >)
            for at in places {
                let count = Int.random(in: 1...4096, using: &random)
                if Bool.random(using: &random) {
                    cut(at..<at + count)
                } else {
                    bytes.insert(contentsOf: (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }, at: at)
                    hit.append(at..<at + 1)
                }
            }
        }
    }

    private mutating func garble(at start: Int, _ count: Int, _ random: inout Seeded) {
        for at in start..<start + count { bytes[at] ^= UInt8.random(in: 1...255, using: &random) }
        hit.append(start..<start + count)
    }

    private mutating func clear(at start: Int, _ count: Int) {
        bytes.replaceSubrange(start..<start + count, with: repeatElement(0, count: count))
        hit.append(start..<start + count)
    }

    private mutating func cut(_ range: Range<Int>) {
        bytes.removeSubrange(range)
        hit.append(range)
    }
}

/// A sound backup with parity of the standard length.
private struct ParityBackup: Sendable {
    private static let copy: BytePath = "b.qvault"
    let bytes: [UInt8]
    private let layout: ParityLayout
    /// Bytes in front of the parity.
    var plainByteCount: Int { layout.range.count }

    /// - Parameter byteCount: about what the backup has without parity.
    init(byteCount: Int) throws {
        var random = Seeded(byteCount)
        func content(_ count: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count + 8)
            while bytes.count < count {
                let word = random.next()
                for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
            }
            return bytes
        }
        let fixture = try VaultFixture([("large", content(byteCount * 3 / 4 - 131_072))])
        for number in UInt64(1)...4 { try fixture.put(BytePath("\(number)"), content(byteCount / 16), seed: number) }
        try fixture.open().backUp(to: Self.copy, parity: Vault.standardParity)
        bytes = fixture.files.node(Self.copy)?.content ?? []
        let tail = try fixture.open(Self.copy).header
        let length = UInt64(bytes.count) - tail.tailLength
        layout = ParityLayout.ofLength(tail.tailLength, length, tag: [UInt8](repeating: 0, count: 12))!
    }

    /// True if no group has lost more blocks than it has parity.
    func isInReach(_ hit: [Range<Int>]) -> Bool {
        var lost: [UInt64: Set<Int>] = [:]
        let (data, parity) = (ParityLayout.dataByteCount, ParityLayout.blockByteCount)
        let groups = Int(layout.groupCount)
        for range in hit where !range.isEmpty {
            let (front, back) = (range.clamped(to: 0..<plainByteCount), range.clamped(to: plainByteCount..<bytes.count))
            if !front.isEmpty {
                for block in front.lowerBound / data...(front.upperBound - 1) / data {
                    lost[UInt64(block % groups), default: []].insert(block)
                }
            }
            if !back.isEmpty {
                let (first, last) = (back.lowerBound - plainByteCount, back.upperBound - 1 - plainByteCount)
                for block in first / parity...last / parity {
                    lost[UInt64(block % groups), default: []].insert(-1 - block)
                }
            }
        }
        return lost.values.allSatisfy { $0.count <= layout.parityCount }
    }

    /// True if the damaged file becomes what it was, false if it stays damaged; nil where it is called whole and is not.
    func isRepaired(_ damaged: [UInt8]) throws -> Bool? {
        let files = MemoryFileSystem()
        let environment = testEnvironment(files)
        files.write(Self.copy, damaged)
        let repair: Repair
        do { repair = try Repair(Self.copy, to: "new.qvault", in: environment) } catch is FormatError {
            // Damage that nothing reads, or nothing to go by.
            return damaged == bytes
        }
        let result = files.node("new.qvault")?.content ?? damaged
        // If nothing is left of a tail, a repair draws a new tag: only the bytes before the parity are compared.
        let hasSameLength = result.count == bytes.count
        let isSame = hasSameLength && result[..<plainByteCount] == bytes[..<plainByteCount]
        return repair.isWhole ? isSame ? true : nil : false
    }
}

/// How many cases of each kind were repaired.
private struct DamageTally {
    private var counts: [DamageMix.Kind: (all: Int, repaired: Int)] = [:]
    private var inside = (all: 0, repaired: 0)

    mutating func add(_ kind: DamageMix.Kind, isInside: Bool, isRepaired: Bool) {
        counts[kind, default: (0, 0)].all += 1
        if isRepaired { counts[kind, default: (0, 0)].repaired += 1 }
        guard isInside else { return }
        inside.all += 1
        if isRepaired { inside.repaired += 1 }
    }

    var text: String {
        let rows = DamageMix.Kind.allCases.compactMap { kind in counts[kind].map { (kind.rawValue, $0) } }
        let all = rows.reduce(into: (all: 0, repaired: 0)) { sum, row in
            sum = (sum.all + row.1.all, sum.repaired + row.1.repaired)
        }
        return (rows + [("within the reach of the parity", inside), ("all", all)])
            .map { "    \($0.0): \(rate($0.1.repaired, of: $0.1.all))" }.joined(separator: "\n")
    }
}

/// "99.2 % (98.9 to 99.4) of 9,000", with the Wilson interval of 95 %.
private func rate(_ number: Int, of all: Int) -> String {
    guard all > 0 else { return "none" }
    let (n, p, z) = (Double(all), Double(number) / Double(all), 1.959964)
    let center = (p + z * z / (2 * n)) / (1 + z * z / n)
    let half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
    func percent(_ value: Double) -> String { String(format: "%.2f", 100 * min(max(value, 0), 1)) }
    return "\(percent(p)) % repaired (\(percent(center - half)) to \(percent(center + half))) of \(all)"
}

/// The same damage to a file and its par2 files, one behind the other, with as much parity in them.
private func compareWithPar2(_ kit: SoakRun) throws {
    let par2 = "/usr/bin/par2"
    guard FileManager.default.isExecutableFile(atPath: par2) else { return kit.note("\n    par2 is not installed") }
    let backup = try ParityBackup(byteCount: 1 << 20)
    let folder = try kit.folder("par2")
    let plain = backup.bytes[..<backup.plainByteCount]
    try Data(plain).write(to: URL(filePath: "\(folder)/backup"))
    let percent = ((backup.bytes.count - plain.count) * 100 + plain.count / 2) / plain.count
    func run(_ words: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: par2)
        (process.arguments, process.currentDirectoryURL) = (words, URL(filePath: folder))
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
    guard try run(["create", "-q", "-q", "-r\(percent)", "parity.par2", "backup"]) == 0 else {
        return kit.violate("par2 made no parity")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let parts = try names.map { [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\($0)"))) }
    let whole = parts.flatMap(\.self)
    var (all, repaired) = (0, 0)
    for seed in 0..<kit.size(5, 500) {
        let mix = DamageMix(whole, seed: seed)
        var rest = mix.bytes[...]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        for (name, part) in zip(names, parts) {
            try Data(rest.prefix(part.count)).write(to: URL(filePath: "\(folder)/\(name)"))
            rest = rest.dropFirst(part.count)
        }
        _ = try run(["repair", "-q", "-q", "parity.par2"])
        all += 1
        if (try? Data(contentsOf: URL(filePath: "\(folder)/backup"))) == Data(plain) { repaired += 1 }
    }
    kit.count("files damaged beside par2", all)
    kit.note("\n    par2, 1 MiB, parity of the same length (\(percent) %): \(rate(repaired, of: all))")
}
