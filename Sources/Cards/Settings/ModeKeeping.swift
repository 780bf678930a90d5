import VaultFormat
package import VaultStore

/// The setting of a vault that says whether imports keep modes, owners, extended attributes and hard links
/// (Spec/product/trees.md, 5).
package enum ModeKeeping {
    /// The name of the setting.
    package static let settingName = Entry.modesSetting
    /// The setting that turns it on.
    fileprivate static let on = Setting(.flag(true))
    fileprivate static let overview = Overview(title: Array(settingName.utf8))
}

extension Vault {
    /// True if the vault says that modes are kept.
    ///
    /// - Throws: `IOError`.
    package func keepsModes() throws -> Bool {
        do { return try setting(ModeKeeping.settingName)?.value == .flag(true) } catch is FormatError { return false }
    }
}

extension VaultTransaction {
    /// Notes in the vault that modes are kept from now on.
    ///
    /// - Throws: all that storing throws.
    package func keepModes() throws {
        guard try !before.keepsModes() else { return }
        try put(ModeKeeping.on, as: ModeKeeping.settingName)
    }
}

extension VaultCreation {
    /// Notes in the new vault that modes are kept.
    ///
    /// - Throws: all that storing throws.
    package func keepModes() throws {
        try put(
            Setting.id(ModeKeeping.settingName), kind: .setting, overview: ModeKeeping.overview,
            content: ModeKeeping.on.bytes)
    }
}
