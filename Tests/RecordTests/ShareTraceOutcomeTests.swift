import Foundation
import Pictures
import Testing
import VaultFormat
import Watermark

/// All that a trace can say, and leaks that are documents (Spec/product/watermark.md, 8; documents.md, 2).
struct ShareTraceOutcomeTests {
    private static let (width, height) = (800, 600)

    private func again(_ jpeg: [UInt8]) throws -> [UInt8] {
        try Picture(reading: jpeg, width: 9999, height: 9999).jpeg(quality: 75)
    }

    private static func outcome(_ outcome: ShareTrace.Outcome) -> String {
        switch outcome {
        case .matches(let matches, _): "\(matches.map(\.verdict))"
        case .notFound: "not found"
        case .cannotTell(let residual, let fit):
            residual > LeakTrace.residualLimit || fit < LeakTrace.fitLimit ? "cannot tell" : "\(residual) \(fit)"
        case .otherFont: "another font"
        }
    }

    // MARK: Outcomes

    @Test func anotherPictureIsNotFound() throws {
        let scene = try TraceScene(TraceScene.picture(Self.width, Self.height))
        let flat = Picture(width: 400, height: 300, pixels: [UInt8](repeating: 99, count: 400 * 300 * 3))
        #expect(try Self.outcome(scene.trace(flat.jpeg(quality: 90))) == "not found")
    }

    /// Waves across and down, between the places at which a registration is refined.
    @Test func crookedLeaksCannotBeTold() throws {
        let scene = try TraceScene(TraceScene.picture(Self.width, Self.height))
        let copy = try Picture(reading: scene.copies[0], width: 9999, height: 9999)
        var pixels = copy.pixels
        for y in 2..<copy.height - 2 {
            for x in 2..<copy.width - 2 {
                let across = 1.5 * sin(2 * Double.pi * Double(y) / 130 + Double(x) / 40)
                let down = 1.5 * sin(2 * Double.pi * Double(x) / 130 + Double(y) / 40)
                let place = (y + Int(down.rounded())) * copy.width + x + Int(across.rounded())
                for c in 0..<3 { pixels[3 * (y * copy.width + x) + c] = copy.pixels[3 * place + c] }
            }
        }
        let leak = try Picture(width: copy.width, height: copy.height, pixels: pixels).jpeg(quality: 90)
        let outcome = try Self.outcome(scene.trace(leak))
        #expect(outcome == "cannot tell")
    }

    /// A mirror or a negative is found only where it is looked at as such.
    @Test func mirrorsAndNegatives() throws {
        let scene = try TraceScene(TraceScene.picture(Self.width, Self.height))
        let copy = try Picture(reading: scene.copies[0], width: 9999, height: 9999)
        for view in LeakTrace.View.allCases where view != .asItIs {
            var pixels = copy.pixels
            for place in 0..<copy.width * copy.height {
                let (x, y) = (place % copy.width, place / copy.width)
                let from = view == .inverted ? place : y * copy.width + copy.width - 1 - x
                for c in 0..<3 {
                    pixels[3 * place + c] =
                        view == .mirrored ? copy.pixels[3 * from + c] : 255 - copy.pixels[3 * from + c]
                }
            }
            let leak = try Picture(width: copy.width, height: copy.height, pixels: pixels).jpeg(quality: 85)
            #expect(try scene.found(leak, view: view)?.first == "one bank found", "\(view)")
            #expect(try scene.found(leak)?.isEmpty != false, "\(view)")
        }
    }

