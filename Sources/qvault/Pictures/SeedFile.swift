import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import Watermark

/// The watermark seed of pictures outside a vault, made once on this machine (Spec/product/watermark.md, 3).
enum SeedFile {
    static func seed() throws -> WatermarkSeed {
        guard let state = Machine.stateFolder else {
            throw Failure(.failure, "there is no home to keep the watermark's seed in", hint: "set XDG_STATE_HOME")
        }
        let (files, path) = (Machine.store.files, state.appending(Array("watermark-seed".utf8)))
        try files.makeFolders(state)
        if try !files.exists(path) {
            var random = SystemRandom()
            do { try writePrivately(random.secret(byteCount: WatermarkSeed.byteCount), to: path) } catch VaultError
                .exists
            {}  // somebody was quicker
        }
        let file = try files.openFile(path, writing: false)
        var secret = try Secret(byteCount: WatermarkSeed.byteCount)
        let count = try secret.withMutableSpan { try file.readAll(into: &$0, at: 0) }
        guard count == WatermarkSeed.byteCount, try file.status().size == UInt64(count) else {
            throw Failure(.failure, "\(path): is no watermark seed", hint: "remove it, and a new one is made")
        }
        return WatermarkSeed(secret)
    }
}
