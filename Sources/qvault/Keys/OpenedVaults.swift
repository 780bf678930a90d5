import VaultCrypto
import VaultFormat

/// The master keys that a person's secrets opened, so that a verb which runs again does not ask again.
final class OpenedVaults {
    private var masters: [BytePath: (slots: SlotArea, master: Kept)] = [:]

    private final class Kept {
        let master: Secret

        init(_ master: consuming Secret) { self.master = master }
    }

    /// The master key of a vault; nil where its slots are others than those that were opened.
    func master(_ path: BytePath, _ slots: SlotArea) throws -> Secret? {
        guard let kept = masters[path], kept.slots == slots else { return nil }
        return try kept.master.master.slice(0..<32)
    }

    func keep(_ master: consuming Secret, _ path: BytePath, _ slots: SlotArea) {
        masters[path] = (slots, Kept(master))
    }
}
