import VaultFormat
public import VaultIO
public import Values

extension Repair {
    /// A damaged file as `Salvage` reads it.
    public struct View {
        /// The vault.
        public let vault: LockedVault
        /// Bytes of it that parity or a second copy restored; 0 where the file is read as it is.
        public let repairedByteCount: UInt64
        /// Why nothing could be tried, such as a full disk; nil where all was.
        public let obstacle: IOError?
    }

    /// Opens a view of a damaged file for `Salvage`, with the bytes that parity or a second copy restores. The file does not
    /// change. Where the repaired view is of another vault than the file, or of an older save, or has blocks from other places and is
    /// not whole, or nothing can be repaired, the view is the file itself.
    ///
    /// - Parameters:
    ///   - scratch: a folder for what is repaired; nothing is left in it.
    ///   - progress: told the bytes read so far.
    /// - Throws: as `LockedVault(_:in:toSalvage:)`; `VaultError.cancelled`.
    public static func openRepaired(
        _ path: BytePath, scratch: BytePath, in environment: StoreEnvironment,
        progress: @escaping (UInt64) -> Void = { _ in }
    ) throws -> View {
        let file = try environment.files.openFile(path, writing: false)
        let plain = Result { try LockedVault(file, environment, toSalvage: true) }
        var repair = Repair(environment, mends: true, progress)
        do {
            let changes = try environment.files.openFolder(scratch).makeFile(replacing: false)
            let overlay = try OverlayFile(over: file, changes: changes)
            try repair.run(on: overlay, of: file, from: [])
            let view = try LockedVault(overlay, environment, toSalvage: true)
            // Blocks that were put back may be another vault's; a check without a key tells where all of them are right.
            let isTrusted = repair.isWhole || !repair.isRealigned
            guard repair.repairedByteCount > 0, isTrusted, view.isOfSameVault(as: try? plain.get()) else {
                return View(vault: try plain.get(), repairedByteCount: 0, obstacle: nil)
            }
            return View(vault: view, repairedByteCount: repair.repairedByteCount, obstacle: nil)
        } catch let error as IOError {
            return View(vault: try plain.get(), repairedByteCount: 0, obstacle: error)
        } catch is FormatError {
            // A file that cannot be repaired may still be salvaged.
            return View(vault: try plain.get(), repairedByteCount: 0, obstacle: nil)
        }
    }
}

extension LockedVault {
    /// True if it is of the same vault and epoch as the file that it was repaired from, and not of an older save. Of a file without a
    /// readable page nothing is known.
    fileprivate func isOfSameVault(as damaged: LockedVault?) -> Bool {
        guard let other = damaged?.header else { return true }
        return (header.vaultID, header.epoch) == (other.vaultID, other.epoch) && header.sequence >= other.sequence
    }
}
