import Cards
import CSystem
import Glibc
import Portfolio
import VaultFormat

extension Verb {
    static let fundChart = Verb.at(
        name: "fund chart", summary: "draw a fund's net values, or today's estimates", operands: "CODE",
        options: [
            .vault, .moment, Option(.days, value: "N", help: "so many days: 7, 30, 365 (30)"),
            Option(
                .today, help: "the estimates of the last day that has any; with --days, of so many days (30 are kept)"),
            Option(.output, also: "-o", value: "FILE", help: "a picture (SVG), which is not encrypted"),
            Option(.force, help: "replace FILE"), .json,
        ] + Option.use,
        example: "qvault fund chart 110011 --days 365 -o t.svg", note: "without -o it is drawn in the terminal"
    ) { path, arguments in
        let days = try arguments.days(or: "fund chart: --days takes a number of days, like 7, 30 or 365")
        let watchlist = try Watchlist(Session.openAsOf(path, arguments))
        let fund = try FundArguments.fund(arguments.operands[0], in: watchlist)
        let chart =
            arguments.has(.today)
            ? Chart(estimatesOf: fund, watchlist, days: days ?? 1, say: \.said)
            : Chart(netValuesOf: fund, watchlist, days: days ?? 30, say: \.said)
        guard let chart else {
            throw Failure(
                .notFound, "fund \(fund.code) has nothing to draw for this time",
                hint: "'qvault fund import' and 'qvault fund update' bring net values")
        }
        if arguments.has(.today) { Messages.note(FundTable.disclaimer) }
        return try chart.write(arguments, timeKey: "time")
    }
}

extension Chart {
    /// Writes it as a picture with `-o`, as lines of JSON, or drawn for a terminal: with `--plain` as lines of time and value.
    func write(_ arguments: Arguments, timeKey: String) throws -> ExitCode {
        let values = points.map { (timeText($0.time), hidesValues ? hiddenAmount : $0.value.description) }
        if let output = arguments.bytes(.output) { return try TextOutput.write(svg, to: output, arguments) }
        guard arguments.has(.json) || arguments.has(.plain) else {
            let width = min(100, Int(qv_terminal_columns(STDOUT_FILENO)))
            return try StandardOutput.print(([title] + lines(width: width, height: 13)).joined(separator: "\n") + "\n")
        }
        return try StandardOutput.list(
            values, arguments, json: { [timeKey: $0, "value": $1] }, text: { "\($0)  \($1)" })
    }
}
