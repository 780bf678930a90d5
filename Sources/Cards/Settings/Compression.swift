package import VaultFormat
public import VaultStore

/// Whether a vault compresses the files that it stores: a setting of the vault (Spec/product/records.md, 7).
public enum Compression: String, CaseIterable, Sendable {
    /// Those that shrink.
    case auto
    /// None: then the size of a save tells nothing of what is in the files.
    case off

    /// The name of the setting.
    public static let settingName = "compression"

    /// True of the record of this setting, which is about the vault and no content of it.
    package static func isSetting(_ entry: Entry) -> Bool {
        entry.kind == .setting && entry.overview.title == Array(settingName.utf8)
    }
}

extension Vault {
    /// What its setting says; a word that this version does not know is `off`.
    ///
    /// - Throws: as `setting`.
    public func compression() throws -> Compression {
        switch try setting(Compression.settingName)?.value {
        case nil: .auto
        case .text(let word)?: Compression(rawValue: word) ?? .off
        case _?: .off
        }
    }
}

extension VaultTransaction {
    /// Has the save go by the settings of the vault.
    ///
    /// - Throws: as `Vault.setting`.
    package func followSettings() throws { isCompressing = try before.compression() == .auto }
}

extension VaultCreation {
    /// Gives the new vault its setting, and goes by it.
    ///
    /// - Throws: all that storing throws.
    package func set(_ compression: Compression) throws {
        isCompressing = compression == .auto
        guard compression != .auto else { return }
        try put(
            Setting.id(Compression.settingName), kind: .setting,
            overview: Overview(title: Array(Compression.settingName.utf8)),
            content: Setting(.text(compression.rawValue)).bytes)
    }
}
