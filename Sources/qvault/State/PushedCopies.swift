import VaultFormat
import VaultIO
import VaultStore

/// The places to which this machine pushed a vault, so that a disk that is not plugged in is noticed, and the place need not
/// be typed again.
struct PushedCopies {
    private static let folder = "pushes"
    private let folder: StateFolder?
    private let name: [UInt8]
    /// Each once, in the order of the first push.
    private(set) var places: [[UInt8]]

    init(of vaultID: VaultID) {
        (folder, name) = (Machine.state(Self.folder), Array(hexText(vaultID.bytes).utf8))
        places = folder?.read(name, count: 1 << 20)?.split(separator: 0).map(Array.init) ?? []
    }

    /// Notes that a copy is at a place.
    mutating func note(_ place: [UInt8]) {
        guard !places.contains(place), let folder else { return }
        places.append(place)
        folder.trying {
            try Machine.store.files.makeFolders(folder.path)
            let new = try AtomicFile(folder.path.appending(name), Machine.store.files, replacing: true)
            try new.file.writeAll(Array(places.joined(separator: [0])).span, at: 0)
            try new.file.sync()
            try new.publish()
        }
    }

    /// Forgets a vault, or all of them.
    static func forget(_ vaultID: VaultID? = nil) {
        guard let folder = Machine.state(folder) else { return }
        for name in vaultID.map({ [Array(hexText($0.bytes).utf8)] }) ?? folder.names() { folder.remove(name) }
    }
}
