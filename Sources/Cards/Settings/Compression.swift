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
