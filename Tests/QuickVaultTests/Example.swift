import Cards
import QuickVault

func example(_ path: String, picture: [UInt8]) async throws -> [String] {
    let key = try VaultKey(password: "correct-horse-battery")
    let vault = try await VaultFile.create(at: path, with: key)
    try await vault.add(
        Card(
            kind: "address", title: "家",
            values: [
                "name": "张三", "phone": "13800138000", "province": "浙江省", "city": "杭州市",
                "district": "西湖区", "address": "文三路1号",
            ]))
    for hit in try await vault.search("wensan") {
        try await vault.attach(picture, named: "id-front.jpg", to: hit.entry)
    }
    return try await vault.cards().map(\.card.title)
}
