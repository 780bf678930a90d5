import Foundation
import Testing

/// Older backups, older versions and old trash go, and nothing else.
struct RetentionCommandTests {
    @Test func backups() throws {
        let sandbox = try Sandbox()
        let said = try sandbox.shell(
            """
            exec 2>&1; $Q create v.qvault; mkdir d; for i in 1 2 3 4 5; do echo $i > f; $Q put f -f v.qvault; $Q backup v.qvault --to d; done
            $Q backup v.qvault --to d --keep 1d; echo $?; ls d | wc -l; $Q backup v.qvault --to d --keep 1d -n | wc -l
            $Q backup v.qvault --to d --keep 5,2w; echo $?; ls d | wc -l; $Q backup v.qvault --to d --keep 7d,1 --yes; echo $?; ls d | wc -l
            $Q verify --keyless -q d; echo $?; $Q backup v.qvault --to d --keep 0; echo $?
            """)
        let lines = said.text.split(separator: "\n").map(String.init)
        #expect(
            lines.filter { !$0.hasPrefix("qvault: ") } == ["1", "6", "0", "0", "5", "0", "1", "0", "2"], "\(lines)")
        #expect(lines.contains { $0.contains("more than half of the backups would go, 5 of 6") }, "\(lines)")
    }

    @Test func trashByAge() throws {
        let sandbox = try Sandbox()
        let said = try sandbox.shell(
            """
            exec 2>&1; $Q create v.qvault; echo a > a; echo b > b; $Q put a b -f v.qvault; $Q rm a -f v.qvault
            $Q purge --trash --older-than 1h --yes -f v.qvault; $Q ls --trash -f v.qvault | wc -l
            $Q purge --older-than 1h b -f v.qvault; echo $?; $Q purge --trash --older-than 0s --yes -f v.qvault; $Q ls --trash -f v.qvault | wc -l
            $Q ls -f v.qvault --json | jq -r .path
            """)
        let lines = said.text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("qvault: ") }
        #expect(lines == ["1", "2", "0", "b"], "\(said)")
    }

    /// What a compaction says before is what the file takes then, to a tenth.
    @Test(arguments: ["", "--keep-within 1d"]) func compactionIsToldBefore(_ words: String) throws {
        let sandbox = try Sandbox()
        let said = try sandbox.shell(
            """
            exec 2>&1; $Q create v.qvault; mkdir d
            for i in 1 2 3 4; do for f in 1 2 3 4 5 6 7 8 9; do head -c $((f * 9000 + i)) /dev/urandom > d/$f; done; $Q put d -f v.qvault; done
            $Q compact -n -f v.qvault \(words) 2>&1 | grep -o 'about [0-9.]* [KM]iB'; $Q compact -f v.qvault \(words); stat -c %s v.qvault
            """
        ).text.split(separator: "\n").map(String.init)
        let parts = try #require(said.first).split(separator: " ")
        let told = try #require(Double(parts[1])) * (parts[2] == "MiB" ? 1_048_576 : 1024)
        let last = try #require(said.last)
        let real = try #require(Double(last))
        #expect(abs(told - real) < real / 10, "\(said)")
    }

    /// Two machines that tried a backup each know of the later trial after a merge, and the setting stays one.
    @Test func trialsAreJoined() throws {
        let sandbox = try Sandbox()
        let said = try sandbox.shell(
            """
            exec 2>&1; $Q create v.qvault; echo a > a; $Q put a -f v.qvault; $Q backup v.qvault -o b.qvault; cp v.qvault w.qvault
            $Q restore --drill b.qvault -f v.qvault > said; export XDG_STATE_HOME=$PWD/other; $Q restore --drill b.qvault -f w.qvault > said
            $Q config get drill.last -f w.qvault > later; $Q merge v.qvault -f w.qvault > said; $Q config list -f w.qvault | wc -l
            $Q config get drill.last -f w.qvault | cmp - later && echo later; $Q merge w.qvault -f v.qvault --allow-rollback > said
            $Q config get drill.last -f v.qvault | cmp - later && echo later; $Q config list -f v.qvault | wc -l
            """)
        let lines = said.text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("qvault: ") }
        #expect(lines == ["1", "later", "later", "1"], "\(said)")
    }
}
