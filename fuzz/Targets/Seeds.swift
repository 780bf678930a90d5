import Glibc
import VaultFormat
import VaultIO
import VaultStore

/// Recipes to begin with: those that make no change, and those that touch what matters.
package enum Seeds {
    package static func write(to folder: String) throws {
        for (target, recipes) in try all() {
            mkdir("\(folder)/\(target.rawValue)", 0o755)
            for (index, recipe) in recipes.enumerated() {
                guard let file = fopen("\(folder)/\(target.rawValue)/seed-\(index)", "w") else { continue }
                fwrite(recipe, 1, recipe.count, file)
                fclose(file)
            }
        }
    }

    /// Contents that compress well, around the length of a frame.
    private static func frames() throws -> [[UInt8]] {
        let encoder = try FrameEncoder()
        return try [1, 300, 70_000, FrameTable.contentByteCount, FrameTable.contentByteCount + 1, 2_300_000].map {
            length in
            var (frames, lengths): ([UInt8], [UInt32]) = ([], [])
            for start in stride(from: 0, to: length, by: FrameTable.contentByteCount) {
                let count = min(length - start, FrameTable.contentByteCount)
                let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 100) }
                var frame = [UInt8](repeating: 0, count: FrameEncoder.bound(count))
                let end = try frame.withMutableSlice(0..<frame.count) { try encoder.encode(content.span, into: &$0) }
                frames += frame[..<end]
                lengths.append(UInt32(end))
            }
            let number = length - 1
            return [UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255)] + frames
                + FrameTable.bytes(lengths)
        }
    }

    private static func all() throws -> [(FuzzTarget, [[UInt8]])] {
        let forge = Forge.shared
        let fixes = (0..<16).map(UInt8.init)
        /// One byte changed at an offset.
        func patched(_ fix: UInt8, _ offset: Int) -> [UInt8] {
            [fix, UInt8(offset >> 16), UInt8(offset >> 8 & 255), UInt8(offset & 255), 1, 0x5A]
        }
        var writer = CBORWriter()
        forge.entry(kind: .file, title: Array("a".utf8), parent: .zero, length: 5).write(to: &writer)
        let entry = writer.bytes
        var rich = forge.entry(kind: .file, title: [0xFF, 0x61], parent: nil, length: 5)
        (rich.overview.tags, rich.overview.group, rich.overview.isPinned) = (["x", "税"], "g", true)
        (rich.overview.isExecutable, rich.overview.modified, rich.state, rich.last) = (true, -5, .trashed, 3)
        writer = CBORWriter()
        rich.write(to: &writer)
        let richEntry = writer.bytes
        // An unknown pair at the end of an entry, and one in its overview.
        let unknown = [entry[0] + 1] + entry.dropFirst() + [0x18, 0x20, 0x82, 0x01, 0xF5]
        let chunk = [0x81] + entry
        let head = try forge.head(
            for: chunk, count: 1,
            first: forge.entry(
                kind: .file, title: Array("a".utf8), parent: .zero, length: 5
            ).id.bytes)
        func string(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count)] + bytes }
        func text(_ name: String) -> [UInt8] { string(Array(name.utf8)) }
        // Each by itself: the compiler takes too long over one expression with all of it.
        let pages: [[UInt8]] = [8, 32, 48, 64, 72, 260, 300, 3400, 4000, 65_544].map { patched(3, $0) }
        let commits: [[UInt8]] = [8, 12, 16, 48, 88, 96, 104, 168, 200, 232, 420].map { patched(6, $0) }
        let places = [Int(forge.core.start) + 5, Int(forge.core.recordOffset) + 90, 100, Int(forge.core.end) + 90]
        let files: [[UInt8]] = places.flatMap { offset in [0, 7, 15].map { patched($0, offset) } }
        let wrecks: [[UInt8]] = (places + [65_600]).flatMap { offset in [0, 15, 32, 48].map { patched($0, offset) } }
        return [
            (
                .page,
                [
                    [3, 0, 1, 0, 1, 1], [3, 0, 1, 0, 1, 1, 0, 1, 4, 4, 0xFF, 0xFF, 0xFF, 0xFF],
                    [3, 0, 1, 0, 1, 1, 0, 1, 4, 4, 0, 0x98, 0x96, 0x81], [3, 0, 1, 0, 1, 9],
                ] + pages + [[0], [3]]
            ),
            (.commit, commits + [[0], [6]]),
            (.manifest, [[0] + string(head) + string(chunk), [1] + chunk, [2, 0, 2, 16, 0, 0, 1, 0, 0, 50] + head]),
            (
                .cbor,
                [
                    [0] + entry, [1] + entry, [1] + richEntry, [0] + unknown, [0, 0xA0], [0, 0x9F], [0, 0xC0],
                    [0, 0x81, 0x81, 0xF5],
                ]
            ),
            (
                .record,
                [
                    [0, 0, 0, 5], [0, 1, 0x40, 0], [1, 0, 0, 5] + [UInt8](repeating: 0, count: 144),
                    [2, 0, 0, 5, 0, 1], [4, 0, 0, 5, 0, 0, 0, 6],
                ]
            ),
            (.frames, try frames()),
            (.pieces, [[0x80, 0, 0, 2, 3, 2], [0, 0, 5, 2], [0x80, 0, 0, 0, 0, 1]]),
            (
                .file,
                fixes.map { [$0] } + files + [[64, 0, 16, 0], [128, 3, 1, 2, 3]]
            ),
            (
                .paths,
                [
                    [0] + text("a") + text("content"), [1] + text("d") + [4] + text("a") + text("x"),
                    [2] + text("l") + text("../../etc/passwd"),
                    [2] + text("l") + text("d") + [1] + text("..") + [0] + text("/x") + text(""),
                    [1] + text("d") + [6] + text("up") + text("../x") + [20] + text("y") + text("z"),
                ]
            ),
            (
                .store,
                [
                    [0, 32, 0, 9, 33, 1, 0, 36, 8, 255, 255], [0, 0, 0, 9, 1, 1, 0],
                    [1, 8, 255, 255, 4, 0, 0, 1, 17, 0, 5, 2, 0, 3],
                ]
            ),
            (
                .wreck,
                [[0], [16], [32], [48], [64, 0, 16, 0], [96, 0, 64, 0]] + wrecks
            ),
            (
                .parity,
                [[0], [2, 0, 16, 0], patched(0, 131_100), patched(1, 147_600), patched(1, 150_000), patched(0, 4000)]
            ),
            (
                .queries,
                [
                    "sfz 招行", "kind:note|login not (tag:t or is:pinned)", "amount>=1.2万 amount:1..50,000",
                    "expiry<90d 到期:-1d..1y",
                    "updated:2026-01..本月 created<7d", "\"a b\" -“c” .no:17 has:attachment|bank", "size>1.5MB path:d",
                    "@q or @c",
                    "种类：银行卡 且 （金额≠3）", "https://a.example 12:30 @\"q\"",
                ].map { Array($0.utf8) }
            ),
            (
                .texts,
                [
                    Array("1 0000 0000 0\n2 0000 0000 1\n3 0000 0000 2\n4 0000 0000 3\n".utf8),
                    try AuditKey(forge.keys).text().withSpan { Array(copying: $0) },
                ]
            ),
        ]
    }
}
