import Glibc

/// The table: every measurement beside its limit and its peers.
struct Bench {
    let qvault: String
    let folder: String
    private let pairs: Int
    private let parts: [String]
    let threads = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    init(command: String, folder: String, pairs: Int, parts: [String]) throws {
        qvault = command
        self.folder = folder
        self.pairs = pairs
        self.parts = parts
        guard pairs >= 1 else { throw CommandFailed(words: ["vault-bench", "PAIRS"], status: 2) }
        try shell("rm -rf '\(folder)' && mkdir -p '\(folder)'")
        unsafe setenv("QVAULT_PASSWORD_COMMAND", "printf %s correct-horse-battery", 1)
        unsafe setenv("XDG_STATE_HOME", "\(folder)/state", 1)
    }

    func runAll() throws {
        defer { try? shell("rm -rf '\(folder)'") }
        print("machine: \(try machine())")
        print("medians of \(pairs) paired runs; ratio = ours / theirs, so less is better\n")
        show(row("what", "ours", "peak", "beside", "theirs", "ratio"))
        for (name, part) in [
            ("big", big), ("small", small), ("trees", trees), ("parity", parity), ("push", push),
            ("fleet", fleet), ("single", single),
            ("records", records),
            ("million", million), ("saves", saves),
            ("copies", copies), ("keys", keys), ("cards", cards), ("daily", daily), ("funds", funds),
            ("household", household), ("pictures", pictures), ("documents", documents), ("traces", traces),
        ]
        where parts.isEmpty || parts.contains(name) { try part() }
    }

    // MARK: Rows

    /// One incompressible file of 1 GiB.
    private func big() throws {
        try shell("head -c 1073741824 /dev/urandom > big")
        let pack = ["pack", "big", "-o", "big.qvault"]
        let unpack = ["unpack", "big.qvault", "-o", "out"]
        try compare("pack 1 GiB", pack, fresh: "big.qvault", raw: .pack)
        try compare("unpack 1 GiB", unpack, fresh: "out", raw: .unpack)
        try compare("verify --keyless 1 GiB", ["verify", "--keyless", "big.qvault"], raw: .verifyKeyless)
        try compare("verify 1 GiB", ["verify", "big.qvault"], raw: .verify)
        try compare(
            "verify --keyless 1 GiB", ["verify", "--keyless", "big.qvault"], peer: "sha256sum", "sha256sum big.qvault")
        if isInstalled("age") {
            try shell("age-keygen -o age.key 2>/dev/null; age-keygen -y age.key > age.pub")
            try compare("pack 1 GiB", pack, fresh: "big.qvault", peer: "age", "age -R age.pub -o big.age big")
            try compare("unpack 1 GiB", unpack, fresh: "out", peer: "age", "age -d -i age.key -o age.out big.age")
        }
        if isInstalled("7z") {
            try compare(
                "pack 1 GiB", pack, fresh: "big.qvault", peer: "7z",
                "rm -f big.7z; 7z a -mx=0 -mhe=on -ppassword big.7z big")
        }
        try shell("rm -rf out big.age age.out big.7z")
    }

    /// 100,000 files of 1 KiB, in folders of 1,000.
    private func small() throws {
        try shell(
            "mkdir many && head -c 102400000 /dev/urandom > bytes && for d in $(seq 100); do mkdir many/$d; "
                + "tail -c +$(((d - 1) * 1024000 + 1)) bytes | head -c 1024000 | split -b 1024 -d -a 3 - many/$d/f; done"
        )
        try compare(
            "pack 100,000 files", ["pack", "many", "-o", "many.qvault"], fresh: "many.qvault", peer: "tar",
            "tar cf many.tar many")
        try compare(
            "unpack 100,000 files", ["unpack", "many.qvault", "-o", "out"], fresh: "out", peer: "tar",
            "rm -rf tarout; mkdir tarout; tar xf many.tar -C tarout", untimed: "rm -rf tarout")
        if isInstalled("rsync") {
            // Both know the folder from before. Files that changed within the last minute are read.
            try shell(
                "sleep 61; cp many.qvault mirror.qvault; rsync -a many/ near/; \(qvault) put --mirror -f mirror.qvault many"
            )
            try compare(
                "put --mirror 100,000 unchanged", ["put", "--mirror", "-f", "mirror.qvault", "many"], peer: "rsync -a",
                "rsync -a many/ near/")
        }
        try shell("rm -rf out tarout near mirror.qvault")
        try shell("head -c 1024 /dev/urandom > one; rm -f empty.qvault; \(qvault) pack one -o empty.qvault")
        try compare(
            "ls 100,000 records", ["ls", "-f", "many.qvault"], peer: "cat of 1 record",
            "\(qvault) cat -f empty.qvault one")
        try compare("verify 100,000 records", ["verify", "many.qvault"])
    }

