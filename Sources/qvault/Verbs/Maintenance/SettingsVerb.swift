import VaultFormat

extension Verb {
    static let settings = Verb(
        name: "settings", summary: "the settings of the program on this machine", operands: "[NAME]", options: [.json],
        example: "qvault settings", note: "each with its value; what is kept in a vault is 'qvault config'"
    ) { arguments in
        let wanted = try arguments.operands.first.map(key)
        let rows = try Config.all().filter { wanted == nil || $0.key == wanted }
        let width = rows.map { columns($0.key.rawValue) }.max() ?? 0
        return try StandardOutput.list(rows, arguments, json: json) { key, value, place in
            guard wanted == nil else { return value ?? "" }
            let shown = printable((value ?? "-").utf8) + (place == nil ? "" : "  *")
            return "\(padded(key.rawValue, width))  \(padded(shown, 12))  \(key.meaning.said)"
        }
    }

    static let settingsSet = Verb(
        name: "settings set", summary: "change a setting of the program", operands: "NAME VALUE", options: [.json],
        example: "qvault settings set session-timeout 5m", note: "'qvault help configuration' lists names and values"
    ) { arguments in
        let key = try key(arguments.operands[0])
        try Config.set(key, to: Arguments.text(arguments.operands[1]))
        return try done(key, "set \(key.rawValue)", arguments)
    }

    static let settingsRemove = Verb(
        name: "settings rm", summary: "go back to the standard value of a setting", operands: "NAME", options: [.json],
        example: "qvault settings rm session-timeout", note: "15 minutes, as before"
    ) { arguments in
        let key = try key(arguments.operands[0])
        try Config.set(key, to: nil)
        return try done(key, "\(key.rawValue) is back to its standard value", arguments)
    }

    /// Says what became of a setting, or shows it.
    private static func done(_ key: Config.Key, _ what: Phrase, _ arguments: Arguments) throws -> ExitCode {
        for row in try Config.all() where row.key == key { try Messages.done(what, arguments, json: json(row)) }
        return .done
    }

    private static func json(_ row: (key: Config.Key, value: String?, place: Phrase?)) -> JSON {
        ["name": row.key.rawValue, "value": row.value, "is_default": row.place == nil]
    }

    private static func key(_ name: [UInt8]) throws -> Config.Key {
        let name = String(decoding: name, as: UTF8.self)
        if let key = Config.Key(rawValue: name) { return key }
        throw Failure(
            .notFound, "no setting of the program is called '\(printable(name.utf8))'",
            hint: .meant(
                name, among: Config.Key.allCases.map(\.rawValue),
                else: name.contains(".")
                    ? "settings kept in a vault: 'qvault config'" : "'qvault settings' lists them"))
    }
}
