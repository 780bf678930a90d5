import Glibc
import Testing

/// Modes, owners, extended attributes and hard links (Spec/product/trees.md, 5).
struct KeptAttributeTests {
    /// Modes, owners, extended attributes and hard links come back where they were kept and are asked for.
    @Test func modesAreKept() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            exec 2>&1; umask 22; mkdir -p src/in; echo a > src/a; ln src/a src/in/b; echo c > src/c; echo a > src/same
            chmod 640 src/a; chmod 4755 src/c; chmod 2711 src/in; ln -s /etc src/out; ln -s a src/near
            /usr/bin/python3 -c 'import os; os.setxattr("src/a", "user.one", b"x\\0y"); os.setxattr("src/in", "user.two", b"z")' 2> none && has=1
            chown 1234:4321 src/c 2> none; chown -h 1234:4321 src/near 2> none
            shown() { (cd $1; stat -c '%n %a %h %u:%g' a c in in/b near out same 2> /dev/null); }
            $Q create; $Q put src --keep-modes; $Q put src --json | jq -c '[.files, .unchanged]'
            $Q config list | tr -s ' '; chmod 600 src/a; $Q put src --json | jq -c '[.files, .unchanged]'; $Q unpack -f v.qvault -o plain
            shown plain/src | head -2; $Q unpack -f v.qvault -o kept --keep-modes --all-links; echo "code $?"
            shown src > 1; shown kept/src > 2; cmp 1 2; test -n "$has" || echo 'user.one x'; test -z "$has" ||
                /usr/bin/python3 -c 'import os; print("user.one", os.getxattr("kept/src/in/b", "user.one").decode()[0], os.getxattr("kept/src/in", "user.two").decode())'
            readlink kept/src/out; $Q verify v.qvault | cut -d: -f2-3; $Q pack src -o w.qvault; $Q unpack w.qvault -o x --keep-modes; echo "code $?"
            """.replacing("$Q create;", with: "export QVAULT_FILE=v.qvault; $Q create;"))
        let lines = outcome.text.split(separator: "\n").map(String.init)
        #expect(
            lines.filter { !$0.hasPrefix("user.one") } == [
                "[0,6]", "keep-modes flag true", "[2,4]",
                "qvault: src/out: left out: a symlink that may lead outside the folder, to /etc",
                "qvault: done in part: problems listed above: 1", "a 600 1 0:0", "c 700 1 0:0", "code 0", "/etc",
                " sound (saves: 3, 12.0 KiB, record versions",
                "qvault: w.qvault: no modes or owners were kept; 'put --keep-modes' and 'pack --keep-modes' keep them",
                "qvault: src/out: left out: a symlink that may lead outside the folder, to /etc",
                "qvault: done in part: problems listed above: 1", "code 1",
            ] || getuid() != 0, "\(outcome.text)")
    }

    /// Hard links of files that are not compressed, long, or empty; over a folder that is there; what is refused leaves the rest.
    @Test func hardLinksOfAllKinds() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            exec 2>&1; mkdir src; : > src/e1; ln src/e1 src/e2; head -c 3000000 /dev/urandom > src/big1; ln src/big1 src/big2; echo x > src/a; ln src/a src/b
            links() { stat -c %h "$1"/src/* | sort -u | paste -sd ' '; }
            for way in auto off; do
                $Q pack src -o $way.qvault --keep-modes --compression $way; $Q unpack $way.qvault -o $way --keep-modes; links $way
                $Q unpack $way.qvault -o $way --keep-modes --force; links $way; cmp src/big1 $way/src/big2
            done
            $Q put src -f auto.qvault --json | jq -c '[.files, .unchanged, .save]'; mkdir -p own/src; chmod 700 own/src; chmod 755 src
            $Q put src -f auto.qvault; $Q unpack auto.qvault -o own --keep-modes; stat -c %a own/src; $Q unpack auto.qvault -o own --keep-modes --force; stat -c %a own/src
            """)
        #expect(outcome.text == "2\n2\n2\n2\n[0,6,null]\n700\n755\n", "\(outcome)")
    }
}
