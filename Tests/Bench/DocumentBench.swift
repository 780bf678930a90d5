import Glibc

extension Bench {
    /// Documents of 20 pages, marked: scans of A4 at 200 dots per inch, and pages of text; and a HEIC and a WebP of 12 megapixels.
    func documents() throws {
        try writeScan(1654, 2339, to: "\(folder)/scan.ppm")
        let pages = (1...20).map { _ in "scan.jpg" }.joined(separator: " ")
        let text = "--text 'copy for the bank only'"
        try shell(
            "cjpeg -quality 85 -outfile scan.jpg scan.ppm; \(qvault) watermark file \(pages) --opacity 0.1 --allow-faint \(text) --force -o scans.pdf"
        )
        try writeText(pages: 20, to: "\(folder)/text.pdf")
        let words = { (name: String, ending: String) in
            ["watermark", "file", name, "--text", "copy for the bank only", "-o", "m.\(ending)", "--force"]
        }
        try compare(
            "20 scanned pages", words("scans.pdf", "pdf"), peer: "jpegtran, 20 times",
            "for i in \(pages); do jpegtran -copy none -optimize -outfile t.jpg scan.jpg; done")
        try compare(
            "20 pages of text", words("text.pdf", "pdf"), peer: "pdftoppm -jpeg",
            "pdftoppm -r 200 -jpeg text.pdf page; rm page-*")
        try shell("rm -f scan.* *.pdf t.jpg m.*")
        try writeScan(4000, 3000, to: "\(folder)/large.ppm")
        try shell("cjpeg -quality 90 -outfile large.jpg large.ppm")
        for (program, script, name) in [
            ("heif-enc", "heif-enc large.jpg -o large.heic > /dev/null", "large.heic"),
            ("cwebp", "cwebp -quiet -q 85 large.jpg -o large.webp", "large.webp"),
        ] where isInstalled(program) {
            try shell(script)
            let convert = "vips copy \(name) v.jpg"
            if isInstalled("vips") { try compare("12 MP, \(name)", words(name, "jpg"), peer: "vips to JPEG", convert) }
        }
        try shell("rm -f large.* v.jpg m.*")
    }

    /// A PDF of pages of text.
    private func writeText(pages: Int, to path: String) throws {
        var (text, kids) = ("%PDF-1.4\n", "")
        func object(_ number: Int, _ content: String) { text += "\(number) 0 obj\n\(content)\nendobj\n" }
        let font = "/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
        for page in 0..<pages {
            let lines = (0..<46).map {
                "(Statement of nobody, page \(page), line \($0): balance, interest, fees) Tj T* "
            }
            let content = "BT /F 10 Tf 16 TL 50 790 Td \(lines.joined())ET"
            object(10 + 2 * page, "<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream")
            object(
                11 + 2 * page,
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents \(10 + 2 * page) 0 R \(font) >>")
            kids += "\(11 + 2 * page) 0 R "
        }
        object(2, "<< /Type /Pages /Count \(pages) /Kids [\(kids)] >>")
        object(1, "<< /Type /Catalog /Pages 2 0 R >>")
        // Readers find the objects without a table of places.
        text += "trailer\n<< /Size 100 /Root 1 0 R >>\n%%EOF\n"
        guard let file = unsafe fopen(path, "w") else { throw CommandFailed(words: ["fopen", path], status: errno) }
        defer { unsafe fclose(file) }
        guard unsafe fputs(text, file) >= 0 else { throw CommandFailed(words: ["fputs"], status: errno) }
    }
}
