import Cards
import VaultCrypto
import VaultFormat

extension ImportBatch {
    /// Logins from the XML that KeePass 2 and KeePassXC export, with their older versions, attachments and icons. What lies
    /// in the recycle bin comes into the trash (Spec/product/export.md, 5).
    ///
    /// - Parameters:
    ///   - limit: bytes of an attachment at most.
    ///   - fetch: gets an attachment that is not in the document, by the path of its entry from the root and its name. It is
    ///     asked for no path that several entries have.
    /// - Throws: `ImportError`.
    public init(
        keePass bytes: [UInt8], limit: Int, fetch: ((_ path: String, _ name: String) -> [UInt8]?)? = nil
    ) throws {
        self.init()
        let places = try fetch.map { try KeePassPlaces(bytes, fetch: $0) }
        var source: KeePassSource?
        // The numbers of the attachments that entries have.
        var used: Set<String> = []
        let document = try XMLElement.parse(bytes, handing: "Entry") { entry, parents in
            if source == nil { source = KeePassSource(parents.first?["Meta"], bytes, limit, places) }
            guard parents.first?.name == "KeePassFile", let source else { return }
            let groups = parents.filter { $0.name == "Group" }
            // An entry in the bin has no group here.
            if !source.isInBin(groups) { taken.formUnion(groups.dropFirst().compactMap { $0["Name"]?.text }) }
            used.formUnion(entry.binaryNumbers)
            add(source.card(entry, in: groups, &problems))
        }
        guard document.name == "KeePassFile", document["Root"] != nil else {
            throw MalformedText("no export of KeePass 2: it begins with <\(document.name)>", line: document.line)
        }
        let meta = KeePassMeta(document["Meta"], limit: limit)
        for group in document.each("Root").flatMap({ $0.each("Group") }) { addNotes(of: group, [], meta) }
        taken.formUnion(KeePassSource.rootNames)
        taken.formUnion(KeePassSource.binNames)
        addRest(of: document.whole, besides: KeePassSource.ignored, files: meta.binaries(besides: used))
    }

    /// Notes of groups become notes.
    private mutating func addNotes(of group: XMLElement, _ parents: [XMLElement], _ meta: KeePassMeta) {
        let groups = parents + [group]
        if let text = group["Notes"]?.text, !text.isEmpty {
            var note = ForeignItem(note: text, title: group["Name"]?.text, at: "line \(group.line)")
            (note.group, note.isDeleted) = (KeePassSource.path(groups), meta.isInBin(groups))
            add(note)
        }
        for child in group.each("Group") { addNotes(of: child, groups, meta) }
    }
}

/// An export of KeePass: what its entries refer to.
struct KeePassSource {
    private let meta: KeePassMeta
    /// True if some entry refers to another by its UUID: `{REF:P@I:…}`.
    private let hasReferences: Bool

    /// What is not in the document; nil where there is no more than that.
    private let places: KeePassPlaces?

    init(_ meta: XMLElement?, _ bytes: [UInt8], _ limit: Int, _ places: KeePassPlaces?) {
        self.places = places
        self.meta = KeePassMeta(meta, limit: limit)
        hasReferences = bytes.indices.contains {
            bytes[$0] == UInt8(ascii: "{") && bytes[$0...].starts(with: "{REF:".utf8)
        }
    }

    func isInBin(_ groups: [XMLElement]) -> Bool { meta.isInBin(groups) }

    /// The names of groups below the uppermost.
    static func path(_ groups: [XMLElement]) -> String {
        groups.dropFirst().compactMap { $0["Name"]?.text }.filter { !$0.isEmpty }.joined(separator: "/")
    }

    /// The names that programs give to the whole.
    static let rootNames: Set<String> = ["Root", "Passwords", "Database", "General", "QuickVault", "根群组", "根组"]

    /// The names that programs give to the bin.
    static let binNames: Set<String> = ["Recycle Bin", "回收站"]

    /// Elements of an entry that become something here.
    private static let known: Set<String> = [
        "UUID", "String", "Binary", "Times", "Tags", "History", "CustomIconUUID", "PreviousParentGroup", "AutoType",
        "QualityCheck", "IconID",
    ]

