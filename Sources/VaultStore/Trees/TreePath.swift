package import Values
import VaultFormat

extension BytePath {
    /// The folder of a path within a tree; empty at the top.
    package var parentInTree: BytePath {
        guard let slash = bytes.lastIndex(of: 0x2F) else { return BytePath("") }
        return BytePath(Array(bytes[..<slash]))
    }

    /// True if it can only lead downwards: valid names with one slash between them. A folder's title may hold slashes
    /// of its own, also at its front.
    var isPlain: Bool {
        bytes.split(separator: 0x2F, omittingEmptySubsequences: false).allSatisfy { TreeName.isValid(Array($0)) }
    }

    /// True if both lie in one folder.
    func isBeside(_ other: BytePath) -> Bool {
        let (mine, theirs) = (bytes.lastIndex(of: 0x2F) ?? 0, other.bytes.lastIndex(of: 0x2F) ?? 0)
        return mine == theirs && bytes[..<mine] == other.bytes[..<theirs]
    }

    /// The first `count` bytes.
    func cut(to count: Int) -> BytePath { bytes.count > count ? BytePath(Array(bytes[..<count])) : self }

    /// True if a file, folder or symlink of a vault may have this path.
    var isTreePath: Bool {
        (1...Limits.treeDepth).contains(components.count) && components.allSatisfy(TreeName.isValid)
            && bytes.count <= Limits.pathByteCount
    }
}
