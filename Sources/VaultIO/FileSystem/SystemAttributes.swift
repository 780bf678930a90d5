import CSystem
import VaultFormat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension FileAttributes {
    /// Bytes of all extended attributes of a file at most, as the system gives them.
    private static let most = 1 << 20

    /// Those of an open file or folder.
    init(of descriptor: Int32, _ status: FileStatus, _ path: BytePath) throws {
        self.init(
            mode: status.specialBits | status.access.permissions, owner: status.access.owner,
            group: status.access.group, extended: try Self.extended(of: descriptor, path))
    }

    private static func extended(of descriptor: Int32, _ path: BytePath) throws -> [[UInt8]: [UInt8]] {
        var bytes = [UInt8](repeating: 0, count: 0)
        while true {
            let count = unsafe bytes.withUnsafeMutableBufferPointer {
                unsafe qv_extended_attributes(descriptor, $0.baseAddress, $0.count)
            }
            guard count >= 0 else { throw IOError("read", path, code: errno) }
            guard count > bytes.count else { return parsed(bytes[..<count]) }
            guard count <= most else { throw IOError("read", path, code: E2BIG) }
            // They may grow meanwhile.
            bytes = [UInt8](repeating: 0, count: count + 256)
        }
    }

    /// Names with a NUL behind them, each with the length of its value in 4 bytes, big-endian, and the value.
    private static func parsed(_ bytes: ArraySlice<UInt8>) -> [[UInt8]: [UInt8]] {
        var (rest, found) = (bytes, [[UInt8]: [UInt8]]())
        while let end = rest.firstIndex(of: 0) {
            let count = rest[(end + 1)...].prefix(4).reduce(0) { $0 << 8 | Int($1) }
            found[Array(rest[..<end])] = Array(rest[(end + 5)...].prefix(count))
            rest = rest[(end + 5)...].dropFirst(count)
        }
        return found
    }

    /// Gives them to an open file or folder. A new owner clears bits of the mode and some attributes: it comes first.
    func set(on descriptor: Int32, _ path: BytePath, withOwner: Bool) throws {
        if withOwner, fchown(descriptor, owner, group) != 0 { throw IOError("keep the owner", path, code: errno) }
        guard fchmod(descriptor, mode_t(mode)) == 0 else { throw IOError("change", path, code: errno) }
        for (name, value) in extended.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let result = unsafe BytePath(name).withCString { name in
                unsafe value.withUnsafeBytes {
                    unsafe qv_set_extended_attribute(descriptor, name, $0.baseAddress, $0.count)
                }
            }
            guard result == 0 else { throw IOError("keep the extended attributes", path, code: errno) }
        }
    }
}
