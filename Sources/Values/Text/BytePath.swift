/// A file name or path as the system has it: bytes, usually UTF-8.
public struct BytePath: Hashable, Sendable, CustomStringConvertible {
    /// The path as the system has it.
    public let bytes: [UInt8]

    /// A path of these bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    /// A path in UTF-8.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// This path with a component behind it; from `.` just the component.
    public func appending(_ component: [UInt8]) -> BytePath {
        guard !bytes.isEmpty, bytes != [0x2E] else { return BytePath(component) }
        var joined: [UInt8] = []
        joined.reserveCapacity(bytes.count + 1 + component.count)
        joined += bytes
        if bytes.last != 0x2F { joined.append(0x2F) }
        joined += component
        return BytePath(joined)
    }

    /// Everything before the last component; `.` if there is nothing.
    public var parent: BytePath {
        let trimmed = trimmingSlashes
        guard let slash = trimmed.lastIndex(of: 0x2F) else { return BytePath(".") }
        return slash == 0 ? BytePath("/") : BytePath(Array(trimmed[..<slash]))
    }

    /// The last component; empty for the root.
    public var lastComponent: [UInt8] {
        let trimmed = trimmingSlashes
        return Array(trimmed[((trimmed.lastIndex(of: 0x2F) ?? -1) + 1)...])
    }

    /// The components between slashes, empty ones left out.
    public var components: [[UInt8]] { bytes.split(separator: 0x2F).map(Array.init) }

    /// True if it is `folder` or a path in it. Both are as a vault has them: without a slash at the end.
    package func isOrIsBeneath(_ folder: BytePath) -> Bool {
        self == folder || bytes.starts(with: folder.bytes + [0x2F])
    }

    private var trimmingSlashes: ArraySlice<UInt8> {
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0x2F { end -= 1 }
        return bytes[..<end]
    }

    /// For people; see `printable`.
    public var description: String { printable(bytes) }
}
