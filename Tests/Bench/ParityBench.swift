extension Bench {
    /// Backups with parity, and their repair: beside a backup without, and par2.
    func parity() throws {
        try shell(
            "head -c 268435456 /dev/urandom > bytes && rm -f v.qvault && \(qvault) pack bytes -o v.qvault")
        try compare(
            "pack 256 MiB with parity", ["pack", "bytes", "-o", "p.qvault", "--parity", "10%"], fresh: "p.qvault",
            peer: "without", "rm -f c.qvault; \(qvault) pack bytes -o c.qvault")
        try shell("rm bytes")
        let plain = ["backup", "v.qvault", "-o", "b.qvault"]
        try compare(
            "back up 256 MiB with parity", plain, fresh: "b.qvault", peer: "without",
            "rm -f c.qvault; \(qvault) backup v.qvault -o c.qvault --parity 0%")
        let (with, without) = (try fileByteCount("b.qvault"), try fileByteCount("c.qvault"))
        show("its length, as a multiple of that without: \(hundredths(Double(with) / Double(without)))")
        try shell("cp b.qvault whole; dd if=/dev/zero of=b.qvault bs=1M seek=100 count=24 conv=notrunc status=none")
        if isInstalled("par2") {
            try compare(
                "back up 256 MiB with parity", plain.dropLast() + ["d.qvault"], fresh: "d.qvault",
                peer: "par2 create -r10", "rm -f c.par2 c.vol*; par2 create -q -q -r10 c.par2 c.qvault")
            try shell("cp c.qvault kept; dd if=/dev/zero of=c.qvault bs=1M seek=100 count=20 conv=notrunc status=none")
            try compare(
                "repair 24 MiB of it", ["repair", "b.qvault", "-o", "r.qvault"], fresh: "r.qvault",
                peer: "par2 repair, 20 MiB",
                "cp c.qvault p.qvault; cp c.qvault hit; par2 repair -q -q c.par2 c.qvault; mv hit c.qvault")
        } else {
            try compare("repair 24 MiB of it", ["repair", "b.qvault", "-o", "r.qvault"], fresh: "r.qvault")
        }
        try shell("cmp r.qvault whole")
        try shell("rm -f [bcdprv].qvault *.par2 whole kept")
    }
}
