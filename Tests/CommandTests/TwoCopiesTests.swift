import Foundation
import Testing

/// What becomes of a vault where two copies of it meet: a merge, a backup, a restore, a retired key.
struct TwoCopiesTests {
    private let vault = ["QVAULT_FILE": "v.qvault"]

    private func shared() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.shell(
            """
            set -e; /usr/bin/python3 $REPOSITORY/Tests/Scripts/id-card.py front.jpg 900; $Q create v.qvault
            $Q card add -f v.qvault note --title 李四 text=x; $Q attach add -f v.qvault 李四 front.jpg
            """)
        return sandbox
    }

    /// A share is evidence: it is listed and traced after the card went on another computer, before or after that computer
    /// knew of it, and after the trash was emptied and the vault compacted.
    @Test(arguments: ["before", "after"]) func aShareOutlivesItsCard(_ copied: String) throws {
        let sandbox = try shared()
        let share = "$Q share 李四 --recipient 招商银行 --purpose 开户 -o bank.jpg"
        let outcome = try sandbox.shell(
            """
            set -e; \(copied == "after" ? ":" : share); cp v.qvault b.qvault; \(copied == "after" ? share : ":")
            XDG_STATE_HOME=$PWD/other $Q card rm -f b.qvault 李四; $Q merge b.qvault > said; $Q verify
            djpeg bank.jpg | cjpeg -quality 75 > leak.jpg; $Q trace leak.jpg --json | jq -r .recipient
            $Q card rm 李四 2> none || true; $Q purge --trash --yes; $Q compact; $Q verify
            $Q trace leak.jpg --json | jq -r .recipient; $Q shares --json | jq -r '"\\(.recipient) \\(.card_removed)"'
            LC_ALL=zh_CN.UTF-8 $Q shares --lang zh | grep -c 原附件已删除
            """, environment: vault)
        #expect(
            outcome.text.split(separator: "\n").filter { !$0.hasPrefix("v.qvault") } == [
                "招商银行", "招商银行", "招商银行 true", "1",
            ], "\(outcome)")
    }

    /// A share that the other computer made and lost with its card is taken too.
    @Test func aShareInTheirTrashIsTaken() throws {
        let sandbox = try shared()
        let outcome = try sandbox.shell(
            """
            set -e; cp v.qvault b.qvault; export XDG_STATE_HOME=$PWD/other
            $Q share -f b.qvault 李四 --recipient 房东 --purpose 租房 -o rent.jpg; $Q card rm -f b.qvault 李四
            export XDG_STATE_HOME=$PWD/mine; $Q merge b.qvault > said; $Q shares --json | jq -r .recipient
            $Q trace rent.jpg --json | jq -r .recipient; $Q verify | cut -c 1-15
            """, environment: vault)
        #expect(outcome.text == "房东\n房东\nv.qvault: sound\n", "\(outcome)")
    }

    /// A password that was removed since the backup stays removed. Where no vault is there, the slots are listed.
    @Test func aRestoreKeepsTheSlotsInForce() throws {
        let sandbox = try Sandbox()
        try sandbox.write("p2", "another-horse-battery-2\n")
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault; $Q key add --new-password-file p2 --label leaver; $Q backup -o k.qvault
            key=$($Q key list | grep leaver | cut -c 1); $Q key rm $key
            $Q restore k.qvault -f v.qvault; $Q ls --password-file p2; echo $?
            echo x > x; $Q put x; $Q ls --password-file p2; echo $?; $Q verify | cut -c 1-15
            $Q restore k.qvault -f new.qvault 2> said; $Q ls -f new.qvault --password-file p2; echo $?; grep -c leaver said
            """, environment: vault)
        #expect(outcome.text == "3\n3\nv.qvault: sound\n0\n1\n", "\(outcome)")
        #expect(outcome.errors.contains("the key slots stay as they were"), "\(outcome.errors)")
    }

    /// Files that only look like backups take none of the genuine ones away: forged headers, truncated copies, backups of
    /// another timeline or vault.
    @Test func retentionBelievesNoHeader() throws {
        let sandbox = try Sandbox()
        try sandbox.write(
            "forge.py",
            """
            import hashlib, sys
            data = bytearray(open(sys.argv[1], "rb").read(143360))
            for page in (0, 65536):
                for place in (page + 64, page + 80): data[place:place + 8] = (1 << 62).to_bytes(8, "big")
                data[page + 4064:page + 4096] = hashlib.sha256(data[page:page + 4064]).digest()
            open(sys.argv[2], "wb").write(data)
            """)
        let outcome = try sandbox.shell(
            """
            mkdir d; $Q create v.qvault; for i in 1 2 3; do echo $i > f; $Q put f; $Q backup v.qvault --to d; done
            ls d | sort > genuine; first=$(head -1 genuine)
            for i in 1 2 3; do /usr/bin/python3 forge.py d/$first d/v-2099010${i}T000000Z.qvault; done
            head -c 150000 d/$first > d/v-20990104T000000Z.qvault; cp v.qvault fork.qvault
            echo other > g; XDG_STATE_HOME=$PWD/other $Q put -f fork.qvault g
            XDG_STATE_HOME=$PWD/other $Q backup fork.qvault -o d/v-20990105T000000Z.qvault
            echo 4 > f; $Q put f; $Q backup v.qvault --to d --keep 4 2> said; echo $?
            for f in $(cat genuine); do test -e d/$f && echo there; done; grep -c 'not counted' said
            echo 5 > f; $Q put f; $Q backup v.qvault --to d --keep 2 --yes 2> said; echo $?; ls d | wc -l
            """, environment: vault)
        #expect(outcome.text == "0\nthere\nthere\nthere\n5\n0\n7\n", "\(outcome)")
    }

    /// Of backups of one save the one that was just made stays, also where the others have names of a later time.
    @Test func retentionKeepsTheNewBackup() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            mkdir d; $Q create v.qvault; echo 1 > f; $Q put f; $Q backup v.qvault -o d/v-20990101T000000Z.qvault
            $Q backup v.qvault --to d --keep 1 --yes --json 2> said | jq -r '.file, .removed[]' > told; cat told | wc -l; ls d | grep -vc 2099
            """, environment: vault)
        #expect(outcome.text == "1\n1\n", "\(outcome)")
    }

    /// A removed folder stays away; a moved file does not come back where it was; settings and names become equal.
    @Test func mergesBothWaysBecomeEqual() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            a() { XDG_STATE_HOME=$PWD/sa $Q "$@" -f v.qvault 2> none; }; b() { XDG_STATE_HOME=$PWD/sb $Q "$@" -f b.qvault 2> none; }
            join() { a merge b.qvault > none; b merge v.qvault > none; }
            a create v.qvault -q || $Q create v.qvault -q; a card add note --title C text=x; cp v.qvault b.qvault
            mkdir 1 2; /usr/bin/python3 $REPOSITORY/Tests/Scripts/id-card.py 1/scan.jpg 400
            /usr/bin/python3 $REPOSITORY/Tests/Scripts/id-card.py 2/scan.jpg 300
            b put 1/scan.jpg --as d/x; b put 1/scan.jpg --as old; join; b rm -r d; b mv old new; b merge v.qvault > none
            b ls | grep -cE ' (d/|old)'; a attach add C 1/scan.jpg; b attach add C 2/scan.jpg; a config set s a; b config set s b
            a put 1/scan.jpg --as n.txt; b put 2/scan.jpg --as n.txt; join; join
            a export -o ea > none; b export -o eb > none; a merge b.qvault; b merge v.qvault; a attach list C | wc -l
            a attach list C > la; b attach list C | cmp - la && a ls | cut -c 1-20 > la; b ls | cut -c 1-20 | cmp - la && echo same
            a config list > la; b config list | cmp - la && echo same
            """, environment: [:])
        #expect(outcome.text == "0\n2\nsame\nsame\n", "\(outcome)")
    }

    /// Two computers that merge each other's copy, a and b, and three, with c.
    private let computers = """
        a() { XDG_STATE_HOME=$PWD/sa $Q "$@" -f v.qvault 2> none; }; b() { XDG_STATE_HOME=$PWD/sb $Q "$@" -f b.qvault 2> none; }
        c() { XDG_STATE_HOME=$PWD/sc $Q "$@" -f c.qvault 2> none; }; join() { a merge b.qvault > none; b merge v.qvault > none; }
        a create v.qvault -q || $Q create v.qvault -q; a card add note --title C text=x; cp v.qvault b.qvault; cp v.qvault c.qvault
        """

    /// What came by a merge and was removed then stays away, although compaction forgot the versions that tell of it.
    @Test func removalsOutliveCompaction() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            \(computers)
            echo 1 > 1; b put 1 --as x; b put 1 --as d/y; b card add note --title D text=x; join; a rm x; a rm -r d; a card rm D
            a purge --trash --yes; a compact; b compact; join; join; a ls | awk '{print $NF}'; b ls | awk '{print $NF}'
            a merge b.qvault; b merge v.qvault; a verify | cut -c 1-15; b verify | cut -c 1-15
            """, environment: [:])
        #expect(outcome.text == "C\nC\nv.qvault: sound\nb.qvault: sound\n", "\(outcome)")
    }

    /// An attachment replaced by one of its name; a pin that was set, taken back and set again, with merges between.
    @Test func whatWasMergedGoesOn() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            \(computers)
            id=$REPOSITORY/Tests/Scripts/id-card.py; /usr/bin/python3 $id f.jpg 400; a attach add C f.jpg; join
            /usr/bin/python3 $id f.jpg 300; a attach rm f.jpg; a attach add C f.jpg; join; for x in a b; do $x attach list C --json | jq -r .name; done
            for off in "" --off ""; do a pin C $off; join; b card show C --json | jq .pinned; done
            a card edit C text=y; join; a card edit C text=x; join; a card edit C text=y; join; b card show C --json | jq -r .fields.text
            """, environment: [:])
        #expect(outcome.text == "f.jpg\nf.jpg\ntrue\nfalse\ntrue\ny\n", "\(outcome)")
    }

    /// A removal reaches a third computer through one that never had the record.
    @Test func removalsGoAround() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            \(computers)
            b card add note --title D text=x; c merge b.qvault > none; b card rm D; a merge b.qvault; a merge c.qvault; c merge v.qvault
            a ls | awk '{print $NF}'; b ls | awk '{print $NF}'; c ls | awk '{print $NF}'; c merge b.qvault; a verify | cut -c 1-15
            """, environment: [:])
        #expect(outcome.text == "removed       D\nC\nC\nC\nv.qvault: sound\n", "\(outcome)")
    }

    /// A copy under a master key that was replaced brings nothing in unless a person names it.
    @Test func aRetiredCopyIsNamed() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault; cp v.qvault old.qvault; $Q rekey rotate; echo forged > f
            XDG_STATE_HOME=$PWD/other $Q put -f old.qvault f; $Q merge old.qvault; echo $?; $Q ls | wc -l
            $Q merge old.qvault --allow-retired > said; echo $?; $Q ls | wc -l
            """, environment: vault)
        #expect(outcome.text == "7\n0\n0\n1\n", "\(outcome)")
    }

    /// A guard that is lost is told; a restored vault may be renamed; another vault in the place is told.
    @Test func lostGuardsAreTold() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            export XDG_STATE_HOME=$PWD/state; $Q create v.qvault; echo 1 > f; $Q put f; $Q backup -o k.qvault
            mkdir x; $Q restore k.qvault -f x/a.qvault 2> none; mv x/a.qvault x/b.qvault; $Q ls -f x/b.qvault | wc -l
            $Q create other.qvault; cp other.qvault v.qvault; $Q ls; echo $?
            rm -rf state/quickvault/witness; echo nothing > state/quickvault/witness; $Q ls > none; echo $?
            """, environment: vault)
        #expect(outcome.text == "1\n0\n0\n", "\(outcome)")
        #expect(outcome.errors.contains("another vault stood here before"), "\(outcome.errors)")
        #expect(outcome.errors.contains("an old copy in a vault's place may go unnoticed"), "\(outcome.errors)")
    }

    /// Days and times that no calendar has end nothing.
    @Test func strangeTimesAreRefused() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault; for at in '2026-01-31T18:30+-5:00' 2026-01-31T18:99:99 9223372036854775807-01-01 2026-01-31T18:30+14:00; do
                $Q ls --at "$at" > none 2>&1; echo $?
            done
            """, environment: vault)
        #expect(outcome.text == "2\n2\n2\n10\n", "\(outcome)")
    }
}
