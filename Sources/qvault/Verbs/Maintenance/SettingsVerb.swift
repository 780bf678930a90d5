import VaultFormat

extension Verb {
    static let settings = Verb(
        name: "settings", summary: "the settings of the program on this machine", operands: "[NAME]", options: [.json],
        example: "qvault settings", note: "each with its value; what is kept in a vault is 'qvault config'"
    ) { arguments in
        let wanted = try arguments.operands.first.map(key)
        let rows = try Config.all().filter { wanted == nil || $0.key == wanted }
        let width = rows.map { columns($0.key.rawValue) }.max() ?? 0
        return try StandardOutput.list(rows, arguments) { key, value, place in
            ["name": key.rawValue, "value": value, "is_default": place == nil]
        } text: { key, value, place in
            guard wanted == nil else { return value ?? "" }
            let shown = printable((value ?? "-").utf8) + (place == nil ? "" : "  *")
            return "\(padded(key.rawValue, width))  \(padded(shown, 12))  \(key.meaning.said)"
        }
    }

    static let settingsSet = Verb(
        name: "settings set", summary: "change a setting of the program", operands: "NAME VALUE",
        example: "qvault settings set session-timeout 5m", note: "'qvault help configuration' lists names and values"
    ) { arguments in
        let key = try key(arguments.operands[0])
        try Config.set(key, to: Arguments.text(arguments.operands[1]))
        return Messages.done("set \(key.rawValue)")
    }

    static let settingsRemove = Verb(
        name: "settings rm", summary: "go back to the standard value of a setting", operands: "NAME",
        example: "qvault settings rm session-timeout", note: "15 minutes, as before"
    ) { arguments in
        let key = try key(arguments.operands[0])
        try Config.set(key, to: nil)
        return Messages.done("\(key.rawValue) is back to its standard value")
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
