import VaultFormat
import VaultIO
import VaultStore

/// The counts of what was stored or written, for people.
func describe(_ count: TreeCount) -> Phrase {
    var phrase: Phrase = "files: \(count.files)"
    if count.folders > 0 { phrase = "\(phrase), folders: \(count.folders)" }
    if count.symlinks > 0 { phrase = "\(phrase), symlinks: \(count.symlinks)" }
    if count.trashed > 0 { phrase = "\(phrase), to the trash: \(count.trashed)" }
    if count.skipped > 0 { phrase = "\(phrase), passed over: \(count.skipped)" }
    if count.unchanged > 0 { phrase = "\(phrase), unchanged: \(count.unchanged)" }
    return "\(phrase) (\(sizeText(count.bytes)))"
}

extension TreeCount {
    /// The members of `unpack --json`.
    func json(_ folder: BytePath, _ report: ProblemReport) -> JSON {
        JSON(
            joining: .path(folder),
            ["files": files, "folders": folders, "symlinks": symlinks, "bytes": bytes, "left_out": report.count])
    }

    /// The members of `put --json` and `pack --json`.
    ///
    /// - Parameters:
    ///   - save: the save that stored it; nil if there was none.
    ///   - isDry: true if nothing is saved on purpose.
    func json(_ vault: BytePath, save: UInt64?, isDry: Bool, _ report: ProblemReport) -> JSON {
        JSON(
            joining: .path(vault),
            [
                "save": save, "dry_run": isDry, "files": files, "folders": folders, "symlinks": symlinks,
                "unchanged": unchanged,
                "trashed": trashed, "skipped": skipped, "bytes": bytes, "left_out": report.count,
            ])
    }
}

/// Lists what was left out, and remembers that something was.
final class ProblemReport {
    private(set) var count = 0
    private var codes: [ExitCode] = []
    private var unreadable: Set<RecordID> = []

    func add(_ problem: TreeProblem) {
        count += 1
        if case .unreadableRecord(let error) = problem.reason { codes.append(error.code.exitCode) }
        Messages.say("\(problem.path): \(problem.reason.message)")
    }

    /// A record that cannot be read. It is named once, however often it is asked for.
    func add(_ entry: Entry, _ error: FormatError) {
        guard unreadable.insert(entry.id).inserted else { return }
        add(TreeProblem(path: BytePath(entry.overview.title), reason: .unreadableRecord(error)))
    }

    /// 1 when something was left out; 5 or 6 when a record was damaged or tampered with, which `hint` is about.
    func exitCode(hint: Phrase? = nil) -> ExitCode {
        guard count > 0 else { return .done }
        Messages.say("done in part: problems listed above: \(count)")
        if let hint, !codes.isEmpty { Messages.hint(hint) }
        return codes.isEmpty ? .inPart : .worst(codes)
    }
}

extension TreeProblem.Reason {
    /// A line for a person, behind the path.
    fileprivate var message: Phrase {
        switch self {
        case .device: "not stored: a device"
        case .unreadable(let error): "not stored: \(error.message)"
        case .cutShortBesideOld(let error):
            "not stored, for it stopped in the middle: \(error.message); the version that was there stays"
        case .cutShort(let error):
            "not stored, for it stopped in the middle: \(error.message); what was read is in the trash"
        case .farTime:
            "stored with the nearest time that the format can hold: its own time is before 1677 or after 2262"
        case .vaultItself: "not stored: it is the vault itself"
        case .attributesTooLong: "stored without its extended attributes, which exceed 8 KiB"
        case .withoutAttributes(let why): "written, but some attributes could not be set: \(why)"
        case .tooDeep: "left out: its path is too long or too deep"
        case .hostileName: "left out: no file may have this name"
        case .leadsOutside(let target): "left out: a symlink that may lead outside the folder, to \(printable(target))"
        case .exists: "left out: exists; --force replaces files"
        case .otherKind(let kind): "left out: a record of kind \(Names.kindName(kind)) is no file"
        case .unreadableRecord(let error): "left out: \(Phrase(stringLiteral: error.code.rawValue)): \(error.what)"
        case .unwritable(let error) where error.isLink: "left out: a symbolic link is in the way"
        case .unwritable(let error): "left out: \(error.message)"
        }
    }
}
