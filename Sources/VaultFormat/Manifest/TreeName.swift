import VaultCrypto

/// Names of files, folders and symlinks: one component of a path, and the id that it gives (Spec/entries.cddl).
public enum TreeName {
    private static let label = Array("quickvault/1/name".utf8) + [0]

    /// The id of the entry `title` in the folder with the inner id `parent`; nil is the top. It begins with the last two
    /// bytes of the parent, so that the entries of one folder stand together in the manifest.
    public static func id(_ title: [UInt8], in parent: RecordID?) throws -> RecordID {
        let parent = parent ?? .zero
        let named = [UInt8](capacity: label.count + 16 + title.count) {
            $0 += label
            $0.append(parent)
            $0 += title
        }
        let hash = RecordID(try SHA256.hash(named.span))
        return RecordID(high: parent.low << 48 | hash.high >> 16, low: hash.high << 48 | hash.low >> 16)
    }

    private static let innerLabel = Array("quickvault/1/inner".utf8) + [0]

    /// The inner id to try when a folder elsewhere has this one.
    package static func nextInnerID(after id: RecordID) throws -> RecordID {
        RecordID(try SHA256.hash((innerLabel + id.bytes).span))
    }

    /// The ids that an entry of the folder with the inner id `parent` can have.
    package static func ids(in parent: RecordID?) -> ClosedRange<RecordID> {
        let first = (parent ?? .zero).low << 48
        return RecordID(high: first, low: 0)...RecordID(high: first | .max >> 16, low: .max)
    }

    /// The name to use for a title: itself if it is a name, else one that is like it.
    package static func repaired(_ title: [UInt8]) -> [UInt8] {
        if isValid(title) { return title }
        let name = title.prefix(Limits.titleByteCount).map {
            $0 == 0 || $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        }
        return isValid(name) ? name : [UInt8](repeating: UInt8(ascii: "_"), count: max(1, name.count))
    }

    /// True if a file system may see this title: 1 to 255 bytes, no slash, no NUL, neither `.` nor `..`.
    public static func isValid(_ title: [UInt8]) -> Bool {
        (1...Limits.titleByteCount).contains(title.count) && !title.contains(0) && !title.contains(UInt8(ascii: "/"))
            && title != [0x2E] && title != [0x2E, 0x2E]
    }
}
