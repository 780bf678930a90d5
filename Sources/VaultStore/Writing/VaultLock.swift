import VaultIO
import VaultFormat

/// The lock of the one writer (Spec/store.md, 2).
enum VaultLock {
    /// Opens and locks; starts again when the path leads to another file by then.
    static func open(_ path: BytePath, _ environment: StoreEnvironment, timeout: Duration) throws -> any File {
        var waited = Duration.zero
        var step = 1
        while true {
            let file = try environment.files.openFile(path, writing: true)
            if try file.lock() {
                let (mine, named) = (try file.status(), try environment.files.status(path))
                if mine.isOfSameFile(as: named) { return file }
                try environment.checkCancellation()
                continue
            }
            guard waited < timeout else { throw VaultError.busy }
            try environment.checkCancellation()
            environment.pause(step)
            waited += .milliseconds(step)
            step = min(step * 2, 16)
        }
    }
}
