import Foundation

extension Bench {
    /// A copy that grows with a vault of 1 GiB, beside a program that compares files.
    func push() throws {
        try shell(
            "rm -rf v.qvault near && mkdir near && head -c 1073741824 /dev/urandom > bytes && \(qvault) pack bytes -o v.qvault && rm bytes"
        )
        let words = ["push", "near/", "-f", "v.qvault"]
        try compare(
            "push of 1 GiB, the first", words + ["--create"], fresh: "near/v.qvault", peer: "cp",
            "rm -f c.qvault; cp v.qvault c.qvault")
        try shell("rm -f c.qvault")
        let change = "head -c 1024 /dev/urandom > one; \(qvault) put -f v.qvault one"
        if isInstalled("rsync") {
            try shell("rsync -t v.qvault far.qvault")
            try compare(
                "push after a small save", words, before: change, peer: "rsync", "rsync -t v.qvault far.qvault",
                untimed: change)
        } else {
            try compare("push after a small save", words)
        }
        try shell("\(change); \(qvault) push near/ -f v.qvault --json > said")
        let said = try String(contentsOfFile: "\(folder)/said", encoding: .utf8)
        let bytes = said.split(separator: ",").first { $0.hasPrefix("\"bytes\"") } ?? ""
        show("sent after a save of 1 KiB: \(bytes)")
        try shell("rm -rf v.qvault far.qvault near one said")
    }

    /// Eight backups of 256 MiB that are checked without a key, beside sha256sum and plain hashing on all cores.
    func fleet() throws {
        try shell(
            "rm -rf fleet && mkdir fleet && head -c 268435456 /dev/urandom > bytes && \(qvault) pack bytes -o v.qvault && rm bytes; for i in 1 2 3 4 5 6 7 8; do cp v.qvault fleet/$i.qvault; done"
        )
        try compare(
            "verify --keyless 8 × 256 MiB", ["verify", "--keyless", "fleet"], peer: "sha256sum, all cores",
            "ls fleet/* | xargs -P $(nproc) -n 1 sha256sum")
        let raw = "raw SHA-256, \(threads) cores"
        try compare("verify --keyless 8 × 256 MiB", ["verify", "--keyless", "fleet"], beside: raw) {
            try (1...8).reduce(0) { sum, number in
                let file = "\(folder)/fleet/\(number).qvault"
                let seconds = try RawLoop.seconds(
                    .verifyKeyless, source: file, target: "", threads: threads, countsAllocation: false)
                return sum + seconds
            }
        }
        try shell("rm -rf fleet v.qvault")
    }
}
