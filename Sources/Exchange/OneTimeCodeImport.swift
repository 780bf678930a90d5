import Cards
import VaultFormat

extension ImportBatch {
    /// Logins from addresses of one-time codes, a line each; each code is a login, or is joined to the one of its name
    /// (Spec/product/export.md, 5).
    public init(oneTimeCodes lines: [String]) {
        self.init()
        for (index, line) in lines.enumerated() {
            let place: Phrase = "line \(index + 1)"
            do {
                let found = try OneTimeCodes(line)
                for code in found.codes { add(Self.login(code, place)) }
                if found.part.count > 1 {
                    notices.append(ImportProblem(place, "is QR code \(found.part.number) of \(found.part.count)"))
                }
            } catch let problem as OneTimePassword.Problem {
                leaveOut(place, problem.what)
            } catch {
                leaveOut(place, "cannot be read")
            }
        }
    }

    private static func login(_ code: OneTimeCodes.Code, _ place: Phrase) -> ForeignItem {
        var card = ForeignItem(at: place)
        card.title = code.issuer.isEmpty ? code.account : code.issuer
        card.fields = [("username", code.account), ("totp", code.address)]
        return card
    }
}
