import Foundation
import Testing
import VaultCrypto
import VaultFormat
import Pictures
import Watermark

/// Marks: what they touch, what they leave alone, and what is refused.
struct WatermarkTests {
    private static let folder: URL = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "qvault-mark-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }()
    private let ids = (original: [UInt8](repeating: 1, count: 16), share: [UInt8](repeating: 2, count: 16))

    private func seed(_ byte: UInt8 = 7) throws -> WatermarkSeed {
        let bytes = [UInt8](repeating: byte, count: 32)
        return WatermarkSeed(try Secret(copying: bytes.span))
    }

    private func text(_ template: String = "他用无效\n仅供{recipient}使用") throws -> MarkText {
        try MarkText(template, values: ["recipient": "招商银行"])
    }

    /// Marks in a lattice, whose strokes are far apart.
    private static var sparse: MarkStyle {
        var style = MarkStyle()
        style.layout = .sparse
        return style
    }

    private func mark(_ picture: [UInt8], _ style: MarkStyle = sparse, share: [UInt8]? = nil) throws -> [UInt8] {
        try mark(picture, text(), style, (ids.original, share ?? ids.share))
    }

    private func mark(
        _ picture: any PictureSource, _ text: MarkText, _ style: MarkStyle, _ ids: (original: [UInt8], share: [UInt8])
    ) throws -> [UInt8] {
        let copy = PictureInMemory()
        _ = try Watermark.mark(
            picture, text, style, seed: seed(), original: ids.original, share: ids.share, into: copy)
        return copy.bytes
    }

    private func run(_ words: [String], input: [UInt8]) throws -> [UInt8] {
        let name = UUID().uuidString
        let (source, target) = (Self.folder.appending(path: name), Self.folder.appending(path: name + ".out"))
        try Data(input).write(to: source)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardInput = try FileHandle(forReadingFrom: source)
        _ = FileManager.default.createFile(atPath: target.path, contents: nil)
        process.standardOutput = try FileHandle(forWritingTo: target)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        defer { for file in [source, target] { try? FileManager.default.removeItem(at: file) } }
        return process.terminationStatus == 0 ? [UInt8](try Data(contentsOf: target)) : []
    }

