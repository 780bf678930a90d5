import Glibc
import VaultCrypto
import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Verb {
    static let configSet = Verb.at(
        name: "config set", summary: "store a setting; without a value it is asked for, or read from standard input",
        operands: "NAME [VALUE…]",
        options: [
            .vault, Option(.type, value: "TYPE", help: "text, number, flag, list or secret; else as it was, or text"),
            .wait, .savesAsJSON,
        ] + Option.use,
        example: "qvault config set copy.address labels",
        note: "names have parts with dots between; 'config put' stores files"
    ) { path, arguments in
        let name = try SettingArguments.name(arguments.operands[0])
        let type = try arguments.text(.type).map(SettingArguments.type)
        let given = try arguments.operands.dropFirst().map(Arguments.text)
        // A secret is asked for before anybody waits for the lock, and what is piped in is read.
        let isPiped = given.isEmpty && (type == .list || type != .secret || !Terminal.isPresent)
        let words = isPiped ? [try SettingArguments.piped()] : given
        let key = try VaultSecret(path, arguments, readsInput: isPiped)
        let asked = words.isEmpty ? try SettingArguments.asked(name) : nil
        let transaction = try Session.begin(path, arguments, key: key)
        let old = try SettingArguments.old(name, transaction)
        var setting = old ?? Setting(.text(""))
        let usual =
            name == Compression.settingName ? .text : name == ModeKeeping.settingName ? .flag : old?.type ?? .text
        let wanted = type ?? usual
        guard name != ModeKeeping.settingName || wanted == .flag else {
            throw Failure(.invalid, "the setting '\(name)' is a flag: true or false")
        }
        setting.value = try SettingArguments.value(asked.map { [$0] } ?? words, wanted)
        if name == Compression.settingName {
            guard case .text(let word) = setting.value else { throw SettingArguments.isWord(name) }
            setting.value = .text(try Compression(typed: word).rawValue)
        }
        guard setting != old else { return Messages.done("nothing to change: it is set so") }
        try transaction.put(setting, as: name)
        return try Session.commit(transaction, arguments, saying: "set \(name)")
    }

    static let configPut = Verb.at(
        name: "config put", summary: "store a file as a setting", operands: "NAME FILE",
        options: [.vault, .wait, .savesAsJSON] + Option.use,
        example: "qvault config put ssh.config ~/.ssh/config", note: "16 MiB at most; 'config get' gives its bytes back"
    ) { path, arguments in
        let name = try SettingArguments.name(arguments.operands[0])
        let source = BytePath(arguments.operands[1])
        let file = try Machine.store.files.openFile(source, writing: false)
        let content = try file.bytes(at: 0, count: Setting.byteCount)
        guard content.count < Setting.byteCount - 64 else {
            throw Failure(
                .invalid, "\(source): is longer than a setting, 16 MiB", hint: "'qvault put' stores files of any size")
        }
        let transaction = try Session.begin(path, arguments)
        guard name != Compression.settingName else { throw SettingArguments.isWord(name) }
        var setting = try SettingArguments.old(name, transaction) ?? Setting(.file([]))
        setting.value = .file(content)
        try transaction.put(setting, as: name)
        return try Session.commit(transaction, arguments, saying: "set \(name)")
    }

    static let configGet = Verb.reading(
        name: "config get", summary: "print a setting", operands: "NAME", options: [.reveal, .json],
        example: "qvault config get copy.address", note: "a list has a line for each item; a file comes as its bytes"
    ) { vault, arguments in
        let name = try SettingArguments.name(arguments.operands[0])
        guard let entry = try vault.entry(Setting.id(name)) else { throw try SettingArguments.missing(name, vault) }
        let setting = try vault.setting(entry)
        var out = StandardOutput()
        if arguments.has(.json) {
            try out.write(setting.json(entry, arguments).line + "\n")
        } else if case .file(let bytes) = setting.value {
            try out.write(bytes.span)
        } else {
            // Asked for by name: in full, so that no script takes asterisks for the value.
            try out.write(raw: setting.lines(isRevealed: true).map { Terminal.shown($0) + "\n" }.joined())
        }
        try out.flush()
        return .done
    }

    static let configList = Verb.reading(
        name: "config list", summary: "list settings", operands: "[NAMESPACE]", options: [.reveal, .json],
        example: "qvault config list fund", note: "name, type and value of all that begin with 'fund.'; secrets as ****"
    ) { vault, arguments in
        let space = arguments.operands.first.map { $0 + [UInt8(ascii: ".")] } ?? []
        let entries = try vault.entries().filter {
            $0.kind == .setting && $0.overview.title.starts(with: space)
        }.sorted { $0.overview.title.lexicographicallyPrecedes($1.overview.title) }
        let width = entries.map { columns(printable($0.overview.title)) }.max() ?? 0
        return try StandardOutput.list(entries, arguments, json: { try vault.setting($0).json($0, arguments) }) {
            entry in
            let setting = try vault.setting(entry)
            let value = setting.lines(isRevealed: arguments.has(.reveal)).map { printable($0.utf8) }
            return "\(padded(printable(entry.overview.title), width))  \(padded(setting.type.rawValue, 6))  "
                + value.listed
        }
    }

    static let configUnset = Verb.changing(
        name: "config rm", summary: "put settings into the trash", operands: "NAME…",
        example: "qvault config rm copy.address", note: "'qvault undelete' brings it back"
    ) { transaction, arguments in
        var seen: Set<String> = []
        for name in try arguments.operands.map(SettingArguments.name) where seen.insert(name).inserted {
            guard let entry = try transaction.entry(Setting.id(name)) else {
                throw try SettingArguments.missing(name, transaction.before)
            }
            try transaction.trash(entry)
        }
        return try Session.commit(transaction, arguments, saying: "settings moved to the trash: \(seen.count)")
    }
}

