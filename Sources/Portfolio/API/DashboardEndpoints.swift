import VaultFormat
import Cards
import VaultStore

extension Endpoint {
    private static let reminder = Shape<(item: HouseholdReminder, language: Language)>(
        "Reminder",
        [
            .word("type", \.item.kind),
            ShapeField("level", .word(HouseholdReminder.levels.map(\.name))) { .optional($0.item.level) },
            .text("title") { $0.item.title.text(in: $0.language) },
            .text("detail", \.item.detail, "names, without an amount"),
            .count("days", \.item.days, "from today; negative once it is past").orNull,
            .text("link", \.item.kind.link, "the page of an app"),
        ])

    static let dashboard = [
        Endpoint(
            .get, "/api/health", "Tells that calls are answered",
            .json(.object(APIObject("Health", [APIField("status", .word(["ok"]))])))
        ) { _ in ["status": "ok"] },
        Endpoint(.get, "/api/dashboard/summary", "The totals of the four buckets", .object(Household.Buckets.shape)) {
            try Household($0.vault).buckets(today: $0.today)
        },
        Endpoint(
            .get, "/api/dashboard/reminders",
            "What is past or ends within 30 days, and is not put off, by level, then by days; without days last",
            .list(reminder)
        ) { call in
            // Only these are listed: a damaged card of another kind does not matter here.
            let kinds = ["asset", "policy"].compactMap { Schema.named($0)?.kind }
            let records = try call.vault.entries { kinds.contains($0.kind) }
            let due = try Due.all(in: call.vault, within: 30, today: call.today, among: records)
            let reminders = HouseholdReminder.all(due, try Household(call.vault))
            return reminders.map { ($0, call.surroundings.language) }
        },
        Endpoint(
            .get, "/api/dashboard/trend", "The snapshots, the earliest first",
            query: [
                APIField(
                    "days", .integer, isOptional: true, "the last so many days; 90 where it is left out, 0 for all")
            ],
            errors: [(422, "days is no number from 0")], .list(Snapshot.shape)
        ) { call in
            guard let days = Int64(call.query["days"] ?? "90"), days >= 0 else {
                throw APIProblem(422, "days is no number from 0")
            }
            return try Snapshot.all(in: call.vault).filter { days == 0 || $0.day.distance(to: call.today) < days }
        },
        Endpoint(
            .post, "/api/dashboard/snapshot",
            "Keeps today's totals; a second snapshot of a date takes the place of the first", .object(Snapshot.shape)
        ) { call in
            let snapshot = try Snapshot(call.vault, today: call.today)
            _ = try snapshot.store(in: call.change())
            return snapshot
        },
    ]
}
