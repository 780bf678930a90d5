import VaultCrypto

/// Names of files, folders and symlinks: one component of a path, and the id that it gives (Spec/records.cddl).
public enum TreeName {
    private static let label = Array("quickvault/1/name".utf8) + [0]

    /// The id of the entry `title` in the folder `parent`; nil is the top.
    public static func id(_ title: [UInt8], in parent: RecordID?) throws -> RecordID {
        let named = [UInt8](capacity: label.count + 16 + title.count) {
            $0 += label
            $0.append(parent ?? .zero)
            $0 += title
        }
        return RecordID(try SHA256.hash(named.span))
    }

    /// Whether a file system may see this title: 1 to 255 bytes, no slash, no NUL, neither `.` nor `..`.
    public static func isValid(_ title: [UInt8]) -> Bool {
        (1...Limits.titleByteCount).contains(title.count) && !title.contains(0) && !title.contains(UInt8(ascii: "/"))
            && title != [0x2E] && title != [0x2E, 0x2E]
    }
}