    /// Elements and attributes that only serve the program, or are taken by their meaning.
    static let ignored: Set<String> = [
        "UUID", "Binary", "Binaries", "CustomIcons", "CustomIconUUID", "IconID", "PreviousParentGroup", "QualityCheck",
        "CreationTime", "LastModificationTime", "LastAccessTime", "LocationChanged", "UsageCount", "Expires",
        "ExpiryTime", "Enabled", "DataTransferObfuscation", "@Protected", "@ProtectInMemory", "@Ref", "@Compressed",
        "@ID", "Generator", "HeaderHash", "SettingsChanged", "DatabaseNameChanged", "DatabaseDescriptionChanged",
        "DefaultUserNameChanged", "MaintenanceHistoryDays", "Color", "MasterKeyChanged", "MasterKeyChangeRec",
        "MasterKeyChangeForce", "MasterKeyChangeForceOnce", "MemoryProtection", "RecycleBinEnabled", "RecycleBinUUID",
        "RecycleBinChanged", "EntryTemplatesGroup", "EntryTemplatesGroupChanged", "LastSelectedGroup",
        "LastTopVisibleGroup", "HistoryMaxItems", "HistoryMaxSize", "IsExpanded", "EnableAutoType", "EnableSearching",
        "LastTopVisibleEntry", "DeletedObjects", "ForegroundColor", "BackgroundColor",
    ]

    func card(_ entry: XMLElement, in groups: [XMLElement], _ problems: inout [ImportProblem]) -> ForeignItem {
        var card = ForeignItem(at: "line \(entry.line)")
        takeStrings(of: entry, &card, &problems)
        card.group = Self.path(groups)
        card.tags =
            entry.string(KeePassExport.tagsKey).flatMap(KeePassExport.list)
            ?? (entry["Tags"]?.text ?? "").split(separator: /[;,]/).map(\.trimmed)
        card.parts.append(entry["Tags"]?.text)
        if let group = entry.string(KeePassExport.groupKey) { card.group = group }
        card.isDeleted = meta.isInBin(groups)
        if card.isDeleted { card.group = nil }
        if hasReferences { card.addOwn("UUID", entry["UUID"]?.text) }
        for child in entry.children where !Self.known.contains(child.name) {
            guard child.pairs?.isEmpty != true else { continue }
            card.addOwn(child.name, child.children.isEmpty ? child.text : child.whole.line)
        }
        if let icon = entry["IconID"]?.text, icon != "0" { card.addOwn("IconID", icon) }
        if let typing = entry["AutoType"], typing.isUnusual { card.addOwn("AutoType", typing.whole.line) }
        takeTimes(of: entry["Times"], &card)
        takeAttachments(of: entry, &card, &problems)
        card.addMore(of: entry.whole, besides: Self.ignored)
        return card
    }

    private func takeStrings(of entry: XMLElement, _ card: inout ForeignItem, _ problems: inout [ImportProblem]) {
        let keys = ["UserName": "username", "Password": "password", "URL": "url", "Notes": "notes", "otp": "totp"]
        let schema = entry.string(KeePassExport.kindKey).flatMap { Schema.named($0) }
        card.kind = schema?.name ?? "login"
        for string in entry.each("String") {
            guard let key = string["Key"]?.text.withoutMark(KeePassExport.bytesMark), let value = string["Value"] else {
                continue
            }
            guard value.attributes["Protected"] != "True" else {
                problems.append(
                    ImportProblem(card.place, "\(key): its value is encrypted: export as XML from KeePass or KeePassXC")
                )
                continue
            }
            let text = key == string["Key"]?.text ? value.text : KeePassExport.decoded(value.text)
            card.parts += [key, string["Key"]?.text, value.text]
            if let label = key.withMark(KeePassExport.ownMark) {
                card.addOwn(label, text, isSensitive: value.attributes["ProtectInMemory"] == "True")
            } else if key == "Title", card.title == nil {
                card.title = text
            } else if let schema, let field = schema[key], !card.has(field.key) {
                card.fields.append((field.key, text))
            } else if let known = keys[key], schema?[known] != nil || card.kind == "login", !card.has(known) {
                card.fields.append((known, known == "password" ? text : text.replacing("\r\n", with: "\n")))
            } else if key == KeePassExport.pinKey {
                card.isPinned = true
            } else if !KeePassExport.keysOfOurs.contains(key) {
                let isSensitive = value.attributes["ProtectInMemory"] == "True" || key.hasPrefix("KPEX_PASSKEY")
                card.addOwn(key, text, isSensitive: isSensitive)
            }
        }
    }

    /// Created, changed, and an expiry that is switched on.
    private func takeTimes(of times: XMLElement?, _ card: inout ForeignItem) {
        let (created, updated) = (times?["CreationTime"], times?["LastModificationTime"])
        (card.created, card.updated) = (created?.time, updated?.time)
        card.parts += [times?["ExpiryTime"]?.text, created?.text, updated?.text]
        if card.created == nil { card.addOwn("created", created?.timeText) }
        if card.updated == nil { card.addOwn("updated", updated?.timeText) }
        if times?["Expires"]?.text == "True" { card.addOwn("expires", times?["ExpiryTime"]?.timeText) }
    }

