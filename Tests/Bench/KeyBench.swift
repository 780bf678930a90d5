import Glibc
import VaultCrypto
import VaultFormat

extension Bench {
    /// Operations with secrets, beside the derivations that they need.
    func keys() throws {
        try shell(
            "test -f big.qvault || { head -c 1073741824 /dev/urandom > big; \(qvault) pack big -o big.qvault; }; "
                + "head -c 1024 /dev/urandom > one; rm -f empty.qvault; \(qvault) pack one -o empty.qvault")
        let same = "printf %s correct-horse-battery"
        try compare("unlock", ["unlock", "empty.qvault"], beside: "1 PBKDF2") { try derivations(1) }
        try compare(
            "rekey password, 1 GiB", ["rekey", "password", "-f", "big.qvault", "--new-password-command", same],
            beside: "3 PBKDF2"
        ) { try derivations(3) }
        try compare("verify --audit-key 1 GiB", audit(), peer: "sha256sum", "sha256sum big.qvault")
        let pack = "rm -f p.qvault; \(qvault) pack big -o p.qvault"
        try compare("rekey rotate 1 GiB", ["rekey", "rotate", "-f", "big.qvault"], peer: "pack", pack)
        try shell("rm -f p.qvault")
        if isInstalled("restic") {
            try shell("printf correct > pw; restic init -r repo --password-file pw; restic -r repo -p pw backup one")
            try compare(
                "rekey password", ["rekey", "password", "-f", "empty.qvault", "--new-password-command", same],
                peer: "restic", "restic -r repo -p pw key passwd --new-password-file pw")
        }
        try unlocked()
    }

    private func audit() throws -> [String] {
        try shell("rm -f audit; \(qvault) key audit -f big.qvault -o audit")
        return ["verify", "--audit-key", "audit", "big.qvault"]
    }

    /// 10,000 records, the vault unlocked: nothing is derived.
    private func unlocked() throws {
        try shell(
            "rm -rf ten; mkdir ten && head -c 10240000 /dev/urandom > bytes && split -b 1024 -d -a 4 bytes ten/f; "
                + "rm -f ten.qvault; \(qvault) pack ten -o ten.qvault; \(qvault) unlock ten.qvault")
        unsafe unsetenv("QVAULT_PASSWORD_COMMAND")
        defer { unsafe setenv("QVAULT_PASSWORD_COMMAND", "printf %s correct-horse-battery", 1) }
        try compare("ls 10,000, unlocked", ["ls", "-f", "ten.qvault"])
        try compare("cat 1 of 10,000, unlocked", ["cat", "-f", "ten.qvault", "ten/f5000"])
        if isInstalled("keepassxc-cli") {
            let entry = "<Entry><String><Key>Title</Key><Value>t%d</Value></String></Entry>"
            try shell(
                "{ echo '<KeePassFile><Root><Group><Name>Root</Name>'; for i in $(seq 10000); do printf '\(entry)\\n' $i; "
                    + "done; echo '</Group></Root></KeePassFile>'; } > k.xml; rm -f k.kdbx; "
                    + "printf 'pw\\npw\\n' | keepassxc-cli import -q k.xml k.kdbx -p")
            try compare(
                "ls 10,000, unlocked", ["ls", "-f", "ten.qvault"], peer: "keepassxc-cli",
                "printf 'pw\\n' | keepassxc-cli ls -q k.kdbx")
        }
        try shell("\(qvault) lock ten.qvault; rm -rf ten ten.qvault k.xml k.kdbx repo")
    }

    /// Seconds that so many derivations take, one after the other.
    private func derivations(_ count: Int) throws -> Double {
        let password = Array("correct-horse-battery".utf8)
        let secret = try Secret(copying: password.span)
        let salt = [UInt8](repeating: 7, count: 32)
        let start = ContinuousClock.now
        for _ in 0..<count {
            _ = try PasswordHash.pbkdf2(password: secret, salt: salt.span, iterations: Limits.minimumIterations)
        }
        return start.duration(to: .now) / .seconds(1)
    }
}
