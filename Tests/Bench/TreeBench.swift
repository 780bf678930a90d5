import Glibc

extension Bench {
    /// Folders as people have them: texts, files that are compressed already, small changes night after night.
    func trees() throws {
        try shell("cp -r /usr/share/doc doc; find doc ! -type f ! -type d -delete")
        let pack = ["pack", "doc", "-o", "doc.qvault"]
        try compare("pack /usr/share/doc", pack, fresh: "doc.qvault")
        if isInstalled("restic") {
            try compare(
                "pack /usr/share/doc", pack, fresh: "doc.qvault", peer: "restic", "\(Self.restic) backup -q doc",
                untimed: Self.newRepository)
            try showSizes("/usr/share/doc", "doc.qvault", "repo")
        }
        try compare("verify it", ["verify", "doc.qvault"])
        // Each content once: without compression a vault shares none.
        try shell(
            "mkdir packed; find doc -name '*.gz' -size +2k -exec md5sum {} + | sort | awk '!seen[$1]++ { print $2 }' "
                + "| while read -r file; do cp \"$file\" packed/$((i += 1)).gz; done")
        try compare(
            "pack files that are .gz", ["pack", "packed", "-o", "p.qvault"], fresh: "p.qvault", peer: "uncompressed",
            "rm -f q.qvault; \(qvault) pack packed -o q.qvault --compression off")
        try shell("rm -rf packed p.qvault q.qvault doc.qvault repo")
        try touched()
        try holes()
        if isInstalled("restic") { try changed() }
        if isInstalled("restic") { try nights() }
        try shell("rm -rf doc")
    }

    private static let restic = "RESTIC_PASSWORD=x XDG_CACHE_HOME=cache restic -r repo"
    private static let newRepository = "rm -rf repo cache; \(restic) init -q"

    /// 10,000 files of which only time and mode are others.
    private func touched() throws {
        try shell(
            "mkdir ten && head -c 10240000 /dev/urandom > bytes && split -b 1024 -d -a 4 bytes ten/f && "
                + "rm -f t.qvault && \(qvault) pack ten -o t.qvault")
        let before = try fileByteCount("t.qvault")
        try shell("touch ten/*; chmod +x ten/*; \(qvault) put -q -f t.qvault ten")
        let after = try fileByteCount("t.qvault")
        show("bytes a file that was touched takes, 10,000 of them: \((after - before) / 10_000)")
        try shell("mv ten renamed; \(qvault) put -q -f t.qvault renamed")
        show("bytes a file that was renamed takes: \((try fileByteCount("t.qvault") - after) / 10_000)")
        try shell("rm -rf renamed bytes t.qvault")
    }

    /// 20 GiB of nothing.
    private func holes() throws {
        try shell("truncate -s 20G holes")
        try compare("pack 20 GiB of holes", ["pack", "holes", "-o", "h.qvault"], fresh: "h.qvault")
        show("bytes that 20 GiB of holes take: \(try fileByteCount("h.qvault"))")
        try compare("unpack them", ["unpack", "h.qvault", "-o", "out"], fresh: "out")
        try shell("rm -rf holes h.qvault out")
    }

    /// A long file of which a little changes: bytes are inserted in the middle, others overwritten, some appended.
    private func changed() throws {
        try shell("mkdir long && head -c 268435456 /dev/urandom > long/file && rm -f l.qvault; \(Self.newRepository)")
        try shell("\(qvault) pack long -o l.qvault; \(Self.restic) backup -q long")
        let before = (try fileByteCount("l.qvault"), try fileByteCount("repo"))
        try shell(
            "(head -c 100000000 long/file; echo inserted; tail -c +100000001 long/file; echo appended) > other; "
                + "mv other long/file; echo overwritten | dd of=long/file bs=1 seek=200000000 conv=notrunc status=none")
        let ours = try run(["env", "-C", folder, qvault, "put", "-q", "-f", "l.qvault", "long"])
        let theirs = try run(["sh", "-c", "cd '\(folder)' && \(Self.restic) backup -q long"])
        show(
            row(
                "256 MiB, changed in 3 places, put", time(ours.seconds), "\(ours.peakKiB / 1024) MiB", "restic",
                time(theirs.seconds), hundredths(ours.seconds / theirs.seconds)))
        let after = (try fileByteCount("l.qvault"), try fileByteCount("repo"))
        show("bytes that the change takes: \(after.0 - before.0), with restic \(after.1 - before.1)")
        try shell("rm -rf long l.qvault repo cache")
    }

    /// Thirty nights: each time a log grows, files are touched, some change, and a folder gets another name.
    private func nights() throws {
        let night = #"""
            seq "$1" "$(($1 + 4000))" | sed 's/$/ something happened on the way to the archive/' >> doc/log
            find doc -type f | sort | awk -v n="$1" 'NR % 31 == n % 31' | head -100 | xargs -d '\n' touch
            find doc -type f -size -50k ! -name '*.gz' | sort | awk -v n="$1" 'NR % 37 == n % 37' | head -30 |
                while read -r file; do echo "night $1" >> "$file"; done
            mv "doc/$(ls doc | sort | sed -n "$((100 + $1))p")" "doc/renamed-$1"
            """#
        try shell("cp -r doc kept; head -c 20000000 /dev/urandom > doc/archive; rm -f n.qvault; \(Self.newRepository)")
        try shell("\(qvault) pack doc -o n.qvault; \(Self.restic) backup -q doc; mkdir far")
        let push = ["env", "-C", folder, qvault, "push", "-q", "far/", "-f", "n.qvault"]
        var (ours, theirs): (Double, Double) = (0, 0)
        var (peak, pushed) = (0, try run(push + ["--create"]).seconds)
        for number in 1...30 {
            try shell(night, String(number))
            let mine = try run(["env", "-C", folder, qvault, "put", "-q", "-f", "n.qvault", "doc"])
            (ours, peak) = (ours + mine.seconds, max(peak, mine.peakKiB))
            pushed += try run(push).seconds
            theirs += try run(["sh", "-c", "cd '\(folder)' && \(Self.restic) backup -q doc"]).seconds
        }
        show(row("30 nights, put", time(ours), "\(peak / 1024) MiB", "restic", time(theirs), hundredths(ours / theirs)))
        try showSizes("30 nights", "n.qvault", "repo")
        // The copy has the same log; each byte of it was sent once.
        show("seconds of 31 pushes to another place: \(hundredths(pushed)); what restic sends is its repository")
        try showSizes("the copy", "far/n.qvault", "repo")
        try shell("cmp -i 131072 n.qvault far/n.qvault")
        try shell("rm -rf doc n.qvault far repo cache && mv kept doc")
    }

    private func showSizes(_ what: String, _ ours: String, _ theirs: String) throws {
        let (a, b) = (try fileByteCount(ours), try fileByteCount(theirs))
        show(
            row(
                "MB of \(what)", hundredths(Double(a) / 1e6), "", "restic", hundredths(Double(b) / 1e6),
                hundredths(Double(a) / Double(b))))
    }

    /// The bytes of a file, or of all files in a folder.
    func fileByteCount(_ path: String) throws -> Int {
        try shell("find '\(path)' -type f -printf '%s\\n' | awk '{ sum += $1 } END { print sum }' > size")
        guard let file = unsafe fopen("\(folder)/size", "r") else { return 0 }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard unsafe fgets(&line, 64, file) != nil else { return 0 }
        return Int(String(decoding: line.prefix { $0 > 32 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)) ?? 0
    }
}
