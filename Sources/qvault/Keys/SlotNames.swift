import VaultFormat

extension KeySlot {
    /// True if a password opens it, with a keyfile or without.
    var isOfPassword: Bool { knownKind == .password || knownKind == .passwordAndKeyfile }

    /// Its kind in words.
    var kindName: Phrase { knownKind?.name ?? "made by a newer program (kind \(kind))" }
}

extension SlotArea {
    /// The slot that a number 1 … 8, or the beginning of an id, means.
    func number(named text: [UInt8]) throws -> Int {
        let text = String(decoding: text, as: UTF8.self)
        if let number = Int(text), self[number] != nil { return number }
        let found = slots.filter { text.utf8.count >= 4 && hexText($0.slot.id.bytes).hasPrefix(text) }
        guard found.count == 1 else {
            throw Failure(
                .notFound, "no key slot '\(printable(text.utf8))'", hint: "'qvault key list' shows their numbers")
        }
        return found[0].number
    }

    func free(_ path: BytePath) throws -> Int {
        guard let number = freeNumber else {
            throw Failure(
                .refused, "\(path): all \(Limits.slotCount) key slots are in use",
                hint: "'qvault key rm' takes one away, 'qvault rekey password' replaces one")
        }
        return number
    }
}
