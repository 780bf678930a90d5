import VaultFormat
import Cards
import VaultStore

/// A setting of the program, declared once: reading and changing the file, help, manual and completion use this.
struct ConfigKey: Equatable, Sendable {
    /// Its name in the file.
    let rawValue: String
    let values: Values
    /// The value without the file; nil where the meaning says it.
    let standard: String?
    let meaning: Phrase

    private init(_ name: String, _ values: Values, standard: String? = nil, _ meaning: Phrase) {
        (rawValue, self.values, self.standard, self.meaning) = (name, values, standard, meaning)
    }

    /// The setting with a name.
    init?(rawValue: String) {
        guard let key = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = key
    }

    static let language = Self("language", .either("zh", "en"), "the language; else as the locale says")
    static let lockout = Self(
        "lockout", .time("30s", "10m"), standard: "30s",
        "how long the command refuses a password after three wrong ones")
    static let iterations = Self(
        "iterations", .number(Limits.minimumIterations...UInt32(Limits.iterationsWithoutConsent)),
        standard: "\(Limits.minimumIterations)", "PBKDF2 iterations of new key slots")
    static let viewer = Self("viewer", .text("PROGRAM"), "the program that attach show opens pictures and PDFs with")
    static let colours = Self(
        "colours", .either("green-up", "red-up"), standard: "green-up",
        "the colours of rise and fall: green-up or red-up")
    static let sessionTimeout = Self(
        "session-timeout", .time("1s", "24h"), standard: "15m",
        "an unlocked vault is locked this long after its last use")
    static let sessionMax = Self(
        "session-max", .time("1s", "24h"), standard: "12h",
        "an unlocked vault is locked this long after it was unlocked")
    static let passwordCommandTimeout = Self(
        "password-command-timeout", .time("1s", "1h"), standard: "2m", "how long a password command may take")
    static let clipboardTime = Self(
        "clipboard-time", .time("1s", "1h"), standard: "45s", "how long the clipboard keeps a card")
    static let attachmentLimit = Self(
        "attachment-limit", .size(UInt64(Vault.maximumAttachmentByteCount)),
        standard: "\(Vault.attachmentByteCount >> 20)MiB", "the largest attachment")
    static let dueBackup = Self(
        "due-backup", .time("24h", "3650d"), standard: "30d", "'due' asks for a backup when the last one is this old")
    static let dueCheck = Self(
        "due-check", .time("24h", "3650d"), standard: "30d", "'due' asks for 'verify' when the last check is this old")
    static let dueDrill = Self(
        "due-drill", .time("24h", "3650d"), standard: "180d",
        "'due' asks for a trial restore when the last one is this old")
    static let notifyNames = Self(
        "notify-names", .either("yes", "no"), standard: "no", "'due --notify' shows names, and not only how many")
    static let feedQuotes = Self(
        "feed.quotes", .text("COMMAND"), "the command that prints prices of securities for 'fund update'")
    static let feedQuotes2 = Self("feed.quotes.2", .text("COMMAND"), "the one that is asked when that fails")
    static let feedNetValues = Self("feed.nav", .text("COMMAND"), "the command that prints net values of funds")
    static let feedNetValues2 = Self("feed.nav.2", .text("COMMAND"), "the one that is asked when that fails")
    static let feedRates = Self("feed.rates", .text("COMMAND"), "the command that prints rates of exchange")
    static let feedRates2 = Self("feed.rates.2", .text("COMMAND"), "the one that is asked when that fails")
    static let feedHoldings = Self(
        "feed.holdings", .text("COMMAND"), "the command that prints what funds hold, by their last reports")
    static let fundRefresh = Self(
        "fund-refresh", .words(["15s", "30s", "60s"]), standard: "15s",
        "how often 'fund watch' asks for prices: 15s, 30s or 60s")
    static let feedTimeout = Self(
        "feed-timeout", .time("1s", "10m"), standard: "20s", "how long such a command may take")
    static let feedSandbox = Self(
        "feed-sandbox", .either("yes", "no"), standard: "yes",
        "whether such a command is kept from files, keys and other processes")
    static let feedPaths = Self(
        "feed-paths", .text("PATH:…"), "files and folders that it may read besides those of the system and its own")

    /// All settings, in the order of lists.
    static let allCases: [Self] = [
        language, lockout, iterations, viewer, colours, sessionTimeout, sessionMax, passwordCommandTimeout,
        clipboardTime, attachmentLimit, dueBackup, dueCheck, dueDrill, notifyNames, feedQuotes, feedQuotes2,
        feedNetValues, feedNetValues2, feedRates, feedRates2, feedHoldings, fundRefresh, feedTimeout, feedSandbox,
        feedPaths,
    ]

    /// Name, values and standard value, as in `lockout = 30s…10m (30s)`.
    var usage: String { "\(rawValue) = \(values.form)" + (standard.map { " (\($0))" } ?? "") }

    /// The values that a setting takes.
    enum Values: Equatable, Sendable {
        /// One of two words.
        case either(String, String)
        /// One of several.
        case words([String])
        /// A length of time, from one to another.
        case time(String, String)
        case number(ClosedRange<UInt32>)
        /// Bytes: this many at most.
        case size(UInt64)
        /// Any text on one line, and what help calls it.
        case text(String)

        /// As help shows them.
        var form: String {
            switch self {
            case .either(let one, let other): "\(one)|\(other)"
            case .words(let words): words.joined(separator: "|")
            case .time(let least, let most): "\(least)…\(most)"
            case .number: "N"
            case .size: "SIZE"
            case .text(let name): name
            }
        }

        /// The error of a line of the file that has none of them.
        func complaint(_ key: String, _ line: Phrase) -> Phrase {
            switch self {
            case .either(let one, let other): "\(line): \(key) takes \(one) or \(other)"
            case .words(let words): "\(line): \(key) takes one of \(words.joined(separator: ", "))"
            case .time(let least, let most): "\(line): \(key) takes a time from \(least) to \(most)"
            case .number(let range): "\(line): \(key) takes a number from \(range.lowerBound) to \(range.upperBound)"
            case .size(let most): "\(line): \(key) takes a size up to \(sizeText(most)), like 20MiB"
            case .text: "\(line): not a setting"
            }
        }

        /// True if a text is one of them.
        func contains(_ text: String) -> Bool {
            switch self {
            case .either(let one, let other): [one, other].contains(text)
            case .words(let words): words.contains(text)
            case .time(let least, let most):
                TimeSpan.milliseconds(text).map { time in
                    (TimeSpan.milliseconds(least) ?? 0)...(TimeSpan.milliseconds(most) ?? 0) ~= time
                } ?? false
            case .number(let range): UInt32(text).map(range.contains) ?? false
            case .size(let most): ByteSize.bytes(text).map { 1...most ~= $0 } ?? false
            case .text: !text.isEmpty && !text.contains { $0.isNewline || $0 == "#" }
            }
        }
    }
}