    /// A picture with edges and noise, as PPM.
    private func picture(_ width: Int, _ height: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed
        var bytes = Array("P6\n\(width) \(height)\n255\n".utf8)
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<3 {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    let wave = (x * (channel + 2) / 3 + y * 2) % 97 + (x / 31 + y / 17) % 2 * 60
                    bytes.append(UInt8(clamping: 60 + wave + Int(state >> 60)))
                }
            }
        }
        return bytes
    }

    private func pixels(_ ppm: [UInt8]) -> [UInt8] {
        var lines = 0
        let start = ppm.firstIndex { byte in
            if byte == 0x0A { lines += 1 }
            return byte == 0x0A && lines == 3
        }
        return start.map { Array(ppm[($0 + 1)...]) } ?? []
    }

    /// Which pixels a stroke touches: a gray picture of the same size shows it.
    private func strokes(_ width: Int, _ height: Int, _ style: MarkStyle = sparse) throws -> [Bool] {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Scripts/pictures.py")
        // Tests run side by side.
        let folder = Self.folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        _ = try run(["/usr/bin/python3", script.path, folder.path, "\(width)", "\(height)"], input: [])
        let plain = [UInt8](try Data(contentsOf: folder.appending(path: "plain.png")))
        var style = style
        (style.opacity, style.isLight) = (1, false)
        let marked = try Picture(reading: mark(plain, style), width: width, height: height)
        return stride(from: 0, to: marked.pixels.count, by: 3).map { marked.pixels[$0] != 128 }
    }

    static let variants: [[String]] = [
        ["-baseline"], ["-progressive"], ["-arithmetic"], ["-arithmetic", "-progressive"], ["-grayscale"], ["-rgb"],
        ["-sample", "1x1"], ["-sample", "2x1"], ["-sample", "2x2"], ["-sample", "1x2"], ["-sample", "4x1"],
        ["-restart", "3B"], ["-restart", "1", "-progressive"], ["-quality", "30"], ["-quality", "100"],
    ]

    /// Every block of 8 by 8 luma samples without a stroke decodes to the same bytes, by a program that is not ours; the
    /// others are darker.
    @Test(arguments: variants) func blocksWithoutStrokesStayTheSame(_ options: [String]) throws {
        let (width, height) = (333, 251)
        let map = try strokes(width, height)
        let ppm = picture(width, height)
        let original = try run(["cjpeg"] + options, input: ppm)
        #expect(!original.isEmpty)
        var style = Self.sparse
        style.isLight = false
        let marked = try mark(original, style)
        // No smoothing between blocks, so that one does not show in its neighbour.
        let decode = ["djpeg", "-pnm", "-nosmooth", "-dct", "int"]
        let (before, after) = (pixels(try run(decode, input: original)), pixels(try run(decode, input: marked)))
        let channels = before.count / (width * height)
        #expect(before.count == after.count && [1, 3].contains(channels))
        // A block of samples that reaches beyond the edge may be coded anew. One of chroma stands for several of luma.
        let factors = (options.firstIndex(of: "-sample").map { options[$0 + 1] } ?? "2x2").split(separator: "x")
        let (across, down) = channels == 1 ? (8, 8) : (8 * Int(factors[0])!, 8 * Int(factors[1])!)
        let edge = (width / across * across, height / down * down)
        var (same, touched, darker, mostAtEdge) = (0, 0, 0, 0)
        for top in stride(from: 0, to: height, by: 8) {
            for left in stride(from: 0, to: width, by: 8) {
                var (isTouched, isSame, sum, most) = (false, true, 0, 0)
                for y in top..<min(top + 8, height) {
                    for x in left..<min(left + 8, width) {
                        let place = y * width + x
                        isTouched = isTouched || map[place]
                        for channel in 0..<channels {
                            let (old, new) = (before[place * channels + channel], after[place * channels + channel])
                            isSame = isSame && old == new
                            sum += Int(new) - Int(old)
                            most = max(most, abs(Int(new) - Int(old)))
                        }
                    }
                }
                if isTouched {
                    touched += 1
                    darker += sum < 0 ? 1 : 0
                } else {
                    same += isSame ? 1 : 0
                    let isAtEdge = left >= edge.0 || top >= edge.1
                    #expect(isSame || isAtEdge, "\(options): the block at \(left), \(top)")
                    if isAtEdge { mostAtEdge = max(mostAtEdge, most) }
                }
            }
        }
        #expect(mostAtEdge <= 16, "\(options)")
        #expect(touched > 100 && same > 200 && darker * 10 > touched * 7, "\(touched) \(same) \(darker)")
        let isProgressive = marked.indices.dropLast().contains { marked[$0] == 0xFF && marked[$0 + 1] == 0xC2 }
        #expect(isProgressive == options.contains("-progressive"))
    }

    /// Sizes that are no multiple of anything.
    @Test func oddSizes() throws {
        for width in 1...17 {
            for height in [1, 2, 7, 8, 9, 15, 16, 17] {
                for options in [["-sample", "2x2"], ["-progressive"]] {
                    let original = try run(["cjpeg"] + options, input: picture(width, height))
                    do {
                        let marked = try mark(original)
                        #expect(try Picture(reading: marked, width: 99, height: 99).width == width)
                    } catch let error as MarkError { #expect(error == .tooSmall) }
                }
            }
        }
    }

    /// Pixels of a PNG that no stroke touches are what they were, of every kind.
    @Test func everyKindOfPNG() throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Scripts/pictures.py")
        let folder = Self.folder.appending(path: "kinds")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        _ = try run(["/usr/bin/python3", script.path, folder.path], input: [])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".png") }
        var style = MarkStyle()
        (style.layout, style.size) = (.single, 14)
        let map = try strokes(13, 7, style)
        #expect(names.count == 30 && map.contains(true) && map.contains(false))
        for name in names {
            let original = [UInt8](try Data(contentsOf: folder.appending(path: name)))
            let marked = try Picture(reading: mark(original, style), width: 99, height: 99)
            let before = try Picture(reading: original, width: 99, height: 99)
            for place in map.indices where !map[place] {
                #expect(
                    marked.pixels[place * 3..<place * 3 + 3] == before.pixels[place * 3..<place * 3 + 3],
                    "\(name): pixel \(place)")
            }
            #expect(marked.pixels != before.pixels, "\(name)")
        }
    }

    /// Copies of one original have their marks in one place, but for a hair: their mean has the mark as well, and so has
    /// what is lightest of them. Of pictures that are marked independently neither has.
    @Test func copiesCannotBeCombined() throws {
        let original = try run(["cjpeg", "-quality", "90"], input: picture(800, 600))
        let clean = try Picture(reading: original, width: 9999, height: 9999).pixels
        func copy(_ share: UInt8, original name: UInt8 = 1) throws -> [UInt8] {
            let ids = ([UInt8](repeating: name, count: 16), [UInt8](repeating: share, count: 16))
            let marked = try mark(original, text(), Self.sparse, ids)
            return try Picture(reading: marked, width: 9999, height: 9999).pixels
        }
        /// Decibels by which a combination differs from the original where the first copy has strokes.
        func quality(_ copies: [[UInt8]], _ combine: ([Int]) -> Int) -> Double {
            var (sum, count) = (0, 0)
            for place in clean.indices where abs(Int(copies[0][place]) - Int(clean[place])) > 20 {
                let difference = combine(copies.map { Int($0[place]) }) - Int(clean[place])
                (sum, count) = (sum + difference * difference, count + 1)
            }
            return 10 * log10(255 * 255 * Double(count) / Double(max(1, sum)))
        }
        let copies = try (2..<7).map { try copy($0) }
        let strangers = try (2..<7).map { try copy(2, original: $0) }
        for count in [2, 5] {
            let mean = quality(Array(copies.prefix(count))) { $0.reduce(0, +) / $0.count }
            let lightest = quality(Array(copies.prefix(count))) { $0.max() ?? 0 }
            #expect(mean <= 32 && lightest <= 32, "\(count): \(mean), \(lightest)")
        }
        #expect(quality(strangers) { $0.reduce(0, +) / $0.count } > quality(copies) { $0.reduce(0, +) / $0.count } + 3)
        #expect(try copy(2) == copies[0] && copies[0] != copies[1], "the same numbers give the same bytes")
    }

    /// A person sees the mark upright whatever the EXIF says, and of the metadata only the orientation is left.
    @Test(arguments: 1...8) func isUprightForAPerson(_ orientation: Int) throws {
        let plain = try run(
            ["cjpeg", "-quality", "95"],
            input: Array("P6\n400 300\n255\n".utf8) + [UInt8](repeating: 230, count: 360_000))
        let tiff: [UInt8] = [
            0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 2, 1, 0x0F, 0, 2, 0, 0, 0, 4, 0x47, 0x50, 0x53, 0, 1, 0x12, 0, 3, 0, 0,
            0, 1,
            0, UInt8(orientation), 0, 0, 0, 0, 0, 0,
        ]
        let block = Array("Exif\0\0".utf8) + tiff
        let original =
            plain[..<2] + [0xFF, 0xE1, 0, UInt8(block.count + 2)] + block + plain[2...] + Array("trailer".utf8)
        var style = MarkStyle()
        (style.angle, style.layout, style.size) = (0, .single, 40)
        let bytes = try mark(Array(original), MarkText("一", values: [:]), style, ids)
        let marked = try Picture(reading: bytes, width: 9999, height: 9999)
        #expect((marked.width, marked.height) == (orientation > 4 ? (300, 400) : (400, 300)))
        let dark = (0..<marked.width * marked.height).filter { marked.pixels[$0 * 3] < 200 }
        let (xs, ys) = (dark.map { $0 % marked.width }, dark.map { $0 / marked.width })
        let (across, down) = (xs.max().map { $0 - (xs.min() ?? 0) }, ys.max().map { $0 - (ys.min() ?? 0) })
        // The stroke of 一 lies flat.
        #expect(try #require(across) > 3 * #require(down), "\(orientation)")
        #expect(!contains(bytes, "GPS") && !contains(bytes, "trailer"))
        #expect(contains(bytes, "Exif") == (orientation != 1))
    }

    private func contains(_ bytes: [UInt8], _ text: String) -> Bool { Data(bytes).range(of: Data(text.utf8)) != nil }

    @Test func whatIsCutShortIsRefused() throws {
        for options in [["-baseline"], ["-progressive"]] {
            let original = try run(["cjpeg"] + options, input: picture(200, 150))
            for count in stride(from: 0, to: original.count - 2, by: 101) {
                #expect(throws: MarkError.self) { try mark(Array(original[..<count])) }
            }
        }
    }

    @Test(
        arguments: [
            ("", .textEmpty), ("  \n ", .textEmpty), (String(repeating: "字", count: 201), .textTooLong(201)),
            ("a\u{7}", .unprintable("\u{7}")), ("a\u{202E}b", .unprintable("\u{202E}")),
            ("a\u{200F}b", .unprintable("\u{200F}")), ("{nobody}", .noValue("nobody")),
        ] as [(String, MarkError)])
    func textsThatCannotBe(_ template: String, _ error: MarkError) {
        #expect(throws: error) { try MarkText(template, values: [:]) }
    }

    @Test func aCharacterThatNoFontHas() throws {
        let original = try run(["cjpeg"], input: picture(200, 150))
        #expect(throws: MarkError.noGlyph("\u{1F9FF}")) {
            try mark(original, MarkText("a\u{1F9FF}", values: [:]), MarkStyle(), ids)
        }
    }

    /// Names in scripts that run from right to left, and with joiners between their letters.
    @Test(arguments: ["لصالح {recipient} فقط", "רק עבור {recipient}", "仅供{recipient}使用"]) func textFromRightToLeft(
        _ template: String
    ) throws {
        for recipient in ["محمد", "שרה", "علی\u{200C}رضا", "Ann 12"] {
            let text = try MarkText(template, values: ["recipient": recipient])
            #expect(try MarkText(slotted: text.slotted) == text)
            let original = try run(["cjpeg"], input: picture(400, 300))
            #expect(try mark(original, text, MarkStyle(), ids) != original)
        }
    }

    @Test func notAPicture() throws {
        for bytes in [[], Array("hello".utf8), Array("%PDF-1.7".utf8)] {
            #expect(throws: MarkError.notAnImage) { try mark(bytes) }
        }
        var bomb = try run(["cjpeg"], input: picture(64, 64))
        let frame = try #require(bomb.indices.first { bomb[$0] == 0xFF && bomb[$0 + 1] == 0xC0 })
        bomb.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
        #expect(throws: MarkError.tooLarge) { try mark(bomb) }
        var table = try run(["cjpeg"], input: picture(64, 64))
        let start = try #require(table.indices.first { table[$0] == 0xFF && table[$0 + 1] == 0xDB })
        for place in start + 5..<start + 69 { table[place] = 0 }
        #expect(throws: MarkError.self) { try mark(table) }
    }
}
