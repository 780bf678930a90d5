import VaultFormat

extension StandardOutput {
    /// Writes a line for each of some items: JSON where that is asked for, else text for people.
    @discardableResult
    static func list<Item>(
        _ items: some Sequence<Item>, _ arguments: Arguments, json: (Item) throws -> JSON,
        text: (Item) throws -> String
    ) throws -> ExitCode {
        var out = StandardOutput()
        for item in items { try out.write((arguments.has(.json) ? json(item).line : text(item)) + "\n") }
        try out.flush()
        return .done
    }

    /// The same of very many items, by all cores; `text` puts a line behind those before it.
    @discardableResult
    static func list<Items: RandomAccessCollection>(
        many items: Items, _ arguments: Arguments, json: (Items.Element) -> JSON,
        text: (Items.Element, inout [UInt8]) -> Void
    ) throws -> ExitCode where Items.Index == Int {
        let isJSON = arguments.has(.json)
        var out = StandardOutput()
        try out.write(linesOf: items) { if isJSON { $1 += json($0).line.utf8 } else { text($0, &$1) } }
        try out.flush()
        return .done
    }
}