    /// Attachments, those of older versions too, the icon, and the older versions as JSON.
    private func takeAttachments(of entry: XMLElement, _ card: inout ForeignItem, _ problems: inout [ImportProblem]) {
        var taken: Set<String> = []
        let versions = entry["History"]?.children ?? []
        for binary in ([entry] + versions).flatMap({ $0.each("Binary") }) {
            let (name, value) = (binary["Key"]?.text ?? "", binary["Value"])
            let number = value?.attributes["Ref"]
            if let number, !taken.insert("\(number) \(name)").inserted { continue }
            switch meta.content(of: value) {
            case .success(let bytes): card.attach(name, bytes)
            case .failure(let error):
                if let bytes = number.flatMap({ places?.content($0) }) {
                    card.attach(name, bytes)
                    continue
                }
                let what: Phrase =
                    places == nil
                    ? error.what
                    : "keepassxc-cli cannot give it: it is of an older version, or several entries have this group and title; rename one"
                problems.append(ImportProblem(card.place, "\(name): \(what)"))
            }
        }
        if let id = entry["CustomIconUUID"]?.text, let data = meta.icons[id],
            case .success(let bytes) = meta.content(of: data)
        {
            card.attach("icon.png", bytes)
        }
        guard !versions.isEmpty else { return }
        card.addOwn("history", JSON.list(versions.map(\.version)).line, isSensitive: true)
    }
}

extension XMLElement {
    /// An older version of an entry: when it was changed, its strings, tags and the names of its attachments.
    fileprivate var version: JSON {
        func text(_ element: XMLElement?) -> JSON { .text(element?.text ?? "") }
        let strings = each("String").map { ($0["Key"]?.text ?? "", text($0["Value"])) }
        var members: [(String, JSON)] = [
            ("updated", .text(self["Times"]?["LastModificationTime"]?.timeText ?? "")), ("strings", .object(strings)),
        ]
        if let tags = self["Tags"], !tags.text.isEmpty { members.append(("tags", text(tags))) }
        let files = each("Binary").map { text($0["Key"]) }
        if !files.isEmpty { members.append(("attachments", .list(files))) }
        return .object(members)
    }

    /// True if a rule for typing is not the standard one.
    fileprivate var isUnusual: Bool {
        self["Enabled"]?.text == "False" || !(self["DefaultSequence"]?.text ?? "").isEmpty || self["Association"] != nil
    }

    /// The numbers of the attachments of an entry and of its older versions.
    fileprivate var binaryNumbers: [String] {
        children.flatMap { child -> [String] in
            switch child.name {
            case "Binary": [child["Value"]?.attributes["Ref"]].compactMap(\.self)
            case "History", "Entry": child.binaryNumbers
            default: []
            }
        }
    }

    /// The pairs that a plugin keeps, in the order of their keys, which programs write in any; nil of any other element.
    /// KeePassXC adds the time at which it loaded them, so a second export differs from the first: that pair is left out.
    fileprivate var pairs: [XMLElement]? {
        guard name == "CustomData", attributes.isEmpty, children.allSatisfy({ $0.name == "Item" }) else { return nil }
        let keyed = children.map { (key: $0["Key"]?.text ?? "", item: $0) }
        return keyed.filter { $0.key != "_LAST_MODIFIED" }.sorted { $0.key < $1.key }.map(\.item)
    }

    /// All of an element as JSON: its text; or its attributes, each behind `@`, and its children, those of one name as a list.
    var whole: JSON {
        if let pairs { return .object(pairs.isEmpty ? [] : [("Item", .list(pairs.map(\.whole)))]) }
        var members = attributes.sorted { $0.key < $1.key }.map { ("@" + $0.key, JSON.text($0.value)) }
        guard !children.isEmpty || !members.isEmpty else { return .text(text) }
        let named = Dictionary(grouping: children, by: \.name)
        var seen: Set<String> = []
        for child in children where seen.insert(child.name).inserted {
            let all = named[child.name] ?? []
            members.append((child.name, all.count == 1 ? child.whole : .list(all.map(\.whole))))
        }
        if !text.isBlank { members.append(("text", .text(text))) }
        return .object(members)
    }

    /// A time from 1970 on; nil of any other.
    fileprivate var time: Timestamp? { timeText.flatMap { Timestamp($0) } }

    /// A time as RFC 3339; of one that nobody understands its text. KDBX 4 has seconds since the year 1 in base64, 8 bytes
    /// from the lowest.
    fileprivate var timeText: String? {
        guard !text.isEmpty else { return nil }
        guard Timestamp(text) == nil, let bytes = Base64.decoded(Array(text.utf8).span), bytes.count == 8 else {
            return text
        }
        let seconds = Int64(bitPattern: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        let (sum, isTooLarge) = seconds.subtractingReportingOverflow(62_135_596_800)
        let (nanoseconds, isTooFar) = sum.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLarge || isTooFar ? text : FileTime(nanoseconds: nanoseconds).text
    }
}
