import VaultFormat

/// One option of a verb.
struct Option: Sendable {
    /// Its long name, by which verbs ask for it.
    let name: OptionName
    /// A letter or another name for it.
    let alias: String?
    /// The name of its value; nil for a flag.
    let value: String?
    let help: Phrase
    /// True if it may be given more than once.
    let repeats: Bool
    /// Its name in the first release, which still works; no help names it.
    let oldName: String?

    init(
        _ name: OptionName, also alias: String? = nil, value: String? = nil, help: Phrase, repeats: Bool = false,
        oldName: String? = nil
    ) {
        (self.name, self.alias, self.value, self.help) = (name, alias, value, help)
        (self.repeats, self.oldName) = (repeats, oldName)
    }

    /// Its names, the long one last.
    var names: [String] { [alias, name.rawValue].compactMap(\.self) }

    static let help = Option(.help, also: "-h", help: "this help")
    static let quiet = Option(.quiet, also: "-q", help: "say nothing but results and errors")
    static let noProgress = Option(.noProgress, help: "show no progress")
    static let lang = Option(.lang, value: "zh|en", help: "speak Chinese or English; else as the locale says")
    static let plain = Option(.plain, help: "nothing that redraws the terminal")
    static let json = Option(.json, help: "results as JSON, a line each")
    static let vault = Option(
        .vault, also: "-f", value: "FILE", help: "the vault; else $QVAULT_FILE, else the default vault")
    static let wait = Option(.wait, value: "TIME", help: "how long to wait for another writer: 60s, 5m (10s)")
    static let iterations = Option(.iterations, value: "N", help: "PBKDF2 iterations, 100000 or more (100000)")
    static let kdf = Option(
        .kdf, value: "FUNCTION", help: "pbkdf2[:iterations=N] or argon2id[:memory=256MiB,passes=3,lanes=4]")
    static let kdfTime = Option(
        .kdfTime, value: "TIME", help: "as many iterations or passes as take this long here, e.g. 500ms")
    /// Options for the cost of guessing a new key slot.
    static let derivation = [iterations, kdf, kdfTime]
    static let storedName = Option(.as, also: "--name", value: "NAME", help: "the path to store it under in the vault")
    static let password = [
        Option(.passwordFD, value: "N", help: "read the password from this descriptor"),
        Option(.passwordFile, value: "FILE", help: "read it from this file; else $QVAULT_PASSWORD_FILE"),
        Option(.passwordCommand, value: "CMD", help: "run this and read its output; else $QVAULT_PASSWORD_COMMAND"),
        Option(.keyfile, value: "FILE", help: "the keyfile that goes with the password"),
        Option(.recoveryKeyFile, value: "FILE", help: "open with the recovery key in this file"),
        Option(.slot, value: "N", help: "try this key slot only, 1 to 8"),
        Option(.acceptKDFCost, help: "open even if the vault asks for very much hashing"),
    ]
    static let ifUnlocked = Option(
        .ifUnlocked, help: "do nothing, with exit code 0, unless the vault is unlocked: for timers")
    static let dryRun = Option(.dryRun, also: "-n", help: "say what would be done, and change nothing")
    static let yes = Option(.yes, also: "-y", help: "do not ask")
    static let recursive = Option(.recursive, also: "-r", help: "folders with what is in them")
    static let moment = Option(
        .at, value: "SAVE", help: "as it was after a save: its number, a day, a time, or 7d ago")
    static let allowRollback = Option(
        .allowRollback, help: "take a vault that is older than this machine has seen as it is, from now on")
    /// For verbs that use a live vault.
    static let use = [allowRollback] + password
    /// Options that many verbs have; their help stands on a page of its own.
    static let common = use + [wait, noProgress, json, quiet, plain, lang, help]
    static let newPassword = Array(password.prefix(3)) + [newKeyfile]
    static let newKeyfile = Option(
        .newKeyfile, value: "FILE", help: "ask for this keyfile too; it is made if it is not there")
    static let recoveryOut = Option(
        .recoveryKeyOut, value: "FILE", help: "make a recovery key too, and write it to this file")
    /// For verbs that set another secret, beside those that open the vault.
    static let newSecret = [
        Option(.newPasswordFD, value: "N", help: "read the new password from this descriptor"),
        Option(.newPasswordFile, value: "FILE", help: "read it from this file"),
        Option(.newPasswordCommand, value: "CMD", help: "run this and read its output"), newKeyfile,
    ]
    static let label = Option(.label, value: "TEXT", help: "what to call the key slot; up to 55 bytes, encrypted")
}

