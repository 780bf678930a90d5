import Glibc
import VaultCrypto
import VaultFormat
import VaultRecords
import VaultStore

extension Bench {
    /// 10,000 and 100,000 cards, the vault unlocked: nothing is derived.
    func cards() throws {
        for count in [10_000, 100_000] {
            let file = "cards-\(count).qvault"
            try shell("rm -f \(file)")
            try Self.makeCards(count, in: "\(folder)/\(file)")
            try shell("\(qvault) unlock \(file)")
            unsafe unsetenv("QVAULT_PASSWORD_COMMAND")
            try compare("card list, \(count)", ["card", "list", "-f", file])
            try compare("search zhsh, \(count)", ["search", "-f", file, "zhsh"])
            try compare("search adress, \(count)", ["search", "-f", file, "adress"])
            try compare("search 文三 138, \(count)", ["search", "-f", file, "文三", "138"])
            unsafe setenv("QVAULT_PASSWORD_COMMAND", "printf %s correct-horse-battery", 1)
            try shell("\(qvault) lock \(file)")
            let note = ["card", "add", "note", "--title", "n", "text=x", "-f"]
            try shell("rm -f none.qvault; \(qvault) create none.qvault")
            try compare(
                "card add, \(count)", note + [file], peer: "none before",
                "\(qvault) \(note.joined(separator: " ")) none.qvault")
        }
    }

    private static func makeCards(_ count: Int, in file: String) throws {
        let (world, path) = (Environment.system(), Path(file))
        let master = try Saves.newVault(path, in: world)
        let save = try Transaction(path, in: world) { _ in try master.slice(0..<master.byteCount) }
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
