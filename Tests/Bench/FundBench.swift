import Glibc

extension Bench {
    /// A watchlist, in an unlocked vault: lists beside the list of an empty one, imports beside reading the file.
    func funds() throws {
        try shell(Self.makePrices, "year.txt", "100", "28")
        try shell(Self.makePrices, "lines.txt", "400", "21")
        let stocks = (0..<10).map { "60000\($0) 9.5" }.joined(separator: "; ")
        for (name, count) in [("unwatched", 0), ("hundred", 100), ("thousand", 1000)] {
            try shell("\(qvault) create \(name).qvault && \(qvault) unlock \(name).qvault")
            guard count > 0 else { continue }
            try shell(
                "\(qvault) fund add -f \(name).qvault shares=10 cost=1.5 stocks='\(stocks)' $(seq 100000 \(99_999 + count))"
            )
        }
        try shell(Self.makeQuotes, "quotes.txt")
        try shell("for name in hundred thousand; do \(qvault) fund import -f $name.qvault quotes.txt; done")
        try shell("\(qvault) fund import -f hundred.qvault year.txt; \(qvault) fund import -f thousand.qvault year.txt")
        // A password that is given goes before what is unlocked.
        unsafe unsetenv("QVAULT_PASSWORD_COMMAND")
        let empty = "\(qvault) fund -f unwatched.qvault"
        try compare("fund, 1,000 × 10 holdings", ["fund", "-f", "thousand.qvault"], peer: "fund of none", empty)
        try compare("fund, 100 and a year", ["fund", "-f", "hundred.qvault"], peer: "fund of none", empty)
        try compare(
            "fund chart, 365 days", ["fund", "chart", "-f", "hundred.qvault", "100000", "--days", "365"],
            peer: "fund of none", empty)
        unsafe setenv("QVAULT_PASSWORD_COMMAND", "printf %s correct-horse-battery", 1)
        try compare(
            "import 100,800 prices", ["fund", "import", "-f", "new.qvault", "lines.txt"],
            before: "rm -f new.qvault; \(qvault) create new.qvault", peer: "cat", "cat lines.txt > /dev/null")
        try growth()
        try dayOfWatching()
        try table()
        try shell("\(qvault) lock --all; rm -f *.qvault *.txt")
    }

    /// What 250 trading days of two saves add to a file: prices of the day for 20 funds, then their net values.
    private func growth() throws {
        try shell("\(qvault) create days.qvault && \(qvault) unlock days.qvault")
        try shell(
            "\(qvault) fund add -f days.qvault shares=10 cost=1.5 stocks='600000 50; 600001 40' $(seq 100000 100019)")
        unsafe unsetenv("QVAULT_PASSWORD_COMMAND")
        defer { unsafe setenv("QVAULT_PASSWORD_COMMAND", "printf %s correct-horse-battery", 1) }
        let before = try byteCount("days.qvault")
        try shell(
            """
            for i in $(seq 250 -1 1); do
                awk -v t="$(date -u -d "-$i day" +%FT06:45:00Z)" -v i=$i 'BEGIN { for (n = 0; n < 2; n++)
                    printf "{\\"code\\":\\"60000%d\\",\\"time\\":\\"%s\\",\\"price\\":\\"10.%02d\\",\\"previous_close\\":\\"10\\",\\"source\\":\\"tencent\\"}\\n",
                        n, t, (i * 7 + n) % 100 }' | \(qvault) fund import -f days.qvault -
                awk -v d="$(date -u -d "-$i day" +%F)" -v i=$i 'BEGIN { for (n = 0; n < 20; n++)
                    printf "P %s %d 2.%04d CNY\\n", d, 100000 + n, (i * 13 + n * 31) % 10000 }' |
                    \(qvault) fund import -f days.qvault - --source eastmoney
            done
            """)
        let after = try byteCount("days.qvault")
        show("250 days of 20 funds, 2 saves a day: \((after - before) / 1024) KiB more, \(after / 1024) KiB in all")
    }

    /// What a day of `fund watch` adds: a save every 20 minutes, with an estimate a minute of each of 20 funds.
    private func dayOfWatching() throws {
        try shell(
            """
            \(qvault) create watch.qvault && \(qvault) unlock watch.qvault
            \(qvault) fund add -f watch.qvault method=given $(seq 100000 100019)
            """)
        unsafe unsetenv("QVAULT_PASSWORD_COMMAND")
        defer { unsafe setenv("QVAULT_PASSWORD_COMMAND", "printf %s correct-horse-battery", 1) }
        let before = try byteCount("watch.qvault")
        try shell(
            """
            day=$(date -u -d yesterday +%F)
            for start in 90 110 130 150 170 190 300 320 340 360 380 400; do
                awk -v day=$day -v start=$start 'BEGIN { for (m = start; m < start + 20; m++) for (n = 0; n < 20; n++)
                    printf "{\\"code\\":\\"%d\\",\\"time\\":\\"%sT%02d:%02d:00Z\\",\\"estimate\\":\\"2.%04d\\",\\"source\\":\\"tencent\\"}\\n",
                        100000 + n, day, m / 60, m % 60, (m * 13 + n * 31) % 10000 }' | \(qvault) fund import -f watch.qvault -
            done
            """)
        let after = try byteCount("watch.qvault")
        show("a day of fund watch, 20 funds, 12 saves: \((after - before) / 1024) KiB more")
    }

    /// A table of 1 GB: the same 100,800 net values again and again.
    private func table() throws {
        try shell(
            """
            echo code,nav_date,nav > table.csv; sed 's/P \\(.*\\) \\(.*\\) \\(.*\\) CNY/\\2,\\1,\\3/' lines.txt > part
            while [ $(stat -c %s table.csv) -lt 1000000000 ]; do cat part part part part part part part part >> table.csv; done
            rm part; \(qvault) create table.qvault
            """)
        let run = try run([qvault, "fund", "import", "-f", "\(folder)/table.qvault", "\(folder)/table.csv"])
        show("fund import of a table of 1 GB: \(Int(run.seconds)) s, \(run.peakKiB / 1024) MiB")
        try shell("rm table.csv")
    }

    private func byteCount(_ name: String) throws -> Int {
        var status = stat()
        guard unsafe stat("\(folder)/\(name)", &status) == 0 else {
            throw CommandFailed(words: ["stat", name], status: errno)
        }
        return Int(status.st_size)
    }

    /// Net values of `$2` funds on the first `$3` days of twelve months.
    private static let makePrices = """
        awk -v funds="$2" -v days="$3" 'BEGIN { for (month = 1; month <= 12; month++) for (day = 1; day <= days; day++)
            for (fund = 0; fund < funds; fund++)
                printf "P 2025-%02d-%02d %d %d.%04d CNY\\n", month, day, 100000 + fund, 1 + fund % 3, (fund * 37 + day) % 10000
        }' > "$1"
        """

    /// Prices of the ten securities that all funds hold, of an hour ago.
    private static let makeQuotes = """
        awk -v time="$(date -u -d '-1 hour' +%FT%TZ)" 'BEGIN { for (n = 0; n < 10; n++)
            printf "{\\"code\\":\\"60000%d\\",\\"time\\":\\"%s\\",\\"price\\":\\"10.3%d\\",\\"previous_close\\":\\"10\\"}\\n", n, time, n
        }' > "$1"
        """
}
