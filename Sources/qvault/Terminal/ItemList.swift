import VaultFormat

extension StandardOutput {
    /// Writes a line for each of some items: JSON where that is asked for, else text for people.
    @discardableResult
    static func list<Item>(
        _ items: some Sequence<Item>, _ arguments: Arguments, json: (Item) throws -> JSON,
        text: (Item) throws -> String
    ) throws -> ExitCode {
        var out = StandardOutput()
        for item in items {
            if arguments.has(.json) { try out.write(json(item).line + "\n") } else { try out.show(text(item) + "\n") }
        }
        try out.flush()
        return .done
    }

    /// The same of very many items, by all cores; `text` puts a line behind those before it.
    @discardableResult
    static func list<Items: RandomAccessCollection>(
        many items: Items, _ arguments: Arguments, json: (Items.Element) -> JSON,
        text: (Items.Element, inout [UInt8]) -> Void
    ) throws -> ExitCode where Items.Index == Int {
        var out = StandardOutput()
        if arguments.has(.json) {
            try out.write(linesOf: items) { $1 += json($0).line.utf8 }
        } else {
            try out.show(linesOf: items, text)
        }
        try out.flush()
        return .done
    }
}
