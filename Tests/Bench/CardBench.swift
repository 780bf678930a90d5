import Glibc
import VaultCrypto
import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Bench {
    /// 10,000 and 100,000 cards, the vault unlocked: nothing is derived.
    func cards() throws {
        for count in [10_000, 100_000] {
            let file = "cards-\(count).qvault"
            try shell("rm -f \(file)")
            // In a program of its own: what this one takes would count as its children's memory.
            _ = try run([CommandLine.arguments[0], "make-cards", "\(count)", "\(folder)/\(file)"])
            try shell("\(qvault) unlock \(file)")
            unsafe unsetenv("QVAULT_PASSWORD_COMMAND")
            try compare("card list, \(count)", ["card", "list", "-f", file])
            for query in ["kind:address", "updated>=today", "phone:138", "wenshan"] {
                try compare("find \(query), \(count)", ["find", "-f", file, "--count", query])
            }
            for words in ["zhsh", "adress", "文三 138"] {
                try compare(
                    "search \(words), \(count)", ["search", "-f", file, words], beside: "read, derive, open"
                ) { try RawLoop.seconds(records: count, source: "\(folder)/\(file)", threads: threads) }
            }
            unsafe setenv("QVAULT_PASSWORD_COMMAND", "printf %s correct-horse-battery", 1)
            try shell("\(qvault) lock \(file)")
            let note = ["card", "add", "note", "--title", "n", "text=x", "-f"]
            try shell("rm -f none.qvault; \(qvault) create none.qvault")
            try compare(
                "card add, \(count)", note + [file], peer: "none before",
                "\(qvault) \(note.joined(separator: " ")) none.qvault")
            try showBytesWritten(count, note + [file], file)
            guard count == 10_000 else { continue }
            try shell("for call in $(seq 11); do \(makeAttachments); done", file)
            try compare(
                "card add, \(count) and 1 GiB attached", note + [file], peer: "none before",
                "\(qvault) \(note.joined(separator: " ")) none.qvault")
            if isInstalled("keepassxc-cli") { try beside(keePass: count, note + [file], file) }
            try shell("rm -f *.pdf \(file)")
        }
    }

    /// The bytes that each of some commands adds to the file, and a page.
    private func showBytesWritten(_ count: Int, _ words: [String], _ file: String) throws {
        let (files, path) = (StoreEnvironment.system().files, BytePath("\(folder)/\(file)"))
        let written = try (0..<15).map { _ in
            let before = try files.status(path).size
            _ = try run(["env", "-C", folder, qvault] + words)
            return Int(try files.status(path).size - before) + Layout.pageByteCount
        }.sorted()
        show("a card added to \(count) writes \(written[7]) bytes (median of 15 saves; at most \(written[14]))")
    }

    /// Ten files of 10 MB, attached with one call: the vault in `$1`.
    private var makeAttachments: String {
        "for file in $(seq 10); do { printf '%%PDF-1.7\\n'; head -c 9990000 /dev/urandom; } > a-$call-$file.pdf; done; "
            + "\(qvault) attach add -q -f $1 '卡片 1' a-$call-*.pdf; rm a-$call-*.pdf"
    }

    /// The same number of entries with the same texts, which its key is derived for each time.
    private func beside(keePass count: Int, _ add: [String], _ file: String) throws {
        func text(_ key: String, _ value: String) -> String {
            "<String><Key>\(key)</Key><Value>\(value)</Value></String>"
        }
        let entry =
            "<Entry>\(text("Title", "卡片 %d"))\(text("name", "张三"))\(text("phone", "13800138000"))"
            + "\(text("province", "浙江省"))\(text("city", "杭州市"))\(text("address", "文三路 %d"))</Entry>"
        try shell(
            "{ echo '<KeePassFile><Root><Group><Name>Root</Name>'; for i in $(seq \(count)); do "
                + "printf '\(entry)\\n' $i $i; done; echo '</Group></Root></KeePassFile>'; } > k.xml; rm -f k.kdbx; "
                + "printf 'pw\\npw\\n' | keepassxc-cli import -q k.xml k.kdbx -p")
        try compare(
            "card add, \(count)", add, peer: "keepassxc-cli",
            "printf 'pw\\n' | keepassxc-cli add -q k.kdbx new-$(date +%s%N)")
        try compare(
            "search 卡片 77, \(count), locked", ["search", "-f", file, "卡片", "77"], peer: "keepassxc-cli",
            "printf 'pw\\n' | keepassxc-cli search -q k.kdbx 卡片\\ 77")
        try shell("rm -f k.xml k.kdbx")
    }

    /// Makes a vault with cards.
    static func makeCards(_ count: Int, in file: String) throws {
        let (environment, path) = (StoreEnvironment.system(), BytePath(file))
        let master = try Saves.newVault(path, in: environment)
        let save = try VaultTransaction(path, in: environment) { _ in try master.slice(0..<master.byteCount) }
        guard let schema = Schema.named("address") else { preconditionFailure("a kind that there is") }
        let names = ["张三", "李四", "王小明", "Anna Müller", "赵敏", "招远", "Li Lei"]
        let streets = ["文三路", "解放东路", "中山北路", "Address Street", "人民大道"]
        for number in 0..<count {
            var card = Card(
                schema: schema, overview: Overview(title: Array("卡片 \(number)".utf8)), fields: RecordFields())
            card.overview.group = ["个人", "公司"][number % 2]
            card.overview.tags = number % 5 == 0 ? ["家人"] : []
            let wrong = card.set([
                ("name", names[number % names.count]), ("phone", "1\(3_800_000_000 + number * 7919 % 100_000_000)"),
                ("province", "浙江省"), ("city", ["杭州市", "宁波市", "温州市"][number % 3]), ("district", "西湖区"),
                ("address", "\(streets[number % streets.count])\(number)号"),
                ("postal_code", "\(310_000 + number % 1000)"),
            ])
            precondition(wrong.isEmpty, "cards that hold")
            try save.put(card, as: save.makeID())
        }
        try save.commit()
    }
}
