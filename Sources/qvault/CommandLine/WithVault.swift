import Glibc
import VaultFormat
import VaultIO
import VaultStore

/// Runs a verb's work and names the vault in what goes wrong.
func withVault<R>(_ path: BytePath, _ body: () throws -> R) throws -> R {
    do { return try body() } catch VaultError.cancelled { throw VaultError.cancelled } catch var error as Ambiguity {
        error.vault = path
        throw error
    } catch let error as IOError where error.code == EPIPE {
        throw error
    } catch {
        throw failure(for: error, vault: path)
    }
}