/// Settings as a command line names and fills them.
private enum SettingArguments {
    static func name(_ word: [UInt8]) throws -> String {
        let name = String(decoding: word, as: UTF8.self)
        if let what = Setting.complaint(aboutName: name) {
            throw Failure(.invalid, "'\(printable(word))' \(what)", hint: "such as copy.address")
        }
        guard Config.Key(rawValue: name) == nil else {
            throw Failure(
                .usage, "'\(name)' is a setting of the program on this machine, not of a vault",
                hint: "'qvault settings set \(name) VALUE'")
        }
        return name
    }

    /// The setting that is there; nil where there is none that can be read, so that it can be set anew.
    static func old(_ name: String, _ transaction: VaultTransaction) throws -> Setting? {
        do { return try transaction.before.setting(name) } catch is FormatError { return nil }
    }

    static func isWord(_ name: String) -> Failure {
        Failure(.invalid, "'\(name)' is a word, auto or off", hint: "'qvault config set \(name) off'")
    }

    static func type(_ name: String) throws -> Setting.ValueType {
        guard let type = Setting.ValueType(rawValue: name), type != .file else {
            throw Failure(
                .usage, "--type takes text, number, flag, list or secret", hint: "'qvault config put' stores files")
        }
        return type
    }

    static func missing(_ name: String, _ vault: Vault) throws -> Failure {
        let names = try vault.entries().filter { $0.kind == .setting }
            .map { String(decoding: $0.overview.title, as: UTF8.self) }
        return Failure(
            .notFound, "no setting '\(name)'",
            hint: .meant(name, among: names, else: "'qvault config list' lists what is set"))
    }

    /// The text on standard input, without its last line feed.
    static func piped() throws -> String {
        guard isatty(STDIN_FILENO) == 0 else {
            throw Failure(.usage, "config set: which value?", hint: "give a VALUE, or --type secret to type it unseen")
        }
        let bytes = try StandardInput.all(upTo: Check.byteCount + 2)
        // A program that failed, or a file that is not there, is no value.
        guard !bytes.isEmpty else {
            throw Failure(.usage, "config set: standard input has no value", hint: "'' is an empty one")
        }
        return try Arguments.text(bytes.last == 0x0A ? bytes.dropLast() : bytes)
    }

    /// A secret, typed without echo.
    static func asked(_ name: String) throws -> String {
        let secret = try Terminal.askPassword("\(name): ")
        return try Arguments.text(secret.withSpan { Array(copying: $0) })
    }

    /// Words as a value.
    static func value(_ words: [String], _ type: Setting.ValueType) throws -> Setting.Value {
        for word in words {
            if let what = Check.text.complaint(about: word) { throw Failure(.invalid, "the value \(what)") }
        }
        let words = type == .list ? words.flatMap { $0.split(separator: "\n").map(String.init) } : words
        guard type == .list || words.count == 1 else {
            throw Failure(.usage, "a \(type.rawValue) has one value", hint: "quote it, or give --type list")
        }
        switch type {
        case .text, .file: return .text(words[0])
        case .secret: return .secret(words[0])
        case .list: return .list(words)
        case .number:
            guard let number = ExactDecimal(words[0]) else {
                throw Failure(.invalid, "'\(printable(words[0].utf8))' is not a number (example: -12.50)")
            }
            return .number(number)
        case .flag:
            let flags = ["true": true, "yes": true, "on": true, "false": false, "no": false, "off": false]
            guard let flag = flags[words[0].lowercased()] else {
                throw Failure(.invalid, "'\(printable(words[0].utf8))' is no flag", hint: "yes or no")
            }
            return .flag(flag)
        }
    }
}

extension Setting {
    /// The value for people, a line for each item of a list.
    fileprivate func lines(isRevealed: Bool) -> [String] {
        switch value {
        case .text(let text): [text]
        case .number(let number): [number.description]
        case .flag(let flag): [flag ? "true" : "false"]
        case .list(let items): items
        case .secret(let text): [isRevealed ? text : "****"]
        case .file(let bytes): [sizeText(UInt64(bytes.count))]
        }
    }

    fileprivate func json(_ entry: Entry, _ arguments: Arguments) -> JSON {
        [
            "name": String(decoding: entry.overview.title, as: UTF8.self), "type": type.rawValue,
            "value": type == .secret && !arguments.has(.reveal) ? "****".json : json, "updated": entry.updated,
        ]
    }
}
