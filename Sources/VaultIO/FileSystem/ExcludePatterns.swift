import CSystem
import Values

/// Patterns of what is left out of a folder, by the rules of gitignore(5). Of several that fit, the last one decides.
public struct ExcludePatterns: Sendable {
    private struct Pattern {
        /// As it was given.
        let text: [UInt8]
        /// What stands between its slashes.
        let parts: [[UInt8]]
        /// True if what it fits stays in.
        let isNegative: Bool
        /// True if it fits folders alone.
        let isOfFolders: Bool
        /// True if it fits names at any depth.
        let isOfNames: Bool

        /// - Returns: nil of a line that is empty or a comment, and of one that fits nothing.
        init?(_ line: [UInt8]) {
            var text = Self.trimmed(line)[...]
            // No name has a NUL.
            guard let first = text.first, first != UInt8(ascii: "#"), !text.contains(0) else { return nil }
            self.text = Array(text)
            isNegative = first == UInt8(ascii: "!")
            if isNegative { text = text.dropFirst() }
            isOfFolders = text.last == 0x2F
            if isOfFolders { text = text.dropLast() }
            isOfNames = !text.contains(0x2F)
            if text.first == 0x2F { text = text.dropFirst() }
            guard !text.isEmpty else { return nil }
            parts = text.split(separator: 0x2F, omittingEmptySubsequences: false).map(Array.init)
        }

        /// Without the blanks at its end, but for those behind a backslash.
        private static func trimmed(_ line: [UInt8]) -> [UInt8] {
            var (end, place) = (0, 0)
            while place < line.count {
                let step = line[place] == UInt8(ascii: "\\") ? 2 : 1
                if line[place] != UInt8(ascii: " ") { end = min(place + step, line.count) }
                place += step
            }
            return Array(line[..<end])
        }

        func fits(_ path: [[UInt8]], isFolder: Bool) -> Bool {
            guard isFolder || !isOfFolders, let name = path.last else { return false }
            return isOfNames ? Self.fits(parts[0], name) : Self.fits(parts, path)
        }

        /// `**` stands for any number of folders, at the end for one thing at least. Of several only the last one is tried at
        /// other places: what stood before it fits once and for all.
        private static func fits(_ parts: [[UInt8]], _ path: [[UInt8]]) -> Bool {
            var (part, place) = (0, 0)
            var wide: (part: Int, place: Int)?
            while place < path.count {
                if part < parts.count, parts[part] == anyFolders {
                    wide = (part, place)
                    part += 1
                } else if part < parts.count, fits(parts[part], path[place]) {
                    (part, place) = (part + 1, place + 1)
                } else if let last = wide {
                    wide = (last.part, last.place + 1)
                    (part, place) = (last.part + 1, last.place + 1)
                } else {
                    return false
                }
            }
            return part == parts.count
        }

        private static let anyFolders = Array("**".utf8)

        private static func fits(_ part: [UInt8], _ name: [UInt8]) -> Bool {
            unsafe BytePath(part).withCString { part in
                unsafe BytePath(name).withCString { unsafe qv_fits(part, $0) == 1 }
            }
        }
    }

    private var patterns: [Pattern] = []

    /// The patterns as they were given, in their order.
    package var texts: [[UInt8]] { patterns.map(\.text) }

    /// None.
    public init() {}

    /// Adds a pattern behind the others.
    public mutating func add(_ pattern: [UInt8]) { if let pattern = Pattern(pattern) { patterns.append(pattern) } }

    /// Adds the patterns of a file, a line each; empty lines and those that begin with `#` are none.
    public mutating func add(linesOf file: [UInt8]) {
        let text = file.starts(with: [0xEF, 0xBB, 0xBF]) ? file.dropFirst(3) : file[...]
        for line in text.split(separator: 0x0A) { add(Array(line.last == 0x0D ? line.dropLast() : line)) }
    }

    /// The pattern that leaves out what stands at a path beneath the folder; nil where it stays in. What lies in a folder that is
    /// left out is not asked for.
    ///
    /// - Parameter path: names of folders, and the name of the thing.
    public func pattern(leavingOut path: [[UInt8]], isFolder: Bool) -> [UInt8]? {
        let found = patterns.last { $0.fits(path, isFolder: isFolder) }
        return found.flatMap { $0.isNegative ? nil : $0.text }
    }

    /// True if there is none.
    public var isEmpty: Bool { patterns.isEmpty }
}
