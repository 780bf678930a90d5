import VaultFormat

extension Endpoint {
    static let diagnosis = [
        Endpoint(
            .get, "/api/diagnosis/report", "The report that `qvault diagnosis import` keeps, as it was written",
            errors: [(404, "no report is kept")], .json(.any)
        ) { call in
            guard let report = try Diagnosis(call.vault) else { throw APIProblem(404, "no report is kept") }
            return report.json
        }
    ]
}
