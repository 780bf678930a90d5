import Foundation
import Testing
import VaultFormat
import Watermark

import Pictures

/// The program that reads documents is not trusted: what it may answer, and what it must not reach.
struct DecoderTests {
    /// A program that answers with these bytes, and does nothing else; gone when the test is over.
    private final class Liar {
        let path: String

        init(_ answer: [UInt8], behind script: String = "") throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "liar-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(answer).write(to: folder.appending(path: "answer"))
            path = folder.appending(path: "program").path
            let source = folder.appending(path: "script")
            try "#!/bin/sh\ncat \(folder.path)/answer\n\(script)\n".write(
                to: source, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: source.path)
            // Another process copies it: a program that a test beside this one starts would hold the file open for writing.
            try Process.run(URL(filePath: "/bin/cp"), arguments: [source.path, path]).waitUntilExit()
        }

        deinit { try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent) }
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    /// A picture of one colour.
    private static func picture(_ width: Int, _ height: Int, orientation: Int = 1, profile: Int = 0) -> [UInt8] {
        Array("QVDP".utf8) + number(width, 4) + number(height, 4) + number(orientation, 1) + number(profile, 4)
    }

    private func decode(_ liar: Liar, seconds: Int = 20) throws -> [UInt8] {
        try DocumentDecoder(program: liar.path, seconds: seconds).picture(Array("anything".utf8))
    }

    @Test func anAnswerBecomesAJPEG() throws {
        let jpeg = try decode(Liar(Self.picture(16, 8, orientation: 6) + [UInt8](repeating: 200, count: 16 * 8 * 3)))
        let size = try Watermark.size(of: jpeg)
        #expect(size.width == 8 && size.height == 16)
    }

    @Test func answersThatMakeNoSenseAreRefused() throws {
        let pixels = [UInt8](repeating: 0, count: 100)
        let answers: [(answer: [UInt8], error: MarkError)] = [
            ([], .decoderFailed("it stopped")), (Array("QVDX".utf8), .decoderFailed("it answers something else")),
            (Self.picture(100, 100) + pixels, .decoderFailed("it stopped")),
            (Self.picture(0, 4), .decoderFailed("it makes no sense")), (Self.picture(30_001, 4), .tooLarge),
            (Self.picture(20_000, 20_000), .tooLarge), (Self.picture(0xFFFF_FFFF, 0xFFFF_FFFF), .tooLarge),
            (Self.picture(4, 4, orientation: 9), .decoderFailed("it makes no sense")),
            (Self.picture(4, 4, profile: 1 << 30), .decoderFailed("it makes no sense")),
            (Array("QVDE".utf8) + [20, 0, 0], .encrypted),
            (Array("QVDE".utf8) + [2, 0, 2] + Array("no".utf8), .corrupt("no")),
            (Array("QVDE".utf8) + [99, 0, 0], .decoderFailed("it gives a reason that is none")),
        ]
        for (answer, error) in answers {
            let liar = try Liar(answer)
            #expect(throws: error) { try decode(liar) }
        }
        #expect(throws: MarkError.decoderFailed("it stopped")) {
            try DocumentDecoder(program: "/nonexistent").picture([1])
        }
    }

    /// What an answer may have at most: a side, pixels in all, bytes of a profile. One more is refused before it is read.
    @Test(
        arguments: [
            (picture(30_000, 1), "it stopped"), (picture(1, 30_000), "it stopped"), (picture(8000, 5000), "it stopped"),
            (picture(30_001, 1), nil), (picture(1, 30_001), nil), (picture(6667, 6000), nil),
            (picture(4, 0), "it makes no sense"), (picture(4, 4, orientation: 0), "it makes no sense"),
            (picture(4, 4, profile: 4 << 20), "it stopped"),
            (picture(4, 4, profile: (4 << 20) + 1), "it makes no sense"),
        ] as [([UInt8], Phrase?)])
    func limitsOfAnswers(_ answer: [UInt8], _ what: Phrase?) throws {
        let liar = try Liar(answer)
        #expect(throws: what.map { MarkError.decoderFailed($0) } ?? .tooLarge) { try decode(liar) }
    }

    /// Text counts if what gives it ends well, and says no more than there may be.
    @Test func textIsWhatAProgramThatEndsWellSays() throws {
        let picture = try decode(Liar(Self.picture(16, 8) + [UInt8](repeating: 200, count: 384)))
        func text(_ answer: [UInt8], behind script: String = "") throws -> [String] {
            let liar = try Liar(answer, behind: script)
            return try withExtendedLifetime(liar) { try DocumentDecoder(program: liar.path).text(of: picture) }
        }
        let said = Array("QVDT某市\n\u{0C}".utf8)
        #expect(try text(said) == ["某市\n"])
        #expect(throws: MarkError.decoderFailed("it stopped in the middle")) { try text(said, behind: "exit 1") }
        #expect(throws: MarkError.decoderFailed("it says too much")) { try text(said, behind: "exec cat /dev/zero") }
        #expect(throws: MarkError.decoderFailed("it answers something else")) { try text(Array("text".utf8)) }
        #expect(throws: MarkError.noLanguage("deu")) { try text(Array("QVDE".utf8) + [27, 0, 3] + Array("deu".utf8)) }
        let liar = try Liar(said)
        #expect(throws: MarkError.notAnImage) { try DocumentDecoder(program: liar.path).text(of: Array("plain".utf8)) }
        #expect(try DocumentDecoder(program: liar.path).text(of: Array("%PDF-".utf8)) == ["某市\n"])
    }

    /// One that floods, hangs, or is killed costs its time at most.
    @Test func aDecoderThatDoesNotEndIsEnded() throws {
        let sound = Self.picture(16, 8) + [UInt8](repeating: 200, count: 16 * 8 * 3)
        #expect(throws: Never.self) { try decode(Liar(sound, behind: "exec cat /dev/zero")) }
        #expect(throws: MarkError.tooSlow(seconds: 1)) { try decode(Liar([81], behind: "sleep 60"), seconds: 1) }
        #expect(throws: MarkError.decoderFailed("it stopped")) { try decode(Liar([81, 86], behind: "kill -9 $$")) }
        struct Stopped: Error {}
        let liar = try Liar([], behind: "sleep 60")
        #expect(throws: Stopped.self) {
            try DocumentDecoder(program: liar.path) { throw Stopped() }.picture([1])
        }
    }

    /// Each reason that a decoder gives is an error of its own; its words may be none.
    @Test(
        arguments: [
            (1, "", .notAnImage), (2, "no\u{7}", .corrupt("no?")), (3, "", .unsupported), (4, "", .tooLarge),
            (5, "", .noMemory), (20, "", .encrypted), (21, "300", .tooManyPages(300)), (21, "many", .tooManyPages(0)),
            (22, "", .animation), (23, "", .severalPictures), (24, "", .noSandbox),
            (25, "pdftoppm", .noProgram("pdftoppm")),
            (26, "why", .decoderFailed("its sandbox cannot be set up: \("why" as Phrase)")),
            (27, "deu", .noLanguage("deu")), (28, "", .decoderFailed("it gives a reason that is none")),
        ] as [(Int, String, MarkError)])
    func reasonsOfADecoder(_ reason: Int, _ words: String, _ error: MarkError) throws {
        let head = Array("QVDE".utf8) + Self.number(reason, 1) + Self.number(words.utf8.count, 2)
        let liar = try Liar(head + Array(words.utf8))
        #expect(throws: error) { try decode(liar) }
        #expect(!error.reason.description.isEmpty)
    }

    /// Pages that are announced and not there, drawn in another size, or of a kind that is none.
    @Test func pagesThatMakeNoSenseAreRefused() throws {
        func list(_ count: Int, _ pages: [[UInt8]]) -> [UInt8] {
            Array("QVDL".utf8) + Self.number(count, 4) + pages.flatMap(\.self)
        }
        func page(_ kind: Int, _ orientation: Int, _ side: Int) -> [UInt8] {
            Self.number(kind, 1) + Self.number(orientation, 1) + Self.number(side, 4) + Self.number(side, 4)
                + Self.number(100, 4)
        }
        let nonsense: [([UInt8], MarkError)] = [
            (list(0, []), .decoderFailed("it makes no sense")), (list(201, []), .decoderFailed("it makes no sense")),
            (list(2, [page(0, 1, 7200)]), .decoderFailed("it stopped")),
            (list(1, [page(2, 1, 7200)]), .decoderFailed("it makes no sense")),
            (list(1, [page(0, 0, 7200)]), .decoderFailed("it makes no sense")),
            (list(1, [page(0, 1, 0)]), .decoderFailed("it makes no sense")),
            (list(1, [page(0, 1, 2_000_000)]), .page(1, .tooLarge)),
            (list(1, [page(1, 1, 7200)]) + Self.number(0, 8) + Self.number(1 << 40, 8), .page(1, .tooLarge)),
            (list(1, [page(1, 1, 7200)]) + Self.number(-1, 8), .decoderFailed("it makes no sense")),
            // The same answer stands where a drawn page is expected.
            (list(1, [page(0, 1, 7200)]), .decoderFailed("it draws no picture")),
        ]
        for (answer, error) in nonsense {
            let liar = try Liar(answer)
            #expect(throws: error) {
                try DocumentDecoder(program: liar.path).pages(of: Array("%PDF-".utf8)) { _, _ in }
            }
        }
    }

    /// The real one ends a page that takes for ever, and tells scans from other pages.
    @Test func aSlowPageIsEnded() throws {
        let decoder = try #require(DocumentDecoder.installed(isSandboxOptional: true, seconds: 1))
        let folder = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Scripts"
        ).path
        let script = """
            /usr/bin/python3 \(scripts)/id-card.py scan.jpg && /usr/bin/python3 \(scripts)/pages.py . scan.jpg
            """
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        (process.arguments, process.currentDirectoryURL) = (["-c", script], folder)
        try process.run()
        process.waitUntilExit()
        let slow = [UInt8](try Data(contentsOf: folder.appending(path: "slow.pdf")))
        #expect(throws: MarkError.page(1, .tooSlow(seconds: 1))) { try decoder.pages(of: slow) { _, _ in } }
        var kept: [Bool] = []
        let mixed = [UInt8](try Data(contentsOf: folder.appending(path: "mixed.pdf")))
        try DocumentDecoder.installed(isSandboxOptional: true)?.pages(of: mixed) { page, _ in kept.append(page.isKept) }
        #expect(kept == [true, false, false])
    }
}
