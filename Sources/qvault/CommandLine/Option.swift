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
    /// True of `--json` where it shows what was saved, whatever the verb is (`Saving`).
    private(set) var isOfSaves = false

    init(
        _ name: OptionName, also alias: String? = nil, value: String? = nil, help: Phrase, repeats: Bool = false,
        oldName: String? = nil
    ) {
        (self.name, self.alias, self.value, self.help) = (name, alias, value, help)
        (self.repeats, self.oldName) = (repeats, oldName)
    }

    /// Its names, the long one last.
    var names: [String] { [alias, name.word].compactMap(\.self) }

    static let help = Option(.help, also: "-h", help: "this help")
    static let quiet = Option(.quiet, also: "-q", help: "say nothing but results and errors")
    static let noProgress = Option(.noProgress, help: "show no progress")
    static let lang = Option(.lang, value: "zh|en", help: "speak Chinese or English; else as the locale says")
    static let plain = Option(.plain, help: "nothing that redraws the terminal")
    static let json = Option(.json, help: "results as JSON, a line each")
    /// For verbs that change a vault and have nothing else to show.
    static let savesAsJSON = {
        var option = Option.json
        option.isOfSaves = true
        return option
    }()
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
        Option(.passwordFd, value: "N", help: "read the password from this descriptor"),
        Option(.passwordFile, value: "FILE", help: "read it from this file; else $QVAULT_PASSWORD_FILE"),
        Option(.passwordCommand, value: "CMD", help: "run this and read its output; else $QVAULT_PASSWORD_COMMAND"),
        Option(.keyfile, value: "FILE", help: "the keyfile that goes with the password"),
        Option(.recoveryKeyFile, value: "FILE", help: "open with the recovery key in this file"),
        Option(.identityFile, value: "FILE", help: "open with the identity of a recipient in this file"),
        Option(.slot, value: "N", help: "try this key slot only, 1 to 8"),
        Option(.acceptKdfCost, help: "open even if the vault asks for very much hashing"),
    ]
    static let ifUnlocked = Option(
        .ifUnlocked, help: "do nothing, with exit code 0, unless the vault is unlocked: for timers")
    static let parity = Option(
        .parity, value: "SHARE",
        help:
            "how much of it may be damaged, and 'repair' still makes it whole: 10% unless said otherwise, 3% to 26%; 0% for none"
    )
    static let packParity = Option(
        .parity, value: "SHARE",
        help:
            "add parity: 'repair' restores the packed data if up to this share of it is damaged, 3% to 26%; default: none; later saves have none"
    )
    static let keepModes = Option(
        .keepModes,
        help:
            "also keep modes, owners, extended attributes and hard links; the vault records this for each later 'put'"
    )
    static let ssh = Option(
        .ssh, value: "CMD", help: "what reaches the other machine: 'ssh -p 2222'; else $QVAULT_SSH, else ssh")
    static let dryRun = Option(.dryRun, also: "-n", help: "say what would be done, and change nothing")
    static let yes = Option(.yes, also: "-y", help: "do not ask")
    static let find = Option(
        .find, value: "QUERY", help: "all records that 'qvault find' finds for it, besides those named")
    static let recursive = Option(.recursive, also: "-r", help: "folders with what is in them")
    static let moment = Option(.at, value: "SAVE", help: "as it was after a save: its number, a day, a time, or 7d ago")
    static let allowRollback = Option(
        .allowRollback, help: "take a vault that is older than this machine has seen as it is, from now on")
    /// For verbs that use a live vault.
    static let use = [allowRollback] + password
    /// Options that many verbs have; their help stands on a page of its own.
    static let common = use + [wait, noProgress, json, quiet, plain, lang, help]
    static let newPassword = Array(password.prefix(3)) + [newKeyfile]
    static let newKeyfile = Option(
        .newKeyfile, value: "FILE", help: "ask for this keyfile too; it is made if it is not there")
    /// For verbs that make a vault.
    static let compression = Option(
        .compression, value: "WHEN", help: "of files: auto, where they shrink, or off; the vault keeps to it")
    static let recoveryOut = Option(
        .recoveryKeyOut, value: "FILE", help: "make a recovery key too, and write it to this file")
    /// For verbs that set another secret, beside those that open the vault.
    static let newSecret = [
        Option(.newPasswordFd, value: "N", help: "read the new password from this descriptor"),
        Option(.newPasswordFile, value: "FILE", help: "read it from this file"),
        Option(.newPasswordCommand, value: "CMD", help: "run this and read its output"), newKeyfile,
    ]
    static let label = Option(.label, value: "TEXT", help: "what to call the key slot; up to 55 bytes, encrypted")
}

/// The long names of all options. A verb may ask for one that it does not have: then it is not given.
enum OptionName: String, CaseIterable {
    case acceptKdfCost, again, all, allLinks, allowFaint, allowRetired, allowRollback, angle, `as`, at, auditKey, by,
        characters, checksum,
        clear
    case columns, compression, copy, corners, count, create, days, dpi, drill, drop, dropUnsupported, dryRun,
        every,
        exitCode,
        expect, expectFile,
        exclude, excludeCaches, excludeFrom, explain, facets, feed, filesFrom
    case field, find, focus, font, `for`,
        force, format, from, gap, graphics, group, help, hide, identityFile, ifUnlocked, ink,
        inPlace,
        iterations,
        json, kdf
    case kdfTime, keep, keepModes, keepWithin, keyfile, keyless, kind, label, lang, languages, layout, level, light,
        long,
        lower, map,
        markKey, max,
        maxAge, maxBytes, maxDuration, mirror
    case newKeyfile, newPasswordCommand, newPasswordFd, newPasswordFile, next, noBrowser, noHistory, noProgress,
        noSandbox, noSign,
        noTrace
    case note, notify, ocr, of, off, offset, olderThan, oneFileSystem, opacity, output, parity, passwordCommand,
        passwordFd,
        passwordFile, pin,
        plain,
        port, preset, preview
    case `private`, purge, purpose, qr, qrOut, quiet, reason, recipient, records, recoveryKeyFile, recoveryKeyOut
    case recursive, replace, report, reveal, sample, sign, since, single, size, slot, slotKeyfile, slotSecretFile, sort,
        source, ssh,
        state
    case sourceKeyfile, sourcePasswordFile, sparse, stdout, strong, symbols, tag, template, text, timeout, title, to,
        today, ungroup, untag
    case traceAll, trash, turn, type, until, vault, verbose, viewer, wait, watermark, width, within,
        withoutKeyfile, withReader,
        words,
        yes, zeros

    /// As it is typed: `auditKey` is `--audit-key`.
    var word: String { rawValue.reduce("--") { $0 + ($1.isUppercase ? "-" : "") + $1.lowercased() } }
}
