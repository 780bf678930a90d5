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
        let rows = ([head] + rows + [sums].compactMap(\.self)).map { $0.map(\.cell) }
        return inColumns(rows) { $0 >= place }.map { $0 + "\n" }.joined()
    }
}

extension StandardOutput {
    /// Writes values as lines of JSON where that is asked for, else each as text.
    @discardableResult
    static func print<Value>(
        _ shape: Shape<Value>, _ values: [Value], _ arguments: Arguments, text: (Value) throws -> String
    ) throws -> ExitCode {
        try print(shape, values, arguments, table: values.map { try text($0).trimmingEnd() + "\n" }.joined())
    }

    /// The same with one text for all of them.
    @discardableResult
    static func print<Value>(
        _ shape: Shape<Value>, _ values: [Value], _ arguments: Arguments, table: @autoclosure () throws -> String
    ) throws -> ExitCode {
        guard arguments.has(.json) else { return try show(table()) }
        return try print(values.map { shape.texts($0, isHidden: arguments.has(.private)).line + "\n" }.joined())
    }
}
