import VaultCrypto
import VaultFormat
import VaultStore

/// A recovery key as a page for any browser, which prints it on one sheet: the four lines, their QR code, what to do first, and
/// room to write down where copies of the vault are. It loads nothing.
struct RecoveryPage {
    let vault: BytePath
    /// The record of the newest save when the page is made.
    let record: CommitRecord
    /// Places where copies are, as far as this machine knows.
    let copies: [String]

    func html(of key: borrowing Secret, _ code: QRCode) throws -> Secret {
        let name = vault.description.htmlEscaped
        let title = Phrase("Recovery key of \(vault)").said.htmlEscaped
        let steps: [Phrase] = [
            "Find the newest copy of the vault.",
            "Type 'qvault ls -f FILE', and where the password is asked for the four lines, one behind the other.",
            "Set a new password with 'qvault rekey password -f FILE', and make a new sheet with 'qvault key recovery'.",
        ]
        let places =
            copies.map { "<li>\($0.htmlEscaped)</li>" } + Array(repeating: "<li class=\"blank\"></li>", count: 3)
        let words = FingerprintWords.text(record.core.fingerprint).htmlEscaped
        let head = """
            <!DOCTYPE html>
            <html lang="\(Language.current.rawValue)"><head><meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width"><title>\(title)</title>
            <style>\(Self.style)</style></head><body><h1>\(title)</h1>
            <p>\(Phrase("It opens the vault if the password is forgotten. Keep this sheet on paper, apart from the vault: whoever has both needs no password.").said.htmlEscaped)</p>
            <div class="key"><pre>
            """
        let tail = """
            </pre>\(code.svg)</div>
            <h2>\(Phrase("What to do first").said.htmlEscaped)</h2>
            <ol>\(steps.map { "<li>\($0.said.htmlEscaped)</li>" }.joined())</ol>
            <h2>\(Phrase("Where copies are").said.htmlEscaped)</h2>
            <ul>\(places.joined())</ul>
            <h2>\(Phrase("Whether a copy is the newest").said.htmlEscaped)</h2>
            <p>\(Phrase("Save \(record.core.sequence) of \(name), on \(Machine.today.text):").said) <b>\(words)</b></p>
            <p>\(Phrase("A copy in which 'qvault verify --expect' finds no save with these words is older than this sheet, or forged.").said.htmlEscaped)</p>
            </body></html>

            """
        let lines = try RecoveryKey.text(of: key)
        return try Secret.joining(Array(head.utf8), lines, Array(tail.utf8))
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
