import Glibc

extension Bench {
    /// Pictures like scans, of 12 and 50 megapixels, marked; and cards that come from a table and go again.
    func pictures() throws {
        for (megapixels, width, height) in [(12, 4000, 3000), (50, 8160, 6120)] {
            try writeScan(width, height, to: "\(folder)/scan.ppm")
            try shell(
                "cjpeg -quality 85 -outfile scan.jpg scan.ppm; cjpeg -quality 85 -progressive -outfile slow.jpg scan.ppm"
            )
            let words = ["watermark", "file", "scan.jpg", "--text", "copy for the bank only", "-o", "m.jpg", "--force"]
            let name = "watermark \(megapixels) MP"
            try compare(name, words, peer: "jpegtran", "jpegtran -copy none -optimize -outfile t.jpg scan.jpg")
            let text = "'copy for the bank only'"
            if isInstalled("convert-im6.q16") {
                let tile =
                    "convert-im6.q16 -size 2200x900 xc:none -pointsize 130 -fill 'rgba(0,0,0,0.3)' -annotate 30x30+100+200 "
                    + "\(text) t.png; composite-im6.q16 -tile t.png "
                try compare(name, words, peer: "ImageMagick", tile + "scan.jpg i.jpg")
                try shell("convert-im6.q16 scan.jpg scan.png")
                let lossless = words.map { $0.replacing("jpg", with: "png") }
                try compare("\(name), PNG", lossless, peer: "ImageMagick", tile + "scan.png i.png")
                try showGrowth("\(name), PNG", lossless, from: "scan.png", to: "m.png")
            }
            if isInstalled("vips") {
                try compare(
                    name, words, peer: "vips",
                    "vips text t.png \(text) --dpi 600 --rgba && vips composite2 scan.jpg t.png v.jpg over --x 500 --y 500"
                )
            }
            let slow = words.map { $0 == "scan.jpg" ? "slow.jpg" : $0 }
            try compare("\(name), progressive", slow)
            try showGrowth(name, words, from: "scan.jpg", to: "m.jpg")
        }
        try shell("rm -f scan.* slow.jpg [imtv].jpg [imt].png")
        try writeTable(10_000, to: "\(folder)/cards.csv")
        try shell("rm -f e.qvault; \(qvault) create e.qvault")
        try compare(
            "import 10,000 cards", ["import", "-q", "cards.csv", "-f", "i.qvault"],
            before: "cp e.qvault i.qvault; rm -rf state", peer: "create", "rm -f c.qvault; \(qvault) create c.qvault")
        try compare("export 10,000 cards", ["export", "-q", "-f", "i.qvault", "-o", "-"])
    }

    /// A page as a scanner gives it, as PPM: paper with grain, dark lines of text.
    func writeScan(_ width: Int, _ height: Int, to path: String) throws {
        var state: UInt64 = 1
        // Row by row: what this program holds counts as its children's at first.
        guard let file = unsafe fopen(path, "w") else { throw CommandFailed(words: ["fopen", path], status: errno) }
        defer { unsafe fclose(file) }
        try unsafe write(Array("P6\n\(width) \(height)\n255\n".utf8), to: file)
        for y in 0..<height {
            var row: [UInt8] = []
            row.reserveCapacity(width * 3)
            for x in 0..<width {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let grain = Int(state >> 60) - 8
                let isInk = y / 60 % 3 == 1 && (x / 9 + y / 7) % 3 == 0 && x % 900 < 700
                for channel in 0..<3 { row.append(UInt8(clamping: (isInk ? 40 : 236 - 4 * channel) + grain)) }
            }
            try unsafe write(row, to: file)
        }
    }

    private func showGrowth(_ name: String, _ words: [String], from source: String, to target: String) throws {
        _ = try run(["env", "-C", folder, qvault] + words)
        let (before, after) = (byteCount(source), byteCount(target))
        show("\(name): the file grows by \((after - before) * 1000 / before) thousandths, of \(before) bytes")
    }

    private func byteCount(_ name: String) -> Int {
        var status = stat()
        return unsafe stat("\(folder)/\(name)", &status) == 0 ? Int(status.st_size) : 0
    }

    private func writeTable(_ count: Int, to path: String) throws {
        var text = "kind,title,group,name,phone,email,company,address,birthday,notes\n"
        for number in 0..<count {
            text +=
                "contact,人 \(number),g\(number % 20),张\(number),1380013\(1000 + number % 9000),a\(number)@example.cn,"
            text += "某某科技\(number % 50)公司,杭州市西湖区文三路\(number)号,1980-01-\(10 + number % 18),备注 \(number)\n"
        }
        guard let file = unsafe fopen(path, "w") else { throw CommandFailed(words: ["fopen", path], status: errno) }
        defer { unsafe fclose(file) }
        try unsafe write(Array(text.utf8), to: file)
    }

    private func write(_ bytes: [UInt8], to file: UnsafeMutablePointer<FILE>) throws {
        guard unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw CommandFailed(words: ["fwrite"], status: errno)
        }
    }
}