/// The long names of all options. A verb may ask for one that it does not have: then it is not given.
enum OptionName: String, CaseIterable {
    case acceptKDFCost = "--accept-kdf-cost"
    case all = "--all"
    case allowFaint = "--allow-faint"
    case allowRollback = "--allow-rollback"
    case allowRetired = "--allow-retired"
    case angle = "--angle"
    case `as` = "--as"
    case at = "--at"
    case auditKey = "--audit-key"
    case characters = "--characters"
    case copy = "--copy"
    case corners = "--corners"
    case days = "--days"
    case dense = "--dense"
    case drop = "--drop"
    case dryRun = "--dry-run"
    case exitCode = "--exit-code"
    case every = "--every"
    case expect = "--expect"
    case feed = "--feed"
    case field = "--field"
    case font = "--font"
    case force = "--force"
    case format = "--format"
    case from = "--from"
    case gap = "--gap"
    case graphics = "--graphics"
    case group = "--group"
    case help = "--help"
    case ifUnlocked = "--if-unlocked"
    case ink = "--ink"
    case iterations = "--iterations"
    case json = "--json"
    case kdf = "--kdf"
    case kdfTime = "--kdf-time"
    case keep = "--keep"
    case keepWithin = "--keep-within"
    case keyfile = "--keyfile"
    case keyless = "--keyless"
    case kind = "--kind"
    case label = "--label"
    case lang = "--lang"
    case level = "--level"
    case long = "--long"
    case lower = "--lower"
    case map = "--map"
    case max = "--max"
    case maxBytes = "--max-bytes"
    case newKeyfile = "--new-keyfile"
    case newPasswordCommand = "--new-password-command"
    case newPasswordFD = "--new-password-fd"
    case newPasswordFile = "--new-password-file"
    case next = "--next"
    case noHistory = "--no-history"
    case noProgress = "--no-progress"
    case notify = "--notify"
    case of = "--of"
    case off = "--off"
    case opacity = "--opacity"
    case note = "--note"
    case output = "--output"
    case passwordCommand = "--password-command"
    case passwordFD = "--password-fd"
    case passwordFile = "--password-file"
    case pin = "--pin"
    case plain = "--plain"
    case preview = "--preview"
    case slotSecretFile = "--slot-secret-file"
    case slotKeyfile = "--slot-keyfile"
    case `private` = "--private"
    case purge = "--purge"
    case purpose = "--purpose"
    case qr = "--qr"
    case qrOut = "--qr-out"
    case quiet = "--quiet"
    case reason = "--reason"
    case recipient = "--recipient"
    case recoveryKeyFile = "--recovery-key-file"
    case recoveryKeyOut = "--recovery-key-out"
    case records = "--records"
    case recursive = "--recursive"
    case replace = "--replace"
    case report = "--report"
    case reveal = "--reveal"
    case since = "--since"
    case single = "--single"
    case size = "--size"
    case slot = "--slot"
    case sort = "--sort"
    case sparse = "--sparse"
    case source = "--source"
    case sourceKeyfile = "--source-keyfile"
    case sourcePasswordFile = "--source-password-file"
    case stdout = "--stdout"
    case symbols = "--symbols"
    case tag = "--tag"
    case template = "--template"
    case text = "--text"
    case timeout = "--timeout"
    case title = "--title"
    case to = "--to"
    case traceAll = "--trace-all"
    case dpi = "--dpi"
    case focus = "--focus"
    case noSandbox = "--no-sandbox"
    case trash = "--trash"
    case today = "--today"
    case type = "--type"
    case until = "--until"
    case vault = "--vault"
    case viewer = "--viewer"
    case wait = "--wait"
    case watermark = "--watermark"
    case width = "--width"
    case within = "--within"
    case withoutKeyfile = "--without-keyfile"
    case words = "--words"
    case yes = "--yes"
}
