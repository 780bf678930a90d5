import CSystem
import Glibc
import VaultFormat
import VaultStore

/// What this machine remembers of attempts to unlock a vault: how many went wrong one after the other, and which slot
/// opened last. A guard of this keyboard only: whoever has the file tries elsewhere.
struct UnlockBook {
    /// Attempts that may go wrong before there is a pause.
    private static let free = 3

    private let path: String?
    /// Wrong attempts since the last right one, and when the last of them was, in microseconds since 1970.
    private var wrong = 0
    private var since: UInt64 = 0
    /// The slot that opened last, 1 … 8.
    private(set) var slot: Int?

    /// Without a home nothing is remembered.
    init(_ vaultID: VaultID) {
        path = Session.stateFolder.map { "\($0)/unlock/\(hexText(vaultID.bytes))" }
        guard let path, let file = try? Session.world.files.openFile(Path(path), writing: false),
            let bytes = try? file.bytes(at: 0, count: 64)
        else { return }
        let numbers = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map { UInt64($0) }
        guard numbers.count == 3, let wrong = numbers[0], let since = numbers[1], let slot = numbers[2] else { return }
        (self.wrong, self.since) = (Int(clamping: wrong), since)
        self.slot = 1...UInt64(Limits.slotCount) ~= slot ? Int(slot) : nil
    }

    /// Seconds until the next attempt; nil if it may be made now.
    mutating func pause() throws -> UInt64? {
        guard wrong >= Self.free else { return nil }
        let lockout = try Config.milliseconds(.lockout, else: 30_000, in: 30_000...600_000) * 1000
        let now = qv_now_microseconds()
        // The clock was set back: the time that is left cannot be known, and begins anew.
        if now < since {
            since = now
            write()
        }
        return now - since < lockout ? (lockout - (now - since)) / 1_000_000 + 1 : nil
    }

    /// - Throws: `Failure` `.refused`: too many attempts went wrong.
    mutating func admit(_ vault: Path) throws {
        guard let seconds = try pause() else { return }
        throw Failure(.refused, "\(vault): wrong passwords: \(wrong); try again in \(seconds) s")
    }

    mutating func noteWrong() {
        (wrong, since) = (wrong + 1, qv_now_microseconds())
        write()
    }

    mutating func noteRight(_ slot: Int) {
        guard wrong != 0 || self.slot != slot else { return }
        (wrong, since, self.slot) = (0, 0, slot)
        write()
    }

    /// Forgets a vault, or all of them.
    static func forget(_ vaultID: VaultID? = nil) {
        guard let folder = Session.stateFolder.map({ $0 + "/unlock" }) else { return }
        if let vaultID {
            unsafe unlink("\(folder)/\(hexText(vaultID.bytes))")
        } else if let folder = try? Session.world.files.openFolder(Path(folder)) {
            for entry in (try? folder.entries()) ?? [] { try? folder.removeFile(entry.name) }
        }
    }

    private func write() {
        guard let path else { return }
        try? Session.world.files.makeFolders(Path(path).parent)
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let file = unsafe open(path, flags, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        try? writeAll(Array("\(wrong) \(since) \(slot ?? 0)\n".utf8).span, to: file, named: path)
    }
}
