import VaultFormat
import VaultStore
import VaultTesting

/// Judges what is left of a vault after a save was interrupted: it must be the old state or the new one, whole, and
/// a writer must be able to go on from there (Spec/store.md, 9).
struct InvariantChecker {
    let master: [UInt8]
    /// There was no vault before.
    let mayBeMissing: Bool
    /// From the state before the save to the one after; between them what an interrupted writer had left to adopt.
    let states: [Content]

    /// The vault was sound before: then it bears the loss of a page besides.
    let wasSound: Bool
    /// It is a backup, to which nobody saves.
    let isCopy: Bool

    init(master: [UInt8], states: [Content?], wasSound: Bool = true, isCopy: Bool = false) {
        (self.master, self.wasSound, self.isCopy) = (master, wasSound, isCopy)
        mayBeMissing = states.contains(nil)
        self.states = states.compactMap { $0 }
    }

    /// The same for a vault with another master key, or the same if nil.
    func with(master: [UInt8]?) -> InvariantChecker {
        guard let master else { return self }
        return InvariantChecker(
            master: master, states: (mayBeMissing ? [nil] : []) + states, wasSound: wasSound, isCopy: isCopy)
    }

    /// The violation; nil if all rules hold.
    ///
    /// - Parameters:
    ///   - bytes: the vault file as it was found; nil if there is none.
    ///   - isAcknowledged: the save was said to be durable.
    func violation(_ bytes: [UInt8]?, isAcknowledged: Bool) throws -> String? {
        guard let bytes else { return mayBeMissing && !isAcknowledged ? nil : "the vault is gone" }
        let image = Image(bytes, master: master)
        let seen: Content
        do { seen = try image.open().content() } catch { return "does not open: \(error)" }
        guard let index = states.lastIndex(of: seen) else { return "neither the old state nor the new" }
        if isAcknowledged, index < states.count - 1 { return "an acknowledged save is lost" }
        let full = try image.open().verify()
        // An acknowledged save leaves nothing to repair.
        if let found = full.findings.first(where: { isAcknowledged || $0.code != .repairable }) {
            return "verify: \(found)"
        }
        if let found = try image.keyless().findings.first(where: { $0.code != .repairable }) {
            return "verify without a key: \(found)"
        }
        // A part of the states, drawn by their bytes: it takes three times as long as the rest.
        let draw = bytes.reduce(1) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } >> 32
        if wasSound, isAcknowledged || draw % 4 == 0, let violation = violationOfLosingAPage(bytes, isAcknowledged) {
            return violation
        }
        if isCopy { return nil }
        if draw % 4 == 1, let violation = try violationOfMending(Image(bytes, master: master)) { return violation }
        return try violationOfGoingOn(image, from: index)
    }

    /// A page lost in addition: what is read is still a state that was saved, and the newest if that was acknowledged.
    /// Then even both pages may be lost.
    private func violationOfLosingAPage(_ bytes: [UInt8], _ isAcknowledged: Bool) -> String? {
        let pages = [Layout.pageAOffset, Layout.pageBOffset, lastPage(of: bytes)]
        for lost in pages.map({ [$0] }) + (isAcknowledged ? [[pages[0], pages[1]]] : []) {
            do {
                let vault = try Image(without(lost, bytes), master: master).open()
                let seen = try vault.content()
                guard let index = states.lastIndex(of: seen) else {
                    // An interrupted save has overwritten page T: whoever sees an older state is told so.
                    if !isAcknowledged, vault.obstacle != nil, !vault.warnings.isEmpty { continue }
                    return "with \(lost) lost, no state that was saved"
                }
                if isAcknowledged, index < states.count - 1 { return "with \(lost) lost, the save is lost too" }
            } catch {
                return "with \(lost) lost: \(error)"
            }
        }
        return nil
    }

    /// A writer that saves nothing mends all the same. An older page that names a commit which was dropped is left to the
    /// next save, which overwrites it.
    private func violationOfMending(_ image: Image) throws -> String? {
        do { try image.repair() } catch { return "a writer fails that saves nothing: \(error)" }
        let check = try image.open().verify()
        let found = check.findings.filter {
            $0.code != .repairable || $0.what != "the older page names no commit of this log"
        }
        return found.isEmpty && check.notes.isEmpty ? nil : "not repairs without a save: \(found) \(check.notes)"
    }

    /// The next writer mends; nothing that was seen goes away, and nothing is left to find fault with.
    private func violationOfGoingOn(_ image: Image, from index: Int) throws -> String? {
        let added: [UInt8] = Array("the save after".utf8)
        do { try image.put("after", added, seed: 77) } catch { return "the next save fails: \(error)" }
        let vault = try image.open()
        var after = try vault.content()
        guard after.removeValue(forKey: "after") == added else { return "the next save is lost" }
        guard states[index...].contains(after) else { return "the next save took back what was seen" }
        let check = try vault.verify()
        guard check.findings.isEmpty, check.notes.isEmpty, vault.warnings.isEmpty else {
            return "not repairs: \(check.findings) \(check.notes) \(vault.warnings)"
        }
        return nil
    }
}

/// The offset of page T in a file that ends with it.
func lastPage(of bytes: [UInt8]) -> UInt64 { UInt64(bytes.count / Layout.pageByteCount - 1) * Layout.alignment }

/// A vault whose pages at these places are zero.
func without(_ pages: [UInt64], _ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for page in pages.map(Int.init) {
        bytes.replaceSubrange(page..<page + Layout.pageByteCount, with: repeatElement(0, count: Layout.pageByteCount))
    }
    return bytes
}
