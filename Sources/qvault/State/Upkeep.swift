import CSystem
import Cards
import Portfolio
import VaultFormat
import VaultStore

/// What keeps a vault safe, and when it was last done on this machine.
struct Upkeep {
    /// A task that comes back.
    enum Task: String, CaseIterable {
        /// `backup`.
        case backup
        /// `verify` with a key, of the vault itself, or without one.
        case check
        /// `restore` of a backup to another place.
        case drill

        /// Its place among the numbers, the setting that says how old the last time may be, its name, and the command.
        fileprivate var facts: (place: Int, setting: Config.Key, label: Phrase, command: String) {
            switch self {
            case .backup: (1, .dueBackup, "backup", "qvault backup VAULT --to DIR")
            case .check: (2, .dueCheck, "check", "qvault verify VAULT")
            case .drill: (3, .dueDrill, "trial restore", "qvault restore --drill BACKUP")
            }
        }

        var label: Phrase { facts.label }
    }

    private static let folder = "upkeep"
    /// First seen, backup, check, drill in seconds since 1970; the day on which 'unlock' said what is due.
    private var numbers: StateNumbers

    init(_ vaultID: VaultID) {
        numbers = StateNumbers(Self.folder, vaultID, count: 5)
        let now = Self.now
        numbers.change { if $0[0] == 0 { $0[0] = now } }
    }

    /// The same with what the vault itself tells, which other machines may have noted.
    init(_ vault: Vault) {
        self.init(vault.id)
        // A setting that cannot be read tells of none; 'config list' and a check name it.
        let time = try? vault.lastDrill()
        drilled = UInt64(max(0, time?.seconds ?? 0))
    }

    /// The last trial restoration that the vault tells of, in seconds since 1970.
    private var drilled: UInt64 = 0

    private static var now: UInt64 { qv_now_microseconds() / 1_000_000 }

    /// The last time, in seconds since 1970; nil for never.
    func last(_ task: Task) -> UInt64? {
        let last = max(numbers.values[task.facts.place], task == .drill ? drilled : 0)
        return last == 0 ? nil : last
    }

    /// The time from which on a task counts: the last time, or when this machine first saw the vault.
    private func since(_ task: Task) -> UInt64 { last(task) ?? numbers.values[0] }

    /// The tasks, and the days by which they have to be done.
    func tasks(_ vault: BytePath) throws -> [Due.Task] {
        try Task.allCases.map { task in
            let interval = Int64(try Config.milliseconds(task.facts.setting) / TimeSpan.day)
            let day = Day(second: Int64(clamping: since(task))).advanced(by: interval)
            let command = task.facts.command.replacing("VAULT", with: "\(vault)")
            return Due.Task(name: task.rawValue, command: command, day: day, interval: interval)
        }
    }

    /// Notes that a task was done.
    static func note(_ task: Task, _ vaultID: VaultID) {
        var upkeep = Upkeep(vaultID)
        upkeep.numbers.change { $0[task.facts.place] = now }
    }

    /// True once a day.
    mutating func isFirst(onDay day: Day) -> Bool {
        guard numbers.values[4] != UInt64(clamping: day.number) else { return false }
        numbers.change { $0[4] = UInt64(clamping: day.number) }
        return true
    }

    /// Forgets a vault, or all of them.
    static func forget(_ vaultID: VaultID? = nil) { StateNumbers.forget(folder, vaultID) }
}