    /// Things that must not depend on the size of the vault. What they take beyond an empty vault is the point.
    private func single() throws {
        try shell(
            "head -c 1024 /dev/urandom > one; rm -f empty.qvault; \(qvault) pack one -o empty.qvault; "
                + "cp many.qvault m.qvault; cp big.qvault b.qvault"
        )
        let none = "\(qvault) cat -f empty.qvault one"
        // A small file in the middle of a vault of a gigabyte.
        try shell(
            "mkdir half; head -c 536870912 big > half/a; cp one half/b; tail -c 536870912 big > half/c; "
                + "\(qvault) pack half -o half.qvault; rm -r half")
        try compare("cat 1 KiB amid 1 GiB", ["cat", "-f", "half.qvault", "half/b"], peer: "of 1 record", none)
        try shell("yes 'a line of a log' | head -c 10737418240 | \(qvault) pack - --as log -o ten.qvault")
        let part = ["--offset", "7GB", "--count", "1024"]
        try compare("cat 1 KiB amid 10 GiB", ["cat", "-f", "ten.qvault", "log"] + part, peer: "of 1 record", none)
        try compare("cat 1 KiB of 100,000", ["cat", "-f", "many.qvault", "many/50/f500"], peer: "of 1 record", none)
        try comparePut("put 1 KiB into 100,000", into: "m.qvault")
        try comparePut("put 1 KiB into 1 GiB", into: "b.qvault")
        try compare("--version", ["--version"])
    }

    /// A million records of 8 bytes in folders of 1,000, brought by ten saves.
    private func records() throws {
        try shell("head -c 1024 /dev/urandom > one; rm -f empty.qvault; \(qvault) pack one -o empty.qvault")
        _ = try run([CommandLine.arguments[0], "make-records", "1000000", "10", "\(folder)/records.qvault"])
        let none = "\(qvault) cat -f empty.qvault one"
        let file = ["-f", "records.qvault"]
        try compare("cat 1 of 10^6", ["cat"] + file + ["d500/f500500"], peer: "of 1 record", none)
        try comparePut("put 1 into 10^6", into: "records.qvault")
        try compare("ls a folder of 10^6", ["ls"] + file + ["d500"], peer: "cat of 1 record", none)
        try compare(
            "mv a folder of 10^6", ["mv"] + file + ["d500", "e"],
            before: "\(qvault) mv -f records.qvault e d500 2> said || grep -q 'no record' said",
            peer: "mv of 1 record", "\(qvault) mv -f mv.qvault one two",
            untimed: "rm -f mv.qvault; \(qvault) pack one -o mv.qvault")
        try compare("ls of 10^6", ["ls"] + file, peer: "cat of 1 record", none)
        try compare("verify of 10^6", ["verify", "records.qvault"], peer: "cat of 1 record", none)
        let copy = "rm -rf state c.qvault && cp records.qvault c.qvault"
        let cp = "cp records.qvault x && rm x"
        try compare(
            "backup of 10^6", ["backup", "records.qvault", "-o", "k.qvault", "--parity", "0%"], fresh: "k.qvault",
            peer: "cp", cp)
        try compare("compact of 10^6", ["compact", "c.qvault"], before: copy, peer: "cp", cp)
        try shell(
            "\(copy) && mkdir -p d500 && for i in $(seq 500000 500999); do echo changed > d500/f$i; done && "
                + "\(qvault) put -f c.qvault d500 -q && mv c.qvault other.qvault")
        try compare("merge 1,000 into 10^6", ["merge", "-f", "c.qvault", "other.qvault"], before: copy, peer: "cp", cp)
        try shell("rm -rf state records.qvault c.qvault other.qvault k.qvault d500")
        _ = try run([CommandLine.arguments[0], "make-versions", "20000", "24", "\(folder)/versions.qvault"])
        try compare("verify 20,000 saved 24 times", ["verify", "versions.qvault"], peer: "cat of 1 record", none)
        try shell("rm -f versions.qvault")
    }

