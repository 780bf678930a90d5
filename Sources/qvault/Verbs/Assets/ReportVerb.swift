import Portfolio
import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Verb {
    static let report = Verb.at(
        name: "report", summary: "all figures of the household as a page to print, or as JSON for another program",
        options: [
            .vault, Option(.output, also: "-o", value: "FILE", help: "the page (HTML), which is not encrypted"),
            Option(.force, help: "replace FILE"), .isPrivate, .json,
        ] + Option.use,
        example: "qvault report --private -o report.html",
        note: "--json gives the same as one object of JSON; see Spec/api.md"
    ) { path, arguments in
        guard arguments.has(.json) || arguments.has(.output) else {
            throw Failure(.usage, "report: -o FILE for a page, or --json")
        }
        let name = arguments.bytes(.output) ?? Array("-".utf8)
        guard !name.suffix(4).elementsEqual(Array(".pdf".utf8)) else {
            throw Failure(.usage, "report: a page is HTML", hint: "-o report.html, and print that to PDF in a browser")
        }
        let vault = try Session.open(path, arguments)
        let text = try arguments.has(.json) ? ReportFigures.line(vault, arguments) : page(vault, arguments)
        return try TextOutput.write(text, to: name, arguments)
    }
}

/// `report -o FILE`.
private func page(_ vault: Vault, _ arguments: Arguments) throws -> String {
    let due = try Due.today(in: vault, within: 30, isPresent: false).map { item -> [Phrase] in
        ["\(item.day.text)", "\(item.label)", "\(item.rawTitle)"]
    }
    let page = try ReportPage(
        vault, today: Machine.today, due: due, notes: Figures(arguments).withoutRate(Household(vault)),
        isHidden: arguments.has(.private), in: .current, say: \.said)
    return page.html
}

/// `report --json`: the answers of Spec/api.md that read, by name, and the totals of the five categories.
private enum ReportFigures {
    private static let calls = [
        ("summary", "/api/dashboard/summary"), ("reminders", "/api/dashboard/reminders"),
        ("trend", "/api/dashboard/trend?days=365"), ("liquid", "/api/liquid"), ("stable", "/api/stable"),
        ("insurance", "/api/insurance"), ("holdings", "/api/holdings"), ("platforms", "/api/portfolio/by-platform"),
        ("asset_class", "/api/portfolio/allocation?dimension=asset_class"),
        ("geography", "/api/portfolio/allocation?dimension=geography"),
        ("sector", "/api/portfolio/allocation?dimension=sector"), ("position", "/api/position/budget"),
        ("suggestion", "/api/position/suggestion"),
    ]

    static func line(_ vault: Vault, _ arguments: Arguments) throws -> String {
        let (now, figures) = (Machine.store.now(), Figures(arguments))
        let surroundings = APISurroundings(today: Machine.today, now: now, language: .current)
        let answers = try calls.map { name, path in
            let answer = try PortfolioAPI("GET", path).answer(vault, surroundings, isPrivate: figures.isHidden)
            return JSON.quoted(name) + ":" + answer
        }
        let watchlist = try Watchlist(vault)
        let household = try Household(vault, watchlist)
        let check = try HouseholdCheck(vault, household, watchlist, today: surroundings.today)
        let findings = check.findings.map { HouseholdCheck.Finding.line.texts($0) }
        let rest = [
            "\"date\":" + JSON.text(String(timeText(now, local: true).prefix(10))).line,
            "\"family\":" + Household.line.texts(household, isHidden: figures.isHidden).line,
            "\"check\":" + JSON.list(findings).line,
        ]
        return "{" + (rest + answers).joined(separator: ",") + "}\n"
    }
}
