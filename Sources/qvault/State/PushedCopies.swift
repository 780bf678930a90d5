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
        (folder, name) = (Machine.state(Self.folder), StateFolder.name(of: vaultID))
        places = folder?.read(name, count: 1 << 20)?.split(separator: 0).map(Array.init) ?? []
    }

    /// Notes that a copy is at a place.
    mutating func note(_ place: [UInt8]) {
        guard !places.contains(place), let folder else { return }
        places.append(place)
        folder.trying { try folder.replace(name, Array(places.joined(separator: [0]))) }
    }

    /// Forgets a vault, or all of them.
    static func forget(_ vaultID: VaultID? = nil) {
        Machine.state(folder)?.forget(vaultID)
    }
}