    /// A million files of 8 bytes.
    private func million() throws {
        try shell(
            "head -c 8000 /dev/urandom > bytes && mkdir million && for d in $(seq 1000); do mkdir million/$d && "
                + "split -b 8 -d -a 3 bytes million/$d/f; done")
        try compare(
            "pack 10^6 files", ["pack", "million", "-o", "million.qvault"], fresh: "million.qvault", peer: "tar",
            "tar cf million.tar million")
        let size = try Saves.byteCount(of: "\(folder)/million.qvault")
        show("bytes a file of 8 bytes takes in a vault of 10^6: \(size / 1_000_000 - 8) beyond its content")
        try shell("rm -rf million million.tar million.qvault")
    }

    /// The bytes that each of 10,000 saves of one small file leaves.
    private func saves() throws {
        try shell("head -c 1024 /dev/urandom > one; rm -f empty.qvault; \(qvault) pack one -o empty.qvault")
        let written = try Saves.make(10_000, of: 1024, in: "\(folder)/saves.qvault").sorted()
        let mean = written.reduce(0, +) / written.count
        show(
            "bytes a save of 1 KiB writes, 10,000 of them: median \(written[written.count / 2]), mean \(mean), "
                + "largest (it merges segments) \(written[written.count - 1])")
        let none = "\(qvault) cat -f empty.qvault one"
        try compare("ls after 10,000 saves", ["ls", "-f", "saves.qvault"], peer: "cat of 1 record", none)
        try compare("history of 10,000 saves", ["history", "-f", "saves.qvault"], peer: "cat of 1 record", none)
        try compare("cat after 10,000 saves", ["cat", "-f", "saves.qvault", "f5000"], peer: "cat of 1 record", none)
    }

    /// Rewriting, copying, salvaging and merging.
    private func copies() throws {
        try shell("test -f big.qvault || { head -c 1073741824 /dev/urandom > big; \(qvault) pack big -o big.qvault; }")
        let pack = "rm -f p.qvault; \(qvault) pack big -o p.qvault"
        try compare("compact 1 GiB", ["compact", "big.qvault"], peer: "pack", pack)
        let backup = ["backup", "big.qvault", "-o", "k.qvault", "--parity", "0%"]
        try compare("backup 1 GiB", backup, fresh: "k.qvault", peer: "pack", pack)
        try compare(
            "restore 1 GiB", ["restore", "k.qvault", "-f", "r.qvault"], fresh: "r.qvault", peer: "pack", pack)
        try shell(
            "rm -f p.qvault r.qvault k.qvault; mv big.qvault w.qvault; rm -rf state; "
                + "for page in 0 16; do dd if=/dev/zero of=w.qvault bs=4096 seek=$page count=1 conv=notrunc; done")
        try compare("salvage 1 GiB", ["salvage", "w.qvault", "-o", "s.qvault"], fresh: "s.qvault")
        try shell(
            "rm -f big w.qvault s.qvault; mkdir ten && head -c 10240000 /dev/urandom > bytes && "
                + "split -b 1024 -d -a 4 bytes ten/f; \(qvault) pack ten -o v0.qvault; cp v0.qvault w.qvault; "
                + "for f in ten/f00*; do echo here >> $f; done; \(qvault) put -f v0.qvault ten; rm -rf state; "
                + "for f in ten/f01*; do echo there >> $f; done; \(qvault) put -f w.qvault ten; rm -rf state")
        try compare(
            "merge 100 + 200 of 10,000", ["merge", "-f", "v.qvault", "w.qvault"], fresh: "state",
            before: "cp v0.qvault v.qvault", peer: "cat of 1 record",
            "XDG_STATE_HOME=/nonexistent \(qvault) cat -f v0.qvault ten/f0500")
    }

    // MARK: Measuring

