public import Values
import VaultFormat

extension Card {
    /// What a holding says of days to come: nothing is bought or sold on them yet.
    public func complaintOfDays(after today: Day) -> Complaint? {
        guard schema.name == "holding" else { return nil }
        func isLater(_ day: String) -> Bool { Day(day).map { $0 > today } ?? false }
        let days = Trade.list(fields.texts["trades"] ?? "").map(\.day)
        if days.contains(where: isLater) { return complaint("trades", "has a trade of a day to come") }
        return fields.texts["date"].map(isLater) ?? false ? complaint("date", "is a day to come") : nil
    }
}