    /// A leak that is the mean of two copies is both.
    @Test func theMeanOfTwoCopiesIsBoth() throws {
        let scene = try TraceScene(TraceScene.picture(Self.width, Self.height))
        let copies = try scene.copies.map { try Picture(reading: $0, width: 9999, height: 9999) }
        let mean = zip(copies[0].pixels, copies[1].pixels).map { UInt8((Int($0) + Int($1)) / 2) }
        let leak = try Picture(width: Self.width, height: Self.height, pixels: mean).jpeg(quality: 90)
        guard case .matches(let matches, _) = try scene.trace(leak) else { return #expect(Bool(false)) }
        #expect(Set(matches.compactMap { $0.share.texts["recipient"] }) == ["one bank", "two bank"])
        #expect(matches.map { $0.score ?? 0 } == matches.map { $0.score ?? 0 }.sorted(by: >))
    }

    /// Copies of the sparse layout bear no signal: nothing is compared, not even a leak that is no picture.
    @Test func sparseCopiesAreOnlyTheFile() throws {
        let scene = try TraceScene(TraceScene.picture(200, 150)) { $0.layout = .sparse }
        #expect(try scene.found(scene.copies[1]) == ["two bank found"])
        #expect(try scene.found(Array("no picture".utf8)) == [])
    }

    // MARK: Notes

    /// Each note that a trace takes, at its bounds. No drawing is noted, so that nothing is drawn.
    @Test(
        arguments: [
            ([:], true), (["lattice_key": "00"], false), (["share_key": String(repeating: "0", count: 62)], false),
            (["drawn": ""], false), (["drawn": nil], false), (["angle": "91"], false), (["revision": "x"], false),
            (["width": "30000", "height": "4000"], true), (["width": "30000", "height": "4001"], false),
            (["width": "30001", "height": "1"], false), (["width": "0"], false), (["height": "0"], false),
            (["size": "8"], true), (["size": "7.9"], false), (["size": nil], false), (["dpi": "99"], false),
            (["dpi": "100"], true), (["dpi": "400"], true), (["dpi": "401"], false),
            (["pages": "12000 10000 8 -\n1 1 1000 -"], true), (["pages": "12000 10001 8 -"], false),
            (["pages": "1 1 8"], false), (["pages": "1 1 8 - -"], false), (["pages": "1 1 8 -\n1 x 8 -"], false),
        ] as [([String: String?], Bool)])
    func notesOfCopies(_ texts: [String: String?], _ isReadable: Bool) throws {
        let scene = try TraceScene(TraceScene.picture(100, 80), for: ["one bank"])
        try scene.note(seed: 3) { notes in
            notes["drawing"] = nil
            for (key, text) in texts { notes[key] = text }
        }
        var count = 0
        let outcome = try scene.trace(again(scene.copies[0])) { _ in count += 1 }
        #expect(count == (isReadable ? 0 : 1))
        #expect(Self.outcome(outcome) == (isReadable ? "not found" : "[]"))
    }

    // MARK: Documents

    /// A program that draws the pages of documents, of 4 by 3 inches.
    private static func program(_ documents: [String: [Picture]]) throws -> DecoderProgram {
        let program = try DecoderProgram()
        for (name, pages) in documents {
            try program.put("pages", of: name, DecoderProgram.list(pages.count, width: 28_800, height: 21_600))
            try program.put("1-200", of: name, pages.flatMap(DecoderProgram.drawing))
        }
        return program
    }

    /// The pictures in a PDF that this program wrote.
    private static func pages(of pdf: [UInt8]) throws -> [Picture] {
        let (start, end) = (Array("stream\n".utf8) + [0xFF, 0xD8], Array("\nendstream".utf8))
        var (pages, rest): ([Picture], ArraySlice<UInt8>) = ([], pdf[...])
        while let from = rest.firstRange(of: start), let to = rest[from.upperBound...].firstRange(of: end) {
            pages.append(
                try Picture(reading: Array(rest[(from.upperBound - 2)..<to.lowerBound]), width: 9999, height: 9999))
            rest = rest[to.upperBound...]
        }
        return pages
    }

    /// A document of pages, its copy for each recipient, and a program that knows both.
    private static func document(
        _ pages: [Picture], for recipients: [String] = ["one bank"]
    ) throws -> (scene: TraceScene, copies: [[Picture]], program: DecoderProgram) {
        let program = try program(["o": pages])
        let scene = try TraceScene(Array("%PDF-o\n".utf8), for: recipients, decoder: program.decoder)
        return (scene, try scene.copies.map { try Self.pages(of: $0) }, program)
    }

    private static let leak = Array("%PDF-l\n".utf8)

    @Test func pagesOfADocument() throws {
        let pages = [1, 2].map { TraceScene.pixels(Self.width, Self.height, grain: $0) }
        let (scene, copies, program) = try Self.document(pages)
        #expect(copies.map(\.count) == [2])
        // A picture may be any page.
        #expect(try scene.found(copies[0][1].jpeg(quality: 80), decoder: program.decoder) == ["one bank found"])
        #expect(throws: MarkError.noDecoder) { try scene.found(copies[0][1].jpeg(quality: 80)) }
        // A document is compared page by page, until a copy is found.
        try program.put("pages", of: "l", DecoderProgram.list(2, width: 28_800, height: 21_600))
        try program.put("1-200", of: "l", copies[0].flatMap(DecoderProgram.drawing))
        #expect(try scene.found(Self.leak, decoder: program.decoder) == ["one bank found"])
    }

    /// Page n of a leak is page n of the original, also where two pages look alike.
    @Test func pagesAreTakenByNumber() throws {
        let page = TraceScene.pixels(Self.width, Self.height)
        let (scene, copies, program) = try Self.document([page, page])
        try program.put("pages", of: "l", DecoderProgram.list(2, width: 28_800, height: 21_600))
        try program.put("1-200", of: "l", copies[0].reversed().flatMap(DecoderProgram.drawing))
        #expect(try scene.found(Self.leak, decoder: program.decoder) == [])
        try program.put("1-200", of: "l", copies[0].flatMap(DecoderProgram.drawing))
        #expect(try scene.found(Self.leak, decoder: program.decoder) == ["one bank found"])
    }

    /// A picture that leaks as a document, or as a picture of another kind.
    @Test func picturesThatBecomeDocuments() throws {
        let scene = try TraceScene(TraceScene.picture(Self.width, Self.height))
        let copy = try Picture(reading: scene.copies[1], width: 9999, height: 9999)
        let program = try Self.program(["l": [TraceScene.pixels(Self.width, Self.height, grain: 9), copy]])
        try program.put("picture", DecoderProgram.picture(copy.width, copy.height, copy.pixels))
        #expect(try scene.found(Self.leak, decoder: program.decoder) == ["two bank found"])
        #expect(try scene.found(Array("II*\0".utf8), decoder: program.decoder) == ["two bank found"])
        #expect(throws: MarkError.noDecoder) { try scene.found(Self.leak) }
    }
}
