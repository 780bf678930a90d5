import CArgon2
import CSystem

/// Argon2id, version 1.3 (RFC 9106), by the reference implementation.
public enum Argon2id {
    /// The cost of one hash.
    public struct Cost: Equatable, Sendable {
        /// Memory in KiB; at least 8 for each lane.
        public var memory: UInt32
        /// Passes over the memory, 1 or more.
        public var passes: UInt32
        /// Lanes, 1 or more. As many run side by side as the machine has cores.
        public var lanes: UInt32

        /// A cost as it is asked for.
        public init(memory: UInt32, passes: UInt32, lanes: UInt32) {
            (self.memory, self.passes, self.lanes) = (memory, passes, lanes)
        }
    }

    /// Passes that take about `time` on this machine.
    ///
    /// - Parameter least: the memory, the lanes and the fewest passes.
    public static func passes(taking time: Duration, from least: Cost) throws -> UInt32 {
        let probe = try Secret(byteCount: 32)
        let salt = [UInt8](repeating: 0, count: 32)
        let took = try ContinuousClock().measure { _ = try hash(password: probe, salt: salt, cost: least) }
        let wanted = Double(least.passes) * (time / took)
        return max(least.passes, UInt32(min(wanted.rounded(.up), Double(Int32.max))))
    }

    /// Hashes a password with a salt of 8 bytes or more to 32 bytes.
    ///
    /// - Parameters:
    ///   - key: the secret value K of the RFC; the format has none.
    ///   - data: the associated data X of the RFC; the format has none.
    /// - Throws: `CryptoError` `.outOfMemory`, or `.libraryFailure` for a cost that the RFC does not allow.
    public static func hash(
        password: borrowing Secret, salt: [UInt8], cost: Cost, key: [UInt8] = [], data: [UInt8] = []
    ) throws(CryptoError) -> Secret {
        var output = try Secret(byteCount: 32)
        let threads = min(cost.lanes, UInt32(max(1, qv_core_count())))
        let code = output.withMutableSpan { out in
            password.withSpan { password in
                unsafe out.withUnsafeMutableBufferPointer { out in
                    unsafe password.withUnsafeBufferPointer { password in
                        unsafe qv_argon2id(
                            password.baseAddress, UInt32(password.count), salt, UInt32(salt.count),
                            key, UInt32(key.count), data, UInt32(data.count),
                            cost.memory, cost.passes, cost.lanes, threads, out.baseAddress)
                    }
                }
            }
        }
        guard code != ARGON2_MEMORY_ALLOCATION_ERROR.rawValue else {
            throw .outOfMemory(byteCount: Int(cost.memory) << 10)
        }
        guard code == ARGON2_OK.rawValue else { throw .libraryFailure(function: "argon2id_ctx") }
        return output
    }
}
