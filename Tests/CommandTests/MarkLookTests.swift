import Foundation
import Testing

/// Marks as they look, and what colours become.
struct MarkLookTests {
    /// Colours follow from the profile as before; nothing else of it goes out, and a smaller copy says its resolution.
    @Test func profilesAreCleaned() throws {
        let sandbox = try MarkTests.fixture()
        try sandbox.write(
            "profiles.py",
            """
            from PIL import Image, ImageCms
            import glob, io
            picture = Image.open("front.jpg").convert("RGB")
            made = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
            made[48:52] = b"SERI"
            made += b"SERIAL-4711" * 9
            picture.save("a.jpg", icc_profile=bytes(made), dpi=(300, 300))
            picture.save("a.png", icc_profile=bytes(made), dpi=(300, 300))
            """)
        try sandbox.write(
            "compare.py",
            """
            from PIL import Image, ImageCms
            import io
            lab = ImageCms.createProfile("LAB")
            def colours(data):
                profile = ImageCms.ImageCmsProfile(io.BytesIO(data))
                return ImageCms.applyTransform(Image.open("front.jpg").convert("RGB"), ImageCms.buildTransform(profile, lab, "RGB", "LAB")).tobytes()
            for before, after in [("a.jpg", "b.jpg"), ("a.png", "b.png"), ("a.jpg", "c.jpg")]:
                old, new = (Image.open(name).info["icc_profile"] for name in (before, after))
                print(colours(old[:int.from_bytes(old[:4], "big")]) == colours(new), b"SERI" in open(after, "rb").read())
            print([round(part) for part in Image.open("c.jpg").info["dpi"]], Image.open("c.jpg").size[0])
            """)
        let outcome = try sandbox.shell(
            """
            set -e; /usr/bin/python3 profiles.py; $Q watermark file a.jpg --text 甲 --allow-faint -o b.jpg; $Q watermark file a.png --text 甲 --allow-faint -o b.png
            $Q watermark file a.jpg --text 甲 --allow-faint --width 150 -o c.jpg; /usr/bin/python3 compare.py
            """)
        let width = Double(
            outcome.text.split(separator: "]").last?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "")
        #expect(outcome.text.hasPrefix("True False\nTrue False\nTrue False\n[") && width == 150, "\(outcome)")
    }

    /// More ink stands where it is asked for, and nowhere else; a page shows several ways to mark a picture.
    @Test func focusAndTrial() throws {
        let sandbox = try MarkTests.fixture()
        let outcome = try sandbox.shell(
            """
            /usr/bin/python3 $REPOSITORY/Tests/Scripts/grounds.py g.png gray 800 600 white
            for focus in 0,0,0,0 0,0,50,100; do $Q watermark file g.png --text 甲乙丙 --strong --focus $focus -o $focus.png; done
            /usr/bin/python3 -c '
            from PIL import Image, ImageStat
            plain, more = (Image.open(name + ".png").convert("L") for name in ("0,0,0,0", "0,0,50,100"))
            for box in [(0, 0, 392, 600), (408, 0, 800, 600)]:
                print((255 - ImageStat.Stat(more.crop(box)).mean[0]) / (255 - ImageStat.Stat(plain.crop(box)).mean[0]) > 1.5)'
            $Q watermark file g.png --text 甲 --focus 60,0,50,10 -o x.png; echo $?; $Q watermark file g.png --text 甲 --focus 1,2,3,4 --sparse -o x.png; echo $?
            $Q watermark set front.jpg --text 甲 --focus 10,20,30.5,40 --json | jq -r .focus
            $Q watermark try front.jpg --text 甲 -o try.html; grep -c '<figure>' try.html; grep -c -E 'https?://|<script' try.html
            $Q watermark try front.jpg --text 甲 -o try.html; echo $?; $Q watermark try front.jpg --text 甲; echo $?
            """, environment: ["QVAULT_FILE": "v.qvault"])
        #expect(outcome.text == "True\nFalse\n2\n2\n10,20,30.5,40\n7\n0\n12\n2\n", "\(outcome)")
    }
}
