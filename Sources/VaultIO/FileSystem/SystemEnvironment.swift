import CSystem
import VaultFormat
import VaultCrypto

extension StoreEnvironment {
    /// Files, clock and random numbers of this machine.
    ///
    /// - Parameter checkCancellation: called between pieces of work; what it throws ends the work.
    public static func system(checkCancellation: @escaping @Sendable () throws -> Void = {}) -> StoreEnvironment {
        StoreEnvironment(
            files: SystemFileSystem(), now: { Timestamp(microseconds: qv_now_microseconds()) }, random: SystemRandom(),
            pause: { qv_pause(Int32(clamping: $0)) }, checkCancellation: checkCancellation)
    }
}
