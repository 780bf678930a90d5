import Portfolio
import Values

extension Phrase {
    /// A cell of a table on a terminal.
    var cell: String {
        // Most are values, which are the same in every language.
        if template == "{}", case .text(let text)? = arguments.first { return printable(text.utf8) }
        return printable(said.utf8)
    }
}

extension Table {
    /// The table in columns as wide as the widest cell; cells from one place on stand to the right.
    func text(rightFrom place: Int) -> String {
        Figures.table(([head] + rows + [sums].compactMap(\.self)).map { $0.map(\.cell) }, rightFrom: place)
    }
}

extension StandardOutput {
    /// Writes values as lines of JSON where that is asked for, else each as text.
    static func print<Value>(
        _ shape: Shape<Value>, _ values: [Value], _ arguments: Arguments, text: (Value) throws -> String
    ) throws {
        guard !arguments.has(.json) else { return try print(jsonOf: shape, values, arguments) }
        try print(values.map { try text($0).trimmingEnd() + "\n" }.joined())
    }

    /// Writes values as lines of JSON.
    static func print<Value>(jsonOf shape: Shape<Value>, _ values: [Value], _ arguments: Arguments) throws {
        try print(values.map { shape.texts($0, isHidden: arguments.has(.private)).line + "\n" }.joined())
    }
}
