import VaultFormat

extension Verb {
    static let settings = Verb(
        name: "settings", summary: "the settings of the program on this machine", operands: "[NAME]",
        operandCount: 0...1,
        options: [.json],
        example: ("qvault settings", "each with its value; what is kept in a vault is 'qvault config'")
    ) { arguments in
        let wanted = try arguments.operands.first.map(key)
        let rows = try Config.all().filter { wanted == nil || $0.key == wanted }
        let width = rows.map { columns($0.key.rawValue) }.max() ?? 0
        for (key, value, place) in rows {
            if arguments.has(.json) {
                let line = JSON.object([
                    ("name", .text(key.rawValue)), ("value", value.map { .text($0) } ?? .null),
                    ("is_default", .bool(place == nil)),
                ])
                try StandardOutput.print(line.line + "\n")
            } else if wanted != nil {
                try StandardOutput.print((value ?? "") + "\n")
            } else {
                let shown = printable((value ?? "-").utf8)
                let note = place == nil ? "" : "  *"
                try StandardOutput.print(
                    "\(padded(key.rawValue, width))  \(padded(shown + note, 12))  \(key.meaning.said)\n")
            }
        }
        return .done
    }

    static let settingsSet = Verb(
        name: "settings set", summary: "change a setting of the program", operands: "NAME VALUE", operandCount: 2...2,
        options: [],
        example: ("qvault settings set session-timeout 5m", "'qvault help configuration' lists names and values")
    ) { arguments in
        let key = try key(arguments.operands[0])
        guard let value = String(validating: arguments.operands[1], as: UTF8.self) else {
            throw Failure(.invalid, "'\(printable(arguments.operands[1]))' is not UTF-8")
        }
        try Config.set(key, to: value)
        Messages.done("set \(key.rawValue)", arguments)
        return .done
    }

    static let settingsRemove = Verb(
        name: "settings rm", summary: "go back to the standard value of a setting", operands: "NAME",
        operandCount: 1...1,
        options: [], example: ("qvault settings rm session-timeout", "15 minutes, as before")
    ) { arguments in
        let key = try key(arguments.operands[0])
        try Config.set(key, to: nil)
        Messages.done("\(key.rawValue) is back to its standard value", arguments)
        return .done
    }

    /// - Throws: `Failure`: a name with a dot belongs into a vault.
    private static func key(_ name: [UInt8]) throws -> Config.Key {
        let name = String(decoding: name, as: UTF8.self)
        if let key = Config.Key(rawValue: name) { return key }
        let near = nearest(name, among: Config.Key.allCases.map(\.rawValue))
        let hint: Phrase =
            if let near { "did you mean \(near)?" } else if name.contains(".") {
                "settings kept in a vault: 'qvault config'"
            } else { "'qvault settings' lists them" }
        throw Failure(.notFound, "no setting of the program is called '\(printable(name.utf8))'", hint: hint)
    }
}
