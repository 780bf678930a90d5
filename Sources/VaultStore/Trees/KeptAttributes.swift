package import VaultFormat
package import VaultIO

/// The attributes of a file, folder or symbolic link that an import keeps beside name, content and time, if asked for
/// (Spec/product/trees.md, 5).
package struct KeptAttributes: Equatable, Sendable {
    /// Mode, owner, group, extended attributes.
    package var file: FileAttributes
    /// The device and the number of a file that had several names; nil of one with a single name.
    package var link: Link?

    /// A file of a file system.
    package struct Link: Hashable, Sendable {
        /// The device.
        package var device: UInt64
        /// The file's number there.
        package var inode: UInt64

        package init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }

        package init(_ status: FileStatus) { self.init(device: status.device, inode: status.inode) }
    }

    /// Bytes of the encoded extended attributes at most.
    package static let extendedByteCount = 8192

    package init(_ file: FileAttributes, link: Link? = nil) { (self.file, self.link) = (file, link) }

    /// The attributes of a thing with this status; false if its extended ones are more than an entry holds, and are left out.
    ///
    /// - Parameter attributes: reads them.
    static func of(
        _ status: FileStatus, _ attributes: () throws -> FileAttributes
    ) throws -> (kept: KeptAttributes, isWhole: Bool) {
        let link = status.kind == .regular && status.linkCount > 1 ? Link(status) : nil
        let bare = KeptAttributes(FileAttributes(status), link: link)
        do {
            let file = try attributes()
            let byteCount = file.extended.reduce(0) { $0 + $1.key.count + $1.value.count + 10 }
            return byteCount > extendedByteCount ? (bare, false) : (KeptAttributes(file, link: link), true)
        } catch let error as IOError where error.isTooLong {
            return (bare, false)
        }
    }

    /// The encoded form: `{ 0: mode, 1: [owner, group], ? 2: { name => value }, ? 3: [device, inode] }`.
    package var encoded: [UInt8] {
        var writer = CBORWriter()
        writer.map(2 + (file.extended.isEmpty ? 0 : 1) + (link == nil ? 0 : 1))
        writer.unsigned(0)
        writer.unsigned(UInt64(file.mode))
        writer.unsigned(1)
        writer.array(2)
        writer.unsigned(UInt64(file.owner))
        writer.unsigned(UInt64(file.group))
        if !file.extended.isEmpty {
            writer.unsigned(2)
            writer.map(file.extended.count)
            // The order of keys in a map: the shorter first.
            let names = file.extended.keys.sorted {
                $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count < $1.count
            }
            for name in names {
                writer.byteString(name)
                writer.byteString(file.extended[name] ?? [])
            }
        }
        if let link {
            writer.unsigned(3)
            writer.array(2)
            writer.unsigned(link.device)
            writer.unsigned(link.inode)
        }
        return writer.bytes
    }

    /// Takes what `encoded` gave. Keys that are not known are passed over.
    ///
    /// - Throws: `FormatError.malformed`.
    package init(parsing bytes: [UInt8]) throws {
        var reader = CBORReader(bytes)
        var (mode, owners): (UInt64?, (UInt64, UInt64)?)
        var (extended, link): ([[UInt8]: [UInt8]], Link?) = ([:], nil)
        try reader.map { reader, key in
            switch reader.encoding(at: key) {
            case [0]: mode = try reader.unsigned()
            case [1]: owners = try Self.pair(&reader)
            case [2]:
                try reader.map { reader, key in
                    var name = CBORReader(reader.encoding(at: key))
                    let bytes = try name.string().bytes
                    guard !bytes.isEmpty, !bytes.contains(0) else { throw Self.malformed }
                    extended[bytes] = try reader.string().bytes
                }
            case [3]: link = try Self.pair(&reader).map(Link.init)
            default: _ = try reader.item(depth: 4)
            }
        }
        try reader.finish()
        guard let mode, mode <= 0o7777, let owners, let owner = UInt32(exactly: owners.0),
            let group = UInt32(exactly: owners.1)
        else { throw Self.malformed }
        file = FileAttributes(mode: UInt32(mode), owner: owner, group: group, extended: extended)
        self.link = link
    }

    private static let malformed = FormatError(.malformed, "modes and owners of a file")

    private static func pair(_ reader: inout CBORReader) throws -> (UInt64, UInt64)? {
        guard try reader.arrayCount() == 2 else { throw malformed }
        return (try reader.unsigned(), try reader.unsigned())
    }
}

extension Overview {
    /// The attributes that were kept of a file; nil if there are none.
    ///
    /// - Throws: `FormatError.malformed`.
    package var kept: KeptAttributes? { get throws { try attributes.map(KeptAttributes.init(parsing:)) } }
}
