import CSystem
import Portfolio
import VaultFormat

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

        fileprivate var place: Int {
            switch self {
            case .backup: 1
            case .check: 2
            case .drill: 3
            }
        }

        /// The setting that says how old the last time may be.
        fileprivate var setting: Config.Key {
            switch self {
            case .backup: .dueBackup
            case .check: .dueCheck
            case .drill: .dueDrill
            }
        }

        var label: Phrase {
            switch self {
            case .backup: "backup"
            case .check: "check"
            case .drill: "trial restore"
            }
        }

        fileprivate func command(_ vault: BytePath) -> String {
            switch self {
            case .backup: "qvault backup \(vault) --to DIR"
            case .check: "qvault verify \(vault)"
            case .drill: "qvault restore BACKUP -f OTHER"
            }
        }
    }

    private static let folder = "upkeep"
    /// First seen, backup, check, drill in seconds since 1970; the day on which 'unlock' said what is due.
    private var numbers: StateNumbers

    init(_ vaultID: VaultID) {
        numbers = StateNumbers(Self.folder, vaultID, count: 5)
        let now = Self.now
        numbers.change { if $0[0] == 0 { $0[0] = now } }
    }

    private static var now: UInt64 { qv_now_microseconds() / 1_000_000 }

    /// The last time, in seconds since 1970; nil for never.
    func last(_ task: Task) -> UInt64? { numbers.values[task.place] == 0 ? nil : numbers.values[task.place] }

    /// The time from which on a task counts: the last time, or when this machine first saw the vault.
    private func since(_ task: Task) -> UInt64 { last(task) ?? numbers.values[0] }

    /// The tasks, and the days by which they have to be done.
    ///
    /// - Throws: as `Config.milliseconds`.
    func tasks(_ vault: BytePath) throws -> [Due.Task] {
        try Task.allCases.map { task in
            let interval = Int64(try Config.milliseconds(task.setting) / TimeArgument.day)
            let day = Day(second: Int64(clamping: since(task))).advanced(by: interval)
            return Due.Task(name: task.rawValue, command: task.command(vault), day: day, interval: interval)
        }
    }

    /// Notes that a task was done.
    static func note(_ task: Task, _ vaultID: VaultID) {
        var upkeep = Upkeep(vaultID)
        upkeep.numbers.change { $0[task.place] = now }
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
