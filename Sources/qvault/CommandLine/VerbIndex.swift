import VaultFormat

/// The verbs, and how words name them.
struct VerbIndex: Sendable {
    /// The verbs by what people do, in the order of the help.
    let groups: [(title: Phrase, verbs: [Verb])]
    /// All verbs, in the order of the help.
    let all: [Verb]

    init(_ groups: KeyValuePairs<Phrase, [Verb]>) {
        self.groups = groups.map { ($0.key, $0.value) }
        all = groups.flatMap(\.value)
    }

    /// Words of the first release for verbs that are called otherwise now. No help names them.
    private static let oldNames = [
        "key remove": "key rm", "config unset": "config rm", "watermark remove": "watermark rm",
    ]

    /// Nouns whose list is the noun alone: `fund list` is `fund`, as `card list` and `holding list` are lists.
    private static let lists = [
        "fund": "fund", "settings": "settings", "share": "shares", "shares": "shares", "tag": "tag", "group": "group",
        "diagnosis": "diagnosis show", "position": "position",
    ]

    /// The verb that lists a noun, where nothing but options stands behind the two words.
    private func list(_ words: ArraySlice<[UInt8]>) -> Verb? {
        let names = words.prefix(2).map { String(decoding: $0, as: UTF8.self) }
        let isAlone = words.dropFirst(2).first.map { $0.first == UInt8(ascii: "-") } ?? true
        guard names.count == 2, names[1] == "list", isAlone else { return nil }
        return Self.lists[names[0]].flatMap { name in all.first { $0.name == name } }
    }

    /// Words of other programs for what a verb does.
    private static let synonyms = [
        "add": "put", "clip": "copy", "delete": "rm", "edit": "card edit", "extract": "unpack",
        "generate": "key generate", "grep": "search", "init": "create", "insert": "card add", "list": "ls",
        "new": "create", "open": "unlock", "passwd": "rekey password", "redo": "undo", "remove": "rm", "rename": "mv",
        "show": "card show", "snapshots": "history", "totp": "otp",
    ]

    /// The verbs whose first word is this one.
    func kin(_ word: String) -> [Verb] { all.filter { $0.name.hasPrefix(word + " ") || $0.name == word } }

    /// The verb that the first word names, or the first two (`key list`), and the words behind it.
    func named(_ words: ArraySlice<[UInt8]>) throws -> (verb: Verb, rest: ArraySlice<[UInt8]>) {
        let name = words.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let given = words.prefix(2).map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        let both = Self.oldNames[given] ?? given
        if let verb = all.first(where: { $0.name == both }) { return (verb, words.dropFirst(2)) }
        if let verb = list(words) { return (verb, words.dropFirst(2)) }
        if let verb = all.first(where: { $0.name == name }) { return (verb, words.dropFirst()) }
        let kin = all.filter { $0.name.hasPrefix(name + " ") }
        if !kin.isEmpty {
            let second = words.dropFirst().first.map { String(decoding: $0, as: UTF8.self) } ?? ""
            let names = kin.map { String($0.name.dropFirst(name.count + 1)) }
            let near = nearest(second, among: names).map { "\(name) \($0)" }
            throw Failure(
                .usage, "\(name): one of \(names.listed)",
                hint: near.map { "did you mean \($0)?" } ?? "'qvault \(name) \(names[0]) --help' says more")
        }
        let pair = words.prefix(2).reversed().map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        let near =
            name.hasPrefix("-")
            ? nearest(name, among: ["--help", "--version"])
            : all.first { $0.name == pair }?.name ?? nearest(given, among: all.map(\.name).filter { $0.contains(" ") })
                ?? Self.synonyms[name] ?? nearest(name, among: all.map(\.name))
        let shown = printable(name.utf8)
        throw Failure(
            .usage, name.hasPrefix("-") ? "a verb comes first, not '\(shown)'" : "unknown verb '\(shown)'",
            hint: near.map { "did you mean \($0)?" } ?? "'qvault --help' lists the verbs")
    }
}
