import Glibc
import VaultCrypto
import VaultFormat
import Watermark

extension Bench {
    /// Traces a leak of a copy of 12 megapixels, and scores keys that are no copy's.
    func traces() throws {
        let (width, height) = (4000, 3000)
        try writeScan(width, height, to: "\(folder)/scan.ppm")
        try shell("cjpeg -quality 85 -outfile scan.jpg scan.ppm; rm scan.ppm")
        let original = try readFile("\(folder)/scan.jpg")
        let zeros = [UInt8](repeating: 0, count: 32)
        let seed = WatermarkSeed(try Secret(copying: zeros.span))
        let text = try MarkText("仅供{recipient}使用，他用无效", values: ["recipient": "招商银行"])
        let (id, share) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
        let copy = PictureInMemory()
        let marked = try Watermark.mark(
            original, text, MarkStyle(), seed: seed, original: id, share: share, into: copy)
        var style = MarkStyle()
        style.size = marked.size
        let recipe = LeakTrace.Copy(
            text, style, width: marked.width, height: marked.height, latticeKey: try seed.latticeKey(id))
        let start = clock()
        let trace = try LeakTrace(LeakTrace.Leak(copy), of: original, as: recipe)
        let registered = clock()
        let right = try trace.score(shareKey: seed.shareKey(share), isTracedAllOver: true)
        show("trace of 12 MP: \(seconds(from: start, to: registered)) s of processor time, z \(right)")
        var (sum, squares, most) = (0.0, 0.0, 0.0)
        let count = 1_000_000
        for number in 0..<count {
            let key = (0..<32).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : 7) }
            let score = try trace.score(shareKey: key, isTracedAllOver: true)
            (sum, squares, most) = (sum + score, squares + score * score, max(most, score))
        }
        let scored = clock()
        let deviation = (squares / Double(count) - (sum / Double(count)) * (sum / Double(count))).squareRoot()
        show("\(count) keys that are no copy's: deviation \(deviation), largest z \(most)")
        show("10,000 copies: \(seconds(from: registered, to: scored) / 100) s beyond the registration")
        try shell("rm scan.jpg")
    }

    private func seconds(from start: clock_t, to end: clock_t) -> Double {
        Double(end - start) / Double(CLOCKS_PER_SEC)
    }

    private func readFile(_ path: String) throws -> [UInt8] {
        guard let file = unsafe fopen(path, "r") else { throw CommandFailed(words: ["fopen", path], status: errno) }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe fread(&piece, 1, piece.count, file)
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
    }
}
