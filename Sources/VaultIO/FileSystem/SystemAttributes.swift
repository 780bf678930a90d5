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
    private static let maxByteCount = 1 << 20

    /// The attributes of an open file or folder.
    init(of descriptor: Int32, _ status: FileStatus, _ path: BytePath) throws {
        self.init(status)
        extended = try Self.extended(of: descriptor, path)
    }

    private static func extended(of descriptor: Int32, _ path: BytePath) throws -> [[UInt8]: [UInt8]] {
        var bytes = [UInt8](repeating: 0, count: 0)
        while true {
            let count = unsafe bytes.withUnsafeMutableBufferPointer {
                unsafe qv_extended_attributes(descriptor, $0.baseAddress, $0.count)
            }
            guard count >= 0 else { throw IOError("read", path, code: errno) }
            guard count > bytes.count else { return parsed(bytes[..<count]) }
            guard count <= maxByteCount else { throw IOError("read", path, code: E2BIG) }
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

    /// The extended attributes that say who may do what. A new file may have got some from its folder.
    private static let accessLists = ["system.posix_acl_access", "system.posix_acl_default"].map { Array($0.utf8) }

    /// Sets the attributes on an open file or folder, as far as the system lets it. The owner is set first, since a change of owner
    /// clears bits of the mode and some attributes; the mode last, since it may forbid to set attributes.
    ///
    /// - Throws: `IOError`, the first refusal, after all the rest is set.
    func set(on descriptor: Int32, _ path: BytePath, withOwner: Bool) throws {
        var refusals: [IOError] = []
        var mode = mode
        if withOwner, fchown(descriptor, owner, group) != 0 {
            refusals.append(IOError("keep the owner", path, code: errno))
            // A set-user-ID program would run with the rights of another owner.
            mode &= ~0o6000
        }
        for name in Self.accessLists where extended[name] == nil {
            let result = unsafe BytePath(name).withCString { unsafe qv_remove_extended_attribute(descriptor, $0) }
            if result != 0 { refusals.append(IOError("take away the access rights of the folder", path, code: errno)) }
        }
        for (name, value) in extended.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let result = unsafe BytePath(name).withCString { name in
                unsafe value.withUnsafeBytes {
                    unsafe qv_set_extended_attribute(descriptor, name, $0.baseAddress, $0.count)
                }
            }
            if result != 0 { refusals.append(IOError("keep the extended attributes", path, code: errno)) }
        }
        if fchmod(descriptor, mode_t(mode)) != 0 { refusals.append(IOError("change", path, code: errno)) }
        if let first = refusals.first { throw first }
    }
}