    private func compare(_ what: String, _ words: [String], fresh: String? = nil, raw: RawLoop.Job) throws {
        if raw != .pack, unsafe access("\(folder)/raw.sealed", F_OK) != 0 {
            _ = try self.raw(.pack, countsAllocation: false)
        }
        try measure(what, words, fresh, "true", "raw, \(threads) cores") { try self.raw(raw, countsAllocation: false) }
        guard raw == .pack || raw == .unpack else { return }
        try measure(what, words, fresh, "true", "raw, new file") { try self.raw(raw, countsAllocation: true) }
        try shell("rm -f raw.plain")
    }

    private func raw(_ job: RawLoop.Job, countsAllocation: Bool) throws -> Double {
        let (source, target) = job == .pack ? ("big", "raw.sealed") : ("raw.sealed", "raw.plain")
        return try RawLoop.seconds(
            job, source: "\(folder)/\(source)", target: "\(folder)/\(target)", threads: threads,
            countsAllocation: countsAllocation)
    }

    func compare(
        _ what: String, _ words: [String], fresh: String? = nil, before: String = "true", peer: String,
        _ script: String, untimed: String = "true"
    ) throws {
        try measure(what, words, fresh, before, peer) {
            try shell(untimed)
            return try run(["sh", "-c", "cd '\(folder)' && \(script)"]).seconds
        }
    }

    /// A save of new content into a vault, beside the same into one with a single record.
    private func comparePut(_ what: String, into vault: String) throws {
        let change = "head -c 1024 /dev/urandom > one"
        try compare(
            what, ["put", "-f", vault, "one"], before: change, peer: "into 1 record",
            "\(qvault) put -f empty.qvault one", untimed: change)
    }

    /// Beside something that this program does itself.
    func compare(_ what: String, _ words: [String], beside: String, _ theirs: () throws -> Double) throws {
        try measure(what, words, nil, "true", beside, theirs)
    }

    func compare(_ what: String, _ words: [String], fresh: String? = nil) throws {
        let runs = try (0...pairs).map { _ in try ours(words, fresh) }.dropFirst()
        show(row(what, time(median(runs.map(\.seconds))), memory(Array(runs)), "", "", ""))
    }

    private func measure(
        _ what: String, _ words: [String], _ fresh: String?, _ before: String, _ beside: String,
        _ theirs: () throws -> Double
    ) throws {
        var (mine, other): ([Run], [Double]) = ([], [])
        for pair in 0...pairs {
            let (a, b) = (try ours(words, fresh, before), try theirs())
            if pair > 0 {
                mine.append(a)
                other.append(b)
            }
        }
        let ratio = median(zip(mine, other).map { $0.seconds / $1 })
        show(
            row(what, time(median(mine.map(\.seconds))), memory(mine), beside, time(median(other)), hundredths(ratio)))
    }

    private func ours(_ words: [String], _ fresh: String?, _ before: String = "true") throws -> Run {
        if let fresh { try shell("rm -rf '\(fresh)'") }
        try shell(before)
        return try run(["env", "-C", folder, qvault] + words)
    }

    func shell(_ script: String, _ words: String...) throws {
        _ = try run(["sh", "-c", "cd '\(folder)' 2>/dev/null; \(script)", "sh"] + words)
    }

    // MARK: Text

    /// A row when it is known, also into a file.
    func show(_ row: String) {
        print(row)
        fflush(nil)
    }

    private func machine() throws -> String {
        let path = "\(folder)/machine"
        try shell(
            "(lscpu | sed -n 's/^Model name: *//p'; nproc; uname -sr; df --output=fstype . | tail -1) | paste -sd, > machine"
        )
        guard let file = unsafe fopen(path, "r") else { return "unknown" }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard unsafe fgets(&line, 256, file) != nil else { return "unknown" }
        return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func row(_ cells: String...) -> String {
        zip(cells, [24, 10, 10, 16, 10, 6]).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }.joined(
            separator: "  ")
    }

    func hundredths(_ value: Double) -> String {
        let rounded = Int((value * 100).rounded())
        return "\(rounded / 100).\(rounded % 100 < 10 ? "0" : "")\(rounded % 100)"
    }

    func time(_ seconds: Double) -> String {
        seconds < 1 ? "\(Int((seconds * 1000).rounded())) ms" : "\(hundredths(seconds)) s"
    }

    private func memory(_ runs: [Run]) -> String { "\((runs.map(\.peakKiB).max() ?? 0) / 1024) MiB" }
}
