import VaultCrypto
import VaultFormat

/// The master keys that a person's secrets opened, so that a verb which runs again does not ask again.
final class OpenedVaults {
    private var masters: [BytePath: OpenedSlots] = [:]

    /// The master key of a vault; nil where its slots are others than those that were opened.
    func master(_ path: BytePath, _ slots: SlotArea) throws -> Secret? { try masters[path]?.master(slots) }

    func keep(_ opened: OpenedSlots, _ path: BytePath) { masters[path] = opened }
}

/// Key slots, and the master key that one of them gave.
struct OpenedSlots {
    private let slots: SlotArea
    private let master: Box<Secret>

    init(_ slots: SlotArea, _ master: borrowing Secret) throws {
        (self.slots, self.master) = (slots, Box(try master.slice(0..<32)))
    }

    /// The master key; nil where the slots are others.
    func master(_ slots: SlotArea) throws -> Secret? { slots == self.slots ? try master.value.slice(0..<32) : nil }
}

/// A value that cannot be copied, for several hands.
final class Box<Value: ~Copyable> {
    let value: Value

    init(_ value: consuming Value) { self.value = value }
}
