import Pictures
import VaultCrypto
import VaultFormat
import VaultStore
import Watermark

/// A recovery key on one sheet to print: the four lines, their QR code, what to do first, and room to write down where copies
/// of the vault are. It is a page for any browser, which loads nothing, or a PDF.
struct RecoveryPage {
    /// The kind of file.
    enum Form {
        case html, pdf

        /// The form that the ending of a file's name asks for; nil for plain text.
        init?(_ name: String) {
            let name = name.lowercased()
            if [".html", ".htm"].contains(where: { name.hasSuffix($0) }) {
                self = .html
            } else if name.hasSuffix(".pdf") {
                self = .pdf
            } else {
                return nil
            }
        }
    }

    private let title, purpose, proof, proofBelow: Phrase
    private let steps: [Phrase]
    /// The fingerprint of the save, in words.
    private let words: String
    /// Places where copies are, as far as this machine knows.
    private let copies: [String]

    private static let stepsHeading: Phrase = "What to do first", copiesHeading: Phrase = "Where copies are"
    private static let proofHeading: Phrase = "Whether a copy is the newest"
    /// Lines for copies that this machine does not know; copies that a PDF names at most.
    private static let blanks = 3, copyLimit = 8

    /// - Parameters:
    ///   - record: of the newest save when the page is made.
    ///   - copies: places where copies are.
    init(vault: BytePath, record: CommitRecord, copies: [String]) {
        title = "Recovery key of \(BytePath(vault.lastComponent))"
        purpose =
            "It opens the vault if the password is forgotten. Keep this sheet on paper, apart from the vault: whoever has both needs no password."
        steps = [
            "Find the newest copy of the vault.",
            "Type 'qvault ls -f FILE', and where the password is asked for the four lines, one behind the other.",
            "Set a new password with 'qvault rekey password -f FILE', and make a new sheet with 'qvault key recovery'.",
        ]
        proof = "Save \(record.core.sequence) of \(vault), on \(Machine.today.text):"
        proofBelow =
            "A copy in which 'qvault verify --expect' finds no save with these words is older than this sheet, or forged."
        words = FingerprintWords.text(record.core.fingerprint)
        self.copies = copies
    }

    /// The sheet.
    ///
    /// - Throws: `Failure` where the PDF's text cannot be drawn.
    func sheet(of key: borrowing Secret, _ code: QRCode, as form: Form) throws -> Secret {
        switch form {
        case .html: try html(of: key, code)
        case .pdf: try pdf(of: key, code)
        }
    }

    private func html(of key: borrowing Secret, _ code: QRCode) throws -> Secret {
        func said(_ phrase: Phrase) -> String { phrase.said.htmlEscaped }
        let places =
            copies.map { "<li>\($0.htmlEscaped)</li>" }
            + Array(repeating: "<li class=\"blank\"></li>", count: Self.blanks)
        let head = """
            <!DOCTYPE html>
            <html lang="\(Language.current.rawValue)"><head><meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width"><title>\(said(title))</title>
            <style>\(Self.style)</style></head><body><h1>\(said(title))</h1>
            <p>\(said(purpose))</p>
            <div class="key"><pre>
            """
        let tail = """
            </pre>\(code.svg)</div>
            <h2>\(said(Self.stepsHeading))</h2>
            <ol>\(steps.map { "<li>\(said($0))</li>" }.joined())</ol>
            <h2>\(said(Self.copiesHeading))</h2>
            <ul>\(places.joined())</ul>
            <h2>\(said(Self.proofHeading))</h2>
            <p>\(said(proof)) <b>\(words.htmlEscaped)</b></p>
            <p>\(said(proofBelow))</p>
            </body></html>

            """
        let lines = try RecoveryKey.text(of: key)
        return try Secret.joining(Array(head.utf8), lines, Array(tail.utf8))
    }

    private func pdf(of key: borrowing Secret, _ code: QRCode) throws -> Secret {
        let lines = try RecoveryKey.text(of: key).withSpan { String(decoding: Array(copying: $0), as: UTF8.self) }
        var parts: [PrintedPage.Part] = [
            .title(title.said), .text(purpose.said),
            .framed(lines.split(separator: "\n").map(String.init), code: code.modules),
            .heading(Self.stepsHeading.said),
        ]
        parts += steps.enumerated().map { .item($1.said, mark: "\($0 + 1).") }
        parts.append(.heading(Self.copiesHeading.said))
        parts += copies.prefix(Self.copyLimit).map { .item($0, mark: "•") }
        parts += Array(repeating: .blank, count: Self.blanks)
        parts += [
            .heading(Self.proofHeading.said), .text("\(proof.said) \(words)"), .text(proofBelow.said),
        ]
        do {
            var page = try PrintedPage(parts)
            defer { page.wipe() }
            var bytes = try page.pdf()
            defer { wipeBytes(&bytes) }
            return try Secret(copying: bytes.span)
        } catch MarkError.textTooLarge {
            throw Failure(.invalid, "the sheet takes more than a page of A4", hint: "-o FILE.html has no such limit")
        } catch let error as MarkError {
            throw Failure(.invalid, "no PDF of the sheet: \(error.reason)", hint: error.hint(nil))
        }
    }

    private static let style = """
        body{font:12pt/1.5 sans-serif;max-width:18cm;margin:1.5cm auto;padding:0 1em;color:#000;background:#fff}
        h1{font-size:18pt;overflow-wrap:anywhere}h2{font-size:13pt;margin:1.2em 0 .3em}
        .key{display:flex;flex-wrap:wrap;gap:1cm;align-items:center;border:1pt solid #000;padding:.5cm}
        pre{font:bold 20pt/1.8 monospace;margin:0}svg{width:5cm;height:5cm}
        .blank{border-bottom:1pt solid #888;height:1.8em;list-style:none}
        @page{size:A4;margin:1.5cm}@media print{body{margin:0;max-width:none}}
        """
}

extension Secret {
    /// A secret with text before and behind it.
    static func joining(_ head: [UInt8], _ secret: borrowing Secret, _ tail: [UInt8]) throws -> Secret {
        let count = secret.byteCount
        return try Secret(byteCount: head.count + count + tail.count) { out in
            for index in head.indices { out[index] = head[index] }
            secret.withSpan { for index in $0.indices { out[head.count + index] = $0[index] } }
            for index in tail.indices { out[head.count + count + index] = tail[index] }
        }
    }
}
