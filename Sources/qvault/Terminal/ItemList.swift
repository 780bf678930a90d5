import VaultFormat

extension StandardOutput {
    /// Writes a line for each of some items: JSON where that is asked for, else text for people.
    static func list<Item>(
        _ items: some Sequence<Item>, _ arguments: Arguments, json: (Item) throws -> JSON,
        text: (Item) throws -> String
    ) throws -> ExitCode {
        var out = StandardOutput()
        for item in items { try out.write((arguments.has(.json) ? json(item).line : text(item)) + "\n") }
        try out.flush()
        return .done
    }
}
