import Cards
import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// The setting `compression` governs saves, and cannot stop one, whatever stands in its place.
struct CompressionSettingTests {
    private func follows(_ kind: Entry.Kind, _ content: [UInt8], damaging isDamaged: Bool = false) throws -> (
        Bool, Bool
    ) {
        let fixture = try VaultFixture()
        let id = try Setting.id(Compression.settingName)
        try fixture.save(seed: 1) { save in
            try save.put(
                id, kind: kind, parent: nil, overview: Overview(title: Array("compression".utf8)), content: content)
        }
        if isDamaged { fixture.bytes[Int(try #require(try fixture.open().entry(id)).place) + 195] ^= 1 }
        var outcome = (false, true)
        try fixture.save(seed: 2) { save in
            outcome = (try save.followSettings(), save.isCompressing)
            try save.treeImport { _ in }.addStream(as: "a", read: reading([1]))
        }
        return outcome
    }

    @Test func wordsThatAreKnown() throws {
        #expect(try follows(.setting, Setting(.text("auto")).bytes) == (true, true))
        #expect(try follows(.setting, Setting(.text("off")).bytes) == (true, false))
    }

    @Test func whatIsNotKnownCountsAsOff() throws {
        #expect(try follows(.setting, Setting(.text("max")).bytes) == (false, false))
        #expect(try follows(.setting, Setting(.flag(true)).bytes) == (false, false))
        #expect(try follows(.setting, [0xFF, 0x00]) == (false, false))
        #expect(try follows(.setting, []) == (false, false))
        #expect(try follows(.thumbnail, Setting(.text("auto")).bytes) == (false, false))
        #expect(try follows(.setting, Setting(.text("auto")).bytes, damaging: true) == (false, false))
    }
}
