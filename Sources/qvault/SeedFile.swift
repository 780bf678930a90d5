import VaultCrypto
import VaultFormat
import VaultStore
import Watermark

/// The watermark seed of pictures outside a vault, made once on this machine (Spec/watermark.md, 3).
enum SeedFile {
    static func seed() throws -> WatermarkSeed {
        guard let state = Session.stateFolder else {
            throw Failure(.failure, "there is no home to keep the watermark's seed in", hint: "set XDG_STATE_HOME")
        }
        let (files, path) = (Session.world.files, Path(state + "/watermark-seed"))
        if (try? files.status(Path(state))) == nil { try files.makeFolders(Path(state)) }
        if (try? files.status(path)) == nil {
            var random = SystemRandom()
            do {
                try PendingFile(random.bytes(WatermarkSeed.byteCount), at: path, replacing: false).publish()
            } catch VaultError.exists {}  // somebody was quicker
        }
        let bytes = try files.openFile(path, writing: false).bytes(at: 0, count: WatermarkSeed.byteCount + 1)
        guard bytes.count == WatermarkSeed.byteCount else {
            throw Failure(.failure, "\(path): is no watermark seed", hint: "remove it, and a new one is made")
        }
        return WatermarkSeed(try Secret(copying: bytes.span))
    }
}
