import VaultFormat

extension Card {
    /// What a holding says of days to come: nothing is bought or sold on them yet.
    ///
    /// - Parameter today: days since 1970.
    public func complaintOfDays(after today: Int64) -> Complaint? {
        guard schema.name == "holding" else { return nil }
        let days = Trade.list(fields.texts["trades"] ?? "").map(\.day)
        if days.contains(where: { $0.dayNumber ?? 0 > today }) {
            return Complaint(key: "trades", label: schema["trades"]?.label, what: "has a trade of a day to come")
        }
        guard fields.texts["date"]?.dayNumber ?? 0 > today else { return nil }
        return Complaint(key: "date", label: schema["date"]?.label, what: "is a day to come")
    }
}
