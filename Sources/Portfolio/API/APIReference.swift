extension PortfolioAPI {
    /// Spec/api.md: all calls and objects, from their declarations.
    public static var reference: String {
        let calls = endpoints.map(\.lines).joined(separator: [""])
        let objects = APIObject.all(in: endpoints).map(\.lines).joined(separator: [""])
        return ([introduction, "## 1. Calls", ""] + calls + ["", "## 2. Objects", ""] + objects).joined(separator: "\n")
            + "\n"
    }

    private static let introduction = """
        # Calls of the portfolio

        `qvault api METHOD PATH` answers the calls of this page: the body of a call comes from standard input, the answer goes
        to standard output as one line of JSON, and no socket is opened. A program calls `VaultFile.answer` of the library instead.
        `qvault api` without a call prints this page from the declarations that requests are read by.

        | type | JSON |
        |---|---|
        | text, note, id, day, time | a string; a note is what somebody wrote; an id has 32 hexadecimal digits, a day is `YYYY-MM-DD`, a time is RFC 3339 in UTC |
        | money, percent | a number with 2 places at most: yuan where nothing else is said, and a share times 100; half-even |
        | number | a number with all its places |
        | integer | a whole number |

        - A number of JSON keeps 15 digits; a string ("12,345.60") keeps 34. Fields that are not declared are kept with the card,
          and come back behind the others. Fields marked `?` may be left out; in an answer they may be null.
        - An id in a path may be the name of the card, or `CODE@PLATFORM` of a holding, where only one has it.
        - An error is `{"status":…,"detail":"…"}`: 404 with exit code 10, 405 with 2, 422 with 11. Nothing is stored then.
        - `--private` puts `"****"` in the place of each amount, of shares and costs, of notes, and of fields that are not declared.
        - Titles and sentences are in the language of `--lang`; a library passes it.
        - `--at DAY` reckons days from another day than today.

        """
}

extension Endpoint {
    fileprivate var lines: [String] {
        var lines = ["### \(method.rawValue) \(path)", "", "\(summary)."]
        var rows: [String] = []
        for field in query {
            let note = field.note.isEmpty ? "" : ": \(field.note)"
            rows.append("- query `\(field.name)`\(field.isOptional ? "?" : ""), \(field.type.said)\(note)")
        }
        if let request { rows.append("- request: \(request.said)") }
        rows.append("- answer: \(response.said)")
        rows += errors.map { "- \($0.status): \($0.what)" }
        lines += [""] + rows
        return lines
    }
}

extension APIObject {
    fileprivate var lines: [String] {
        ["### \(name)", "", "| field | type | meaning |", "|---|---|---|"]
            + fields.map { "| `\($0.name)`\($0.isOptional ? "?" : "") | \($0.type.said) | \($0.note) |" }
    }

    /// The objects of calls, each once, in the order in which they are named.
    fileprivate static func all(in endpoints: [Endpoint]) -> [APIObject] {
        var (objects, names) = ([APIObject](), Set<String>())
        func add(_ type: APIType) {
            switch type {
            case .object(let object):
                guard names.insert(object.name).inserted else { return }
                objects.append(object)
                for field in object.fields { add(field.type) }
            case .list(let item), .map(_, let item): add(item)
            default: break
            }
        }
        for endpoint in endpoints {
            if let request = endpoint.request { add(request) }
            add(endpoint.response)
        }
        return objects
    }
}
