import Glibc

extension Bench {
    /// What a person does every day, in an unlocked vault of 10,000 logins that came from another program.
    func daily() throws {
        try shell(Self.makeKeePassExport, "keepass.xml", "10000", "1000")
        let read = ["import", "keepass.xml", "-q", "--report", "report.json", "-f", "daily.qvault"]
        let fresh = "rm -f daily.qvault report.json && \(qvault) create daily.qvault"
        let (peer, script) =
            isInstalled("keepassxc-cli")
            ? ("keepassxc-cli", "rm -f k.kdbx; printf 'pw\\npw\\n' | keepassxc-cli import -q keepass.xml k.kdbx -p")
            : ("cat", "cat keepass.xml > /dev/null")
        try compare("import 10,000 logins", read, before: fresh, peer: peer, script)
        try shell("\(qvault) unlock daily.qvault")
        unsafe unsetenv("QVAULT_PASSWORD_COMMAND")
        unsafe setenv("QVAULT_FILE", "\(folder)/daily.qvault", 1)
        try compare("home, 10,000 logins", [])
        try compare("copy of 10,000", ["copy", "site 5000", "--stdout"])
        try compare("otp of 10,000", ["otp", "site 5000", "--stdout"])
        try compare("due of 10,000", ["due"])
        try compare("help", ["help"])
        unsafe unsetenv("QVAULT_FILE")
        unsafe setenv("QVAULT_PASSWORD_COMMAND", "printf %s correct-horse-battery", 1)
        try shell("\(qvault) lock daily.qvault; rm -f daily.qvault k.kdbx keepass.xml report.json")
    }

    /// A script that writes a KeePass file of `$2` entries to `$1`: two older versions each, and a file of 1 KiB in each
    /// of the first `$3`.
    private static let makeKeePassExport = #"""
        awk -v count="$2" -v files="$3" -v content="$(head -c 1024 /dev/urandom | base64 -w 0)" '
        function text(key, value) { return "<String><Key>" key "</Key><Value>" value "</Value></String>" }
        function entry(number, age) {
            return text("Title", "site " number) text("UserName", "li" number) text("Password", "word " number "-" age) \
                text("URL", "https://site" number ".example/") text("Notes", "opened in 2024") \
                text("otp", "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP")
        }
        BEGIN {
            print "<KeePassFile><Meta><Binaries><Binary ID=\"0\">" content "</Binary></Binaries></Meta><Root><Group>"
            print "<Name>Root</Name>"
            for (number = 1; number <= count; number++) {
                file = number <= files ? "<Binary><Key>a.txt</Key><Value Ref=\"0\"/></Binary>" : ""
                print "<Entry>" entry(number, 0) file "<History><Entry>" entry(number, 2) "</Entry><Entry>" \
                    entry(number, 1) "</Entry></History></Entry>"
            }
            print "</Group></Root></KeePassFile>"
        }' > "$1"
        """#
}
