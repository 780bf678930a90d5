import VaultFormat
public import VaultStore

/// The setting of a vault that says whether it compresses files (Spec/product/records.md, 7).
public enum Compression: String, CaseIterable, Sendable {
    /// Those that shrink.
    case auto
    /// None: then the size of a save tells nothing of what is in the files.
    case off

    /// The name of the setting.
    public static let settingName = Entry.compressionSetting
}

extension Vault {
    /// The setting `compression`; `auto` if there is none, nil if it cannot be read or has an unknown word.
    ///
    /// - Throws: `IOError`.
    public func compression() throws -> Compression? {
        do {
            guard let entry = try entry(Setting.id(Compression.settingName)) else { return .auto }
            guard entry.kind == .setting, case .text(let word) = try setting(entry).value else { return nil }
            return Compression(rawValue: word)
        } catch is FormatError { return nil }
    }
}

extension VaultTransaction {
    /// Has the save go by the settings of the vault. What is not known counts as `off`.
    ///
    /// - Returns: false where the setting cannot be read.
    /// - Throws: `IOError`.
    @discardableResult package func followSettings() throws -> Bool {
        let compression = try before.compression()
        isCompressing = compression == .auto
        return compression != nil
    }
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
