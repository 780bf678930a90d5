import Glibc
import Portfolio
import VaultCrypto
import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Bench {
    /// 500 assets, 200 holdings, a snapshot a day for 5 years: the screen beside the list of an empty vault.
    func household() throws {
        try shell("\(qvault) create nothing.qvault && \(qvault) unlock nothing.qvault")
        let home = BytePath("\(folder)/home.qvault")
        try putSnapshots(home, Saves.newVault(home, in: .system()))
        try shell(Self.makeHousehold, qvault)
        unsafe unsetenv("QVAULT_PASSWORD_COMMAND")
        defer { unsafe setenv("QVAULT_PASSWORD_COMMAND", "printf %s correct-horse-battery", 1) }
        let empty = "\(qvault) fund -f nothing.qvault"
        try compare("dashboard, 500 assets, 5 years", ["dashboard", "-f", "home.qvault"], peer: "fund of none", empty)
        try compare(
            "report --json of the same", ["report", "--json", "-f", "home.qvault"], peer: "fund of none", empty)
        try compare(
            "api summary of the same", ["api", "GET", "/api/dashboard/summary", "-f", "home.qvault"],
            peer: "fund of none", empty)
        try lookThrough()
        let before = try Int(Saves.byteCount(of: "\(folder)/home.qvault"))
        try shell("\(qvault) asset update -f home.qvault $(seq -f 'a%g=77' 1 50) > /dev/null")
        show(
            "asset update of 50 balances: \((try Int(Saves.byteCount(of: "\(folder)/home.qvault")) - before) / 1024) KiB more, one save"
        )
        try yearOfSnapshots()
        try shell("\(qvault) lock --all; rm -f *.qvault *.csv *.txt")
    }

    /// The categories of 200 funds that are held, each with 10 sectors.
    private func lookThrough() throws {
        let funds = (0..<200).map { number in
            let report = (0..<10).map { sector in
                AllocationLine(
                    .sector, "sector \(number % 7 + sector)", percentage: ExactDecimal("9.\(sector)7") ?? .zero,
                    day: nil)
            }
            return LookThrough.Held(
                code: "\(100_000 + number)", name: "fund", value: ExactDecimal("\(1000 + number).57") ?? .zero,
                report: report)
        }
        let clock = ContinuousClock()
        let times = (0..<21).map { _ in
            clock.measure { precondition(LookThrough(funds).coveredFunds == 200, "all have a report") }
        }
        show("look-through of 200 funds of 10 sectors: \(times.sorted()[10]) (median of 21)")
    }

    /// What a snapshot on each of 365 days adds: the day is that of a net value, which a save before brings.
    private func yearOfSnapshots() throws {
        try shell(
            """
            \(qvault) fund add -f nothing.qvault shares=10 cost=1 100000; \(qvault) asset add -f nothing.qvault a category=liquid amount=12345.67 bucket=liquid
            for i in $(seq 365 -1 1); do echo "P $(date -d "-$i day" +%F) 100000 2.$i CNY"; done > days.txt
            """)
        var added = 0
        for number in 1...365 {
            try shell("sed -n \(number)p days.txt | \(qvault) fund import -f nothing.qvault - > /dev/null")
            let before = try Int(Saves.byteCount(of: "\(folder)/nothing.qvault"))
            try shell("\(qvault) snapshot -f nothing.qvault > /dev/null")
            added += try Int(Saves.byteCount(of: "\(folder)/nothing.qvault")) - before
        }
        show("a year of daily snapshots: \(added / 1024) KiB more")
    }

    private func putSnapshots(_ path: BytePath, _ master: consuming Secret) throws {
        let save = try VaultTransaction(path, in: .system()) { [master] _ in try master.slice(0..<master.byteCount) }
        for year in 2021...2025 {
            var series = Series()
            for day in 0..<365 {
                let values = [
                    "12000.50", "130000.\(10 + day % 90)", "\(7000 + day).00", "6240.00", "\(149_000 + day).25",
                ]
                series.set(
                    "CNY",
                    Series.Point(
                        time: UInt64((year - 1970) * 365 + 12 + day),
                        values: values + ["2813000.50", "980000.00", "18330\(10 + day % 90).50"]))
            }
            try save.put(series, as: "asset.snapshot.\(year)")
        }
        _ = try save.commit()
    }

    private static let makeHousehold = """
        awk 'BEGIN { print "title,category,amount,bucket,annual_rate"; for (n = 1; n <= 500; n++)
            printf "a%d,%s,%d.%02d,%s,%s\\n", n, n % 5 ? "liquid" : "debt", 1000 + n * 17, n % 100, n % 3 ? "liquid" : "stable", "1.75" }' > assets.csv
        "$1" unlock home.qvault
        "$1" import -f home.qvault --kind asset assets.csv
        "$1" fund add -f home.qvault allocation='sector 30 a; sector 20 b; geography 90 c' stock_position=90 $(seq 100000 100199)
        awk 'BEGIN { print "code,platform,shares,cost"; for (n = 0; n < 200; n++) printf "%d,p%d,%d,1.5\\n", 100000 + n, n % 4, n + 10 }' > held.csv
        awk 'BEGIN { for (n = 0; n < 200; n++) printf "P 2026-01-05 %d 2.%04d CNY\\n", 100000 + n, n * 31 }' > nav.txt
        "$1" fund import -f home.qvault held.csv nav.txt
        """
}
