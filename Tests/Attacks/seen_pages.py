"""Pages of PDF for seen.py: each with one JPEG, which the command would keep as it is, and with one thing that changes the page.

The picture P is what a careless reader finds; S is another one, which is hidden or covers P. What is right is what pdftoppm draws of
the crop box; it does not follow the list AS of layers. Words that are hidden have SECRET in them.
"""

import re
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
from PIL import Image, ImageCms

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Scripts"))
from pages import Document
from seen_judge import Case, difference, seen_cells
from seen_pictures import adobe, exif, jpeg, sized, turn, with_segment, without

DPI, MOST = 72, 64
P, S, FREE = 5, 6, 9
LIGHT = (slice(160, 192), slice(192, 224))
SHOW = b"q 240 0 0 160 0 0 cm /P Do Q\n"
COVER = b"q 240 0 0 160 0 0 cm /S Do Q\n"
LAYER = b"q 240 0 0 160 0 0 cm /L Do Q\n"
CUT = zlib.compress(b"0 0 0 rg 40 30 100 80 re f\n" + b"% " * 2000)[:-6]
BOX = b"0 0 0 rg 40 30 100 80 re f\n"
TEXT = b"BT /F 40 Tf 10 60 Td (REDACTED) Tj ET\n"
IMAGE = {b"Type": b"/XObject", b"Subtype": b"/Image", b"Width": b"480", b"Height": b"320", b"ColorSpace": b"/DeviceRGB",
         b"BitsPerComponent": b"8", b"Filter": b"/DCTDecode"}


# Writing

def dictionary(entries):
    return b"<< " + b" ".join(b"/%s %s" % (name, value) for name, value in entries.items() if value is not None) + b" >>"


def image(data, **changes):
    """An image with the usual entries, but for changes. The key `more` has entries that follow as they are."""
    more = changes.pop("more", b"")
    entries = {**IMAGE, **{name.encode(): value for name, value in changes.items()}}
    return dictionary(entries)[:-2] + more + b" >>", data


class Sheet:
    """A page with the pictures P and S and a font F. Its objects from 9 on are free."""

    def __init__(self, seen, other, content=SHOW, picture=None, page=b"", catalog=b"", objects=(), box=b"0 0 240 160", tree=b"",
                 contents=None, whole=b"<< /XObject << /P 5 0 R /S 6 0 R >> /Font << /F 7 0 R >> >>"):
        self.document = Document()
        add = self.document.add
        add(b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog)
        add(b"<< /Type /Pages /Count 1 /Kids [3 0 R] %s >>" % tree)
        add(b"<< /Type /Page /Parent 2 0 R /MediaBox [%s] /Contents %s /Resources %s %s >>"
            % (box, contents or b"4 0 R", whole, page))
        add(b"<< >>", content)
        add(*(picture or image(seen)))
        add(*image(other))
        add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>")
        add(b"<< /Note (SECRET) >>")
        for entry in objects:
            add(*entry) if isinstance(entry, tuple) else add(entry)

    def bytes(self):
        return self.document.bytes(1)


# Pages whose picture is not as its dictionary or its name says

def sizes():
    """An image whose Width or Height is not its JPEG's."""
    yield "less height", dict(Height=b"160")
    yield "more height", dict(Height=b"640")
    yield "less width", dict(Width=b"240")
    yield "more width", dict(Width=b"960")
    yield "half of both", dict(Width=b"240", Height=b"160")
    yield "height one less", dict(Height=b"319")
    yield "sides exchanged", dict(Width=b"320", Height=b"480")
    yield "less height twice", dict(more=b"/Height 160")
    yield "short names", dict(Width=None, Height=None, more=b"/W 480 /H 320")
    yield "short name of height", dict(Height=None, more=b"/H 160")
    yield "short name beside height", dict(more=b"/H 160")
    yield "size is a real", dict(Height=b"160.0")
    yield "no size", dict(Width=None)
    yield "width of an object", dict(Height=b"9 0 R"), [b"160"]


def colours():
    """An image whose entries say its colours anew."""
    yield "inverted", dict(Decode=b"[1 0 1 0 1 0]")
    yield "inverted by a short name", dict(more=b"/D [1 0 1 0 1 0]")
    yield "half", dict(Decode=b"[0 .5 0 .5 0 .5]")
    yield "decoded as it is", dict(Decode=b"[0 1 0 1 0 1]")
    yield "gray of three", dict(ColorSpace=b"/DeviceGray")
    yield "cmyk of three", dict(ColorSpace=b"/DeviceCMYK")
    yield "no colour space", dict(ColorSpace=None)
    yield "short name of a space", dict(ColorSpace=b"/RGB")
    yield "short names of all", dict(ColorSpace=None, BitsPerComponent=None, Filter=None, more=b"/CS /RGB /BPC 8 /F /DCT")
    yield "calibrated", dict(ColorSpace=b"[/CalRGB << /WhitePoint [0.95 1 1.09] /Gamma [4 4 4] >>]")
    yield "lab", dict(ColorSpace=b"[/Lab << /WhitePoint [0.95 1 1.09] /Range [-100 100 -100 100] >>]")
    yield "indexed", dict(ColorSpace=b"[/Indexed /DeviceRGB 1 <000000FFFFFF>]")
    yield "separation", dict(ColorSpace=b"[/Separation /Spot /DeviceRGB << /FunctionType 2 /Domain [0 1] /N 1 /C0 [1 1 1] /C1 "
                             b"[1 0 0] >>]")
    yield "three names", dict(ColorSpace=b"[/DeviceN [/Red /Green /Blue] /DeviceRGB 9 0 R]"), \
        [(b"<< /FunctionType 4 /Domain [0 1 0 1 0 1] /Range [0 1 0 1 0 1] >>", b"{ 3 1 roll }")]
    yield "profile of one", dict(ColorSpace=b"[/ICCBased 9 0 R]"), [(b"<< /N 1 >>", b"no profile")]
    yield "profile that is none", dict(ColorSpace=b"[/ICCBased 9 0 R]"), [(b"<< /N 3 >>", b"no profile")]
    yield "profile beside Lab", dict(ColorSpace=b"[/ICCBased 9 0 R]"), \
        [(b"<< /N 3 /Alternate [/Lab << /WhitePoint [0.95 1 1.09] >>] >>", b"no profile")]
    yield "profile of sRGB", dict(ColorSpace=b"[/ICCBased 9 0 R]"), [(b"<< /N 3 >>", profile())]
    yield "profile with a range", dict(ColorSpace=b"[/ICCBased 9 0 R]"), [(b"<< /N 3 /Range [0 .2 0 .2 0 .2] >>", profile())]
    yield "profile of Lab", dict(ColorSpace=b"[/ICCBased 9 0 R]"), [(b"<< /N 3 >>", profile("LAB"))]
    yield "four bits", dict(BitsPerComponent=b"4")
    yield "sixteen bits", dict(BitsPerComponent=b"16")
    yield "one bit", dict(BitsPerComponent=b"1")
    yield "no bits", dict(BitsPerComponent=None)
    yield "transform 0", dict(DecodeParms=b"<< /ColorTransform 0 >>")
    yield "transform 0 in a list", dict(DecodeParms=b"[<< /ColorTransform 0 >>]", Filter=b"[/DCTDecode]")
    yield "transform 0 by a short name", dict(more=b"/DP << /ColorTransform 0 >>")


def profile(space="sRGB"):
    """A profile that is sound."""
    return ImageCms.ImageCmsProfile(ImageCms.createProfile(space)).tobytes()


def masks():
    """An image with a mask of some kind."""
    soft = (b"<< /Type /XObject /Subtype /Image /Width 2 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 %s >>", b"\0\xff")
    hard = (b"<< /Type /XObject /Subtype /Image /Width 8 /Height 1 /ImageMask true /BitsPerComponent 1 >>", b"\xf0")
    yield "soft mask", dict(SMask=b"9 0 R"), [(soft[0] % b"", soft[1])]
    yield "soft mask with a matte", dict(SMask=b"9 0 R"), [(soft[0] % b"/Matte [0 0 0]", soft[1])]
    yield "soft mask that is nothing", dict(SMask=b"null")
    yield "mask", dict(Mask=b"9 0 R"), [hard]
    yield "mask of colours", dict(Mask=b"[0 128 0 255 0 255]")
    yield "is a mask", dict(ImageMask=b"true", ColorSpace=None, BitsPerComponent=b"1")
    yield "is a mask by a short name", dict(more=b"/IM true")
    yield "mask written with a number", dict(more=b"/SM#61sk 9 0 R"), [(soft[0] % b"", soft[1])]
    yield "mask in the data", dict(SMaskInData=b"1")
    yield "smooth", dict(Interpolate=b"true")
    yield "other pictures for print", dict(Alternates=b"[<< /Image 6 0 R /DefaultForPrinting true >>]")


def kinds():
    """An image that is of another kind, or whose filters are others."""
    yield "form", dict(Subtype=b"/Form", more=b"/BBox [0 0 1 1]")
    yield "form after image", dict(more=b"/Subtype /Form /BBox [0 0 1 1]")
    yield "no subtype", dict(Subtype=None)
    yield "short name of a filter", dict(Filter=b"/DCT")
    yield "list of a filter", dict(Filter=b"[/DCTDecode]")
    yield "filter twice", dict(more=b"/Filter /FlateDecode")
    yield "filter that is unknown", dict(Filter=b"/Foo")
    yield "filter written with numbers", dict(Filter=b"/D#43TDecode")
    yield "file outside", dict(more=b"/F (/etc/hostname)")
    yield "subtype written with numbers", dict(Subtype=b"/Im#61ge")
    yield "level of detail", dict(more=b"/OC 9 0 R"), [b"<< /Type /OCG /Name (x) >>"]


def entries(seen, other):
    """The cases of image dictionaries."""
    for group in (sizes, colours, masks, kinds):
        for name, changes, *objects in group():
            usual = name in ("decoded as it is", "profile of sRGB", "soft mask", "mask", "mask of colours", "smooth",
                             "list of a filter", "inverted", "calibrated")
            yield f"pdf image {group.__name__}", name, Sheet(seen, other, picture=image(seen, **changes),
                                                             objects=objects[0] if objects else ()).bytes(), usual


def wrapped(seen, other):
    """A JPEG behind other filters, and one whose length is wrong."""
    for name, filters, data in [("hexadecimal", b"[/ASCIIHexDecode /DCTDecode]", seen.hex().encode() + b">"),
                                ("deflated", b"[/FlateDecode /DCTDecode]", zlib.compress(seen)),
                                ("twice", b"[/DCTDecode /DCTDecode]", seen), ("crypt", b"[/Crypt /DCTDecode]", seen)]:
        yield "pdf filters", name, Sheet(seen, other, picture=image(data, Filter=filters)).bytes(), False
    for name, length in [("too short", 4000), ("too long", len(seen) + 500), ("negative", -5)]:
        data = Sheet(seen, other).bytes().replace(b"/Length %d" % len(seen), b"/Length %d" % length, 1)
        yield "pdf filters", f"length {name}", data, False


def jpegs(random, seen, other, picture):
    """A JPEG that says things of its own: PDF readers know some of them."""
    inks = jpeg(picture, "CMYK")
    gray = jpeg(picture, "L")
    for name, data, space, usual in [
            *((f"EXIF orientation {way}", with_segment(seen, *exif(way)), b"/DeviceRGB", True) for way in (2, 3, 6)),
            ("progressive", jpeg(picture, progressive=True), b"/DeviceRGB", True),
            ("Adobe's RGB", with_segment(without(jpeg(picture, subsampling=0), 0xE0), *adobe(0)), b"/DeviceRGB", False),
            ("Adobe's RGB behind JFIF", with_segment(jpeg(picture, subsampling=0), *adobe(0)), b"/DeviceRGB", False),
            ("no marker at all", without(seen, 0xE0), b"/DeviceRGB", True),
            ("gray", gray, b"/DeviceGray", True), ("gray as RGB", gray, b"/DeviceRGB", False),
            ("gray, calibrated", gray, b"[/CalGray << /WhitePoint [0.95 1 1.09] /Gamma 4 >>]", False),
            ("gray, separation", gray, b"[/Separation /Spot /DeviceGray << /FunctionType 2 /Domain [0 1] /N 1 /C0 [1] /C1 [0] >>]",
             False), ("gray, indexed", gray, b"[/Indexed /DeviceRGB 255 <%s>]" % random.bytes(768).hex().encode(), False),
            ("inks of Adobe", inks, b"/DeviceCMYK", True), ("inks without a marker", without(inks, 0xEE), b"/DeviceCMYK", False),
            ("inks as RGB", inks, b"/DeviceRGB", False), ("with a profile of its own", jpeg(picture, icc_profile=profile("LAB")),
                                                          b"/DeviceRGB", False),
            ("another behind it", seen + other, b"/DeviceRGB", False), ("another before it", other + seen, b"/DeviceRGB", False),
            ("junk before it", b"\n\n" + seen, b"/DeviceRGB", False), ("cut", seen[:len(seen) // 2], b"/DeviceRGB", False),
            ("says less height", sized(seen, high=160), b"/DeviceRGB", False),
            ("says more height", sized(seen, high=640), b"/DeviceRGB", False)]:
        sheet = Sheet(seen, other, picture=image(data, ColorSpace=space))
        yield "pdf jpeg", name, sheet.bytes(), usual
    data = jpeg(picture, "CMYK")
    sheet = Sheet(seen, other, picture=image(data, ColorSpace=b"/DeviceCMYK", Decode=b"[1 0 1 0 1 0 1 0]"))
    yield "pdf jpeg", "inks of Adobe, turned", sheet.bytes(), True


# Pages whose names or objects are read in several ways

def names(seen, other):
    """Names with numbers in them, and names twice. Another picture is drawn than the one that a careless reader takes."""
    both = b"<< /XObject << %s >> >>"
    for name, resources, content in [
            ("escaped in the content", b"/PA 5 0 R /P#2341 6 0 R", b"/P#41"),
            ("escaped in both", b"/P#41 6 0 R /PB 5 0 R", b"/P#41"),
            ("escaped in the resources", b"/P#41 6 0 R /P 5 0 R", b"/PA"), ("escaped blank", b"/P 5 0 R /P#20 6 0 R", b"/P#20"),
            ("escape that is none", b"/P 5 0 R /P#ZZ 6 0 R", b"/P#ZZ"), ("twice", b"/P 5 0 R /P 6 0 R", b"/P"),
            ("twice by an escape", b"/P 5 0 R /#50 6 0 R", b"/P"), ("empty", b"/ 6 0 R /P 5 0 R", b"/"),
            ("small letter", b"/p 6 0 R /P 5 0 R", b"/p"), ("missing", b"/P 5 0 R", b"/Q"),
            ("zero", b"/P 5 0 R /P#00A 6 0 R", b"/P#00A")]:
        sheet = Sheet(seen, other, whole=both % resources, content=b"q 240 0 0 160 0 0 cm %s Do Q\n" % content)
        yield "pdf names", name, sheet.bytes(), False
    for name, more in [("resources twice", b"/Resources << /XObject << /P 6 0 R >> >>"), ("contents twice", b"/Contents 9 0 R"),
                       ("contents twice by an escape", b"/Cont#65nts 9 0 R"), ("rotate twice", b"/Rotate 90 /Rotate 180"),
                       ("rotate by an escape", b"/Rot#61te 180"), ("box twice", b"/MediaBox [0 0 120 160]"),
                       ("annotations by an escape", b"/#41nnots [10 0 R]")]:
        square = b"<< /Type /Annot /Subtype /Square /Rect [40 30 140 110] /IC [0 0 0] /AP << /N 11 0 R >> >>"
        objects = [(b"<< >>", SHOW + BOX), square, BLACK]
        yield "pdf names", name, Sheet(seen, other, page=more, objects=objects).bytes(), False


SMALL = (b"<< /Type /XObject /Subtype /Form /BBox [0 0 16 8] >>", b"0 g 0 0 8 8 re f 1 g 8 0 8 8 re f")
BLACK = (b"<< /Type /XObject /Subtype /Form /BBox [0 0 100 80] >>", b"0 0 0 rg 0 0 100 80 re f")


# Pages with more content than a picture

def covers():
    """The picture with things over it, below it and around it."""
    yield "plain", SHOW, True
    yield "two covers", SHOW + COVER, True
    yield "covered by P", COVER + SHOW, True
    yield "box", SHOW + BOX, True
    yield "text", SHOW + TEXT, True
    yield "text below", TEXT + SHOW, True
    yield "twice", SHOW + b"q 100 0 0 80 40 30 cm /P Do Q\n", True
    yield "no picture", b" ", False
    yield "clip", b"20 20 90 90 re W n " + SHOW, True
    yield "clip of nothing", b"0 0 0 0 re W n " + SHOW, False
    yield "clip within", b"q 20 20 90 90 re W* n " + SHOW + b"Q", False
    yield "text as a clip", b"BT 7 Tr /F 90 Tf 10 60 Td (CUT) Tj ET " + SHOW, False
    yield "line", SHOW + b"20 w 0 0 m 240 160 l S\n", True
    yield "shading", SHOW + b"/Sh sh\n", False
    yield "pattern", SHOW + b"/Pattern cs /Pt scn 40 30 100 80 re f\n", False
    yield "forms", b"q 240 0 0 160 0 0 cm /N Do Q", True
    yield "form over it", SHOW + b"/B Do", True
    yield "group", b"/Gr Do", True
    yield "group with alpha", SHOW + b"/Ga gs /B Do", True
    yield "rendering intent", b"/Saturation ri 1 i 0 g /DeviceRGB cs " + SHOW, False


def inline():
    """Pictures within the content."""
    for name, data in [("short names", b"BI /W 1 /H 1 /CS /G /BPC 8 ID \0 EI"), ("mask", b"BI /W 1 /H 1 /IM true ID \0 EI"),
                       ("long names", b"BI /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 ID \0 EI")]:
        yield f"inline: {name}", SHOW + b"q 100 0 0 80 40 30 cm " + data + b" Q\n", False
    yield "inline: a picture's name in it", b"BI /W 6 /H 1 /CS /G /BPC 8 ID " + b" /P Do EI " + COVER, False


MODES = (b"[3] Tr", b"(3) Tr", b"/3 Tr", b"3.0 Tr", b"3.9 Tr", b"-3 Tr", b"7 Tr", b"0 3 Tr", b"3 0 Tr", b"<< >> 3 Tr", b"Tr", b"3 tr", b"+3 Tr",
         b"03 Tr", b"3% 0\nTr", b"3%\r0 Tr", b"3 Tr 0 Tr", b"--3 Tr", b"3-0 Tr", b"0-3 Tr", b"3e0 Tr", b"null 3 Tr", b"3 true Tr", b"4 Tr",
         b"3 Tr\0" b"0 Tr", b"<33> Tr", b"#33 Tr", b"3 /Tr", b"3 Tr]", b"[3 Tr", b"3 Tr BX 0 Tr EX", b"99999999999 Tr", b"4294967299 Tr",
         b"1 Tr", b"2 Tr", b"5 Tr")


def modes():
    """Text that is invisible, and text that only looks so."""
    text = b"BT /F 40 Tf %s 10 60 Td (REDACTED) Tj ET\n"
    squares = b"BT /Z 10 Tf %s 96 72 Td (n) Tj 8 0 Td (n) Tj ET\n"
    yield "invisible", SHOW + b"BT 3 Tr /F 40 Tf 10 60 Td (SECRET) Tj ET\n", True
    yield "restored", SHOW + text % b"q 3 Tr Q", False
    yield "restored before", SHOW + b"q 3 Tr Q " + TEXT, True
    yield "kept", b"3 Tr " + SHOW + TEXT, True
    yield "kept within", b"q 3 Tr " + SHOW + TEXT + b"Q " + TEXT, True
    for words in MODES:
        yield repr(words.decode()), SHOW + text % words, False
    for words in (b"q 3 Tr Q", b"[3] Tr", b"3.0 Tr", b"3 Tr 0 Tr"):
        yield f"small squares {words.decode()!r}", SHOW + squares % words, False
    yield "after a quote", SHOW + b"BT /F 40 Tf 3 Tr 10 60 Td (a\\) 0 Tr \\() Tj 0 Tr (REDACTED) Tj ET\n", False
    yield "in a string", SHOW + b"BT /F 40 Tf 10 60 Td (3 Tr) Tj ET\n", False
    yield "in a comment", SHOW + text % b"% 3 Tr\n", False
    yield "after the text", SHOW + b"BT /F 40 Tf 10 60 Td (REDACTED) Tj 3 Tr ET\n", False
    for name, words in [("quote", b"(REDACTED) '"), ("two quotes", b"0 0 (REDACTED) \""), ("list", b"[(REDA) 5 (CTED)] TJ")]:
        yield f"text by a {name}", SHOW + b"BT /F 40 Tf 10 100 Td 40 TL " + words + b" ET\n", False


def states():
    """Graphics states that change how the picture is laid on the page."""
    for name, words in [("alpha", b"/Ga gs "), ("multiply", b"/Gm gs "), ("screen", b"/Gs gs "), ("soft mask", b"/Gk gs "),
                        ("font", b"/Gf gs "), ("transfer", b"/Gt gs "), ("missing", b"/No gs "), ("alpha of strokes", b"/Gc gs ")]:
        yield f"state: {name}", words + SHOW, name != "missing"
    yield "state: multiplied covers", SHOW + b"/Gm gs " + COVER, True


MATRICES = {
    "flip": b"-240 0 0 160 240 0", "flop": b"240 0 0 -160 0 160", "half turn": b"-240 0 0 -160 240 160", "skew": b"240 0 60 160 0 0",
    "smaller": b"200 0 0 130 20 15", "in two": b"24 0 0 16 0 0 cm 10 0 0 10 0 0", "aside": b"240 0 0 160 120 0",
    "turn in place": b"0 160 -240 0 240 0", "small turn": b"240 4 -3 160 0 0", "quarter": b"0 160 240 0 0 0",
    "larger": b"480 0 0 320 -120 -80", "beyond": b"300 0 0 200 0 0", "a little beyond": b"247 0 0 165 0 0", "nothing": b"0 0 0 0 0 0",
    "five numbers": b"240 0 0 160 0", "seven numbers": b"9 240 0 0 160 0 0", "list": b"[240 0 0 160 0 0]",
    "two signs": b"--240 0 0 160 0 0", "sign within": b"240-9 0 0 160 0 0", "power": b"2.4e2 0 0 1.6e2 0 0",
    "two points": b"240.0.5 0 0 160 0 0", "name among numbers": b"240 0 0 /x 160 0 0", "point alone": b"240 . 0 160 0 0",
    "letters": b"240x 0 0 160 0 0", "signs": b"+240 +0 +0 +160 0 0",
}


def matrices():
    """The place of the picture, and numbers that are read in several ways."""
    for name, words in MATRICES.items():
        yield name, b"q " + words + b" cm /P Do Q\n", name in list(MATRICES)[:7]
    yield "stays", b"1 0 0 1 40 0 cm " + SHOW, True
    yield "after it", b"q 240 0 0 160 0 0 cm /P Do 240 0 0 160 0 0 cm Q\n", False
    yield "restored too often", b"Q q .5 0 0 .5 0 0 cm Q " + SHOW, False
    yield "restored too late", b"q .5 0 0 .5 0 0 cm " + SHOW, False
    yield "saved in text", b"BT q ET .5 0 0 .5 0 0 cm Q " + SHOW, False
    yield "drawn in text", b"BT " + SHOW + b" ET", False
    yield "of text", b"BT .5 0 0 .5 0 0 Tm " + SHOW + b" ET", False
    yield "deep", b"q " * 300 + SHOW + b"Q " * 300 + BOX, False


def tokens():
    """Words that one reader ends where another goes on."""
    start = b"q 240 0 0 160 0 0 cm "
    for name, words in [("no blanks", b"/P Do/S Do Q"), ("zero byte as a blank", b"/S\0Do Q"), ("string after a name", b"/P(S)Do Q"),
                        ("two names, the first", b"/P /S Do Q"), ("two names, the second", b"/S /P Do Q"),
                        ("name in a list", b"[/P] Do Q " + COVER), ("comment in a name", b"/P%\nDo Q " + COVER),
                        ("long name", b"/" + b"P" * 140 + b" Do Q " + COVER), ("many operands", b"0 " * 40 + b"/P Do Q " + BOX)]:
        yield name, start + words, False
    for name, words in [("comment with a return", b"% hidden\r"), ("string over lines", b"(a\\\n) pop "), ("string that is open", b"(a "),
                        ("hexadecimal that is open", b"<41 "), ("dictionary that is open", b"<< /a "), ("unknown word", b"hello "),
                        ("compatibility", b"BX foo EX "), ("long word", b"x" * 200 + b" ")]:
        yield name, SHOW + words + COVER, False
    yield "string in brackets", SHOW + b"(() pop (\\)) " + COVER + b") pop", False


def marks():
    """Content that is marked as a part of a layer, and pictures that are."""
    for name, words in [("hidden", b"/OC /Off BDC "), ("hidden by its dictionary", b"/OC << /Type /OCG >> BDC "), ("shown", b"/OC /On BDC "),
                        ("hidden by a set", b"/OC /Set BDC "), ("hidden by no name", b"/OC /No BDC "),
                        ("mark", b"/Span << /ActualText (SECRET) >> BDC "), ("point", b"/Off DP "),
                        ("hidden in a mark", b"/A BMC /OC /Off BDC ")]:
        yield f"S {name}", SHOW + words + COVER + b"EMC EMC\n", False
        yield f"P {name}", COVER + words + SHOW + b"EMC EMC\n", False
    yield "form of a layer", SHOW + b"/L Do", False
    yield "picture of a layer", COVER + b"q 240 0 0 160 0 0 cm /LP Do Q", False


LAYERS = b"/OCProperties << /OCGs [9 0 R 10 0 R] /D << %s >> >>"
CURVE = b"<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [%d] /C1 [%d] >>"
SHADE = b"<< /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 240 0] /Function %s >>" % (CURVE % (0, 1))
STATES = (b"<< /Ga << /ca .3 /CA .3 >> /Gm << /BM /Multiply >> /Gs << /BM /Screen >> /Gk << /SMask << /S /Luminosity /G 12 0 R >> >> "
          b"/Gf << /Font [7 0 R 40] >> /Gc << /CA .3 >> /Gt << /TR %s >> >>" % (CURVE % (1, 0)))
DETAIL = (b"/Properties << /Off 9 0 R /On 10 0 R /Set 11 0 R >> /ExtGState %s /Shading << /Sh %s >> /Pattern << /Pt << /PatternType 2 "
          b"/Shading %s >> >>" % (STATES, SHADE, SHADE))
DRAWN = (b"<< /XObject << /P 5 0 R /S 6 0 R /N 13 0 R /B 14 0 R /Gr 15 0 R /L 16 0 R /LP 17 0 R >> /Font << /F 7 0 R /Z "
         b"<< /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >> >> " + DETAIL + b" >>")


def parts(seen):
    """The objects that the contents refer to: two layers, a set of them, and forms."""
    form = b"<< /Type /XObject /Subtype /Form /BBox [%s] %s >>"
    inner = b"/Resources << /XObject << /P 5 0 R >> >>"
    return [b"<< /Type /OCG /Name (off) >>", b"<< /Type /OCG /Name (on) >>", b"<< /Type /OCMD /OCGs [9 0 R 10 0 R] /P /AllOn >>",
            (form % (b"0 0 240 160", b"/Group << /S /Transparency /CS /DeviceGray >>"), b"1 g 0 0 120 160 re f"),
            (form % (b"0 0 1 1", inner), b"q 1 0 0 1 0 0 cm /P Do Q"), (form % (b"40 30 140 110", b""), BOX),
            (form % (b"0 0 240 160", b"/Group << /S /Transparency /I true >> " + inner), SHOW + BOX),
            (form % (b"0 0 240 160", b"/OC 9 0 R"), BOX), image(seen, OC=b"9 0 R")]


def drawn(seen, other):
    """The cases of contents."""
    for group in (covers, inline, modes, states, matrices, tokens, marks):
        for name, content, usual in group():
            sheet = Sheet(seen, other, content=content, whole=DRAWN, objects=parts(seen), catalog=LAYERS % b"/OFF [9 0 R]")
            yield f"pdf {group.__name__}", name, sheet.bytes(), usual


def layers(seen, other):
    """What a document says of its layers, with a picture in a layer over another one."""
    hidden = b"/Event /View /Category [/View] /OCGs [9 0 R]"
    for name, words, layer in [
            ("off", b"/OFF [9 0 R]", b""), ("on", b"/ON [9 0 R]", b""), ("all off", b"/BaseState /OFF", b""),
            ("all off but it", b"/BaseState /OFF /ON [9 0 R]", b""), ("off and on", b"/OFF [9 0 R] /ON [9 0 R]", b""),
            ("off by use", b"/AS [<< %s >>]" % hidden, b"/Usage << /View << /ViewState /OFF >> >>"),
            ("on by use", b"/OFF [9 0 R] /AS [<< %s >>]" % hidden, b"/Usage << /View << /ViewState /ON >> >>"),
            ("off in print", b"/AS [<< /Event /Print /Category [/Print] /OCGs [9 0 R] >>]",
             b"/Usage << /Print << /PrintState /OFF >> >>"),
            ("unchanged", b"/BaseState /Unchanged", b""), ("off by an escape", b"/O#46F [9 0 R]", b""),
            ("design", b"/OFF [9 0 R] /Intent /View", b"/Intent /Design")]:
        for place in ("image", "content"):
            over = image(other, OC=b"9 0 R") if place == "image" else image(other)
            alone = LAYER if place == "image" else b"/OC /Off BDC " + LAYER + b"EMC"
            objects = [b"<< /Type /OCG /Name (x) %s >>" % layer, b"<< /Type /OCG /Name (y) >>", over]
            whole = b"<< /XObject << /P 5 0 R /L 11 0 R >> /Properties << /Off 9 0 R >> >>"
            for title, words_of in [("over P", SHOW + alone), ("alone", alone)]:
                sheet = Sheet(seen, other, content=words_of, whole=whole, objects=objects, catalog=LAYERS % words)
                yield "pdf layers", f"{name}, {place}, {title}", sheet.bytes(), False
    for name, set_of in [("all on", b"/P /AllOn"), ("any off", b"/P /AnyOff"), ("any on", b"/P /AnyOn"), ("all off", b"/P /AllOff"),
                         ("rule", b"/VE [/Not 9 0 R]"), ("rule of or", b"/VE [/Or 9 0 R 10 0 R]")]:
        objects = [b"<< /Type /OCG /Name (x) >>", b"<< /Type /OCG /Name (y) >>", image(other, OC=b"12 0 R"),
                   b"<< /Type /OCMD /OCGs [9 0 R 10 0 R] %s >>" % set_of]
        whole = b"<< /XObject << /L 11 0 R >> >>"
        sheet = Sheet(seen, other, LAYER, whole=whole, objects=objects, catalog=LAYERS % b"/OFF [9 0 R]")
        yield "pdf layers", f"set: {name}", sheet.bytes(), False


def annotations(seen, other):
    """What is drawn over a page by its annotations, and what is not."""
    rect = b"/Rect [40 30 140 110]"
    drawing = b"/AP << /N 9 0 R >>"
    state = b"/AP << /N << /On 9 0 R /Off 10 0 R >> >> /AS /%s"
    for name, words in [
            *((f"drawn {kind.decode()}", b"/Subtype /%s %s %s" % (kind, rect, drawing))
              for kind in (b"Link", b"Stamp", b"Square", b"FreeText", b"Widget", b"Highlight", b"Popup", b"Text", b"Redact", b"Foo",
                           b"Li#6ek", b"PrinterMark", b"Watermark", b"FileAttachment", b"Screen")),
            ("drawn, no subtype", rect + drawing), ("link with a border of 3", b"/Subtype /Link /Border [0 0 3] " + rect),
            ("link without border", b"/Subtype /Link /Border [0 0 0] " + rect),
            ("link with a wide border", b"/Subtype /Link /Border [0 0 30] /C [0 0 0] " + rect),
            ("link with a wide style", b"/Subtype /Link /BS << /W 30 >> /C [0 0 0] " + rect),
            ("link with a wide style beside", b"/Subtype /Link /Border [0 0 0] /BS << /W 30 >> /C [0 0 0] " + rect),
            ("link with a border by an escape", b"/Subtype /Link /Bord#65r [0 0 30] /C [0 0 0] " + rect),
            ("hidden link with a drawing", b"/Subtype /Link /F 2 " + rect + drawing), ("no view", b"/Subtype /Link /F 32 " + rect + drawing),
            ("print only", b"/Subtype /Link /F 4 " + rect + drawing), ("toggled", b"/Subtype /Link /F 256 " + rect + drawing),
            ("state on", b"/Subtype /Link /Border [0 0 0] " + rect + state % b"On"),
            ("state off", b"/Subtype /Link /Border [0 0 0] " + rect + state % b"Off"),
            ("square without a drawing", b"/Subtype /Square /IC [0 0 0] /C [0 0 0] /BS << /W 20 >> " + rect),
            ("highlight without a drawing", b"/Subtype /Highlight /C [0 0 0] /QuadPoints [40 110 140 110 40 30 140 30] " + rect),
            ("words without a drawing", b"/Subtype /FreeText /DA (/F 40 Tf 0 g) /Contents (REDACTED) " + rect),
            ("field without a drawing", b"/Subtype /Widget /FT /Tx /T (a) /V (REDACTED) /DA (/F 30 Tf 0 g) /MK << /BG [0 0 0] >> " + rect),
            ("layer that is off", b"/Subtype /Link /OC 11 0 R " + rect + drawing),
            ("subtype twice", b"/Subtype /Stamp /Subtype /Link " + rect + drawing),
            ("note", b"/Subtype /Link /Border [0 0 0] /Contents (SECRET) " + rect)]:
        objects = [BLACK, (BLACK[0], b" "), b"<< /Type /OCG /Name (x) >>", b"<< /Type /Annot %s >>" % words]
        catalog = b"/OCProperties << /OCGs [11 0 R] /D << /OFF [11 0 R] >> >> /AcroForm << /Fields [12 0 R] " \
            b"/NeedAppearances true /DR << /Font << /F 7 0 R >> >> >>"
        sheet = Sheet(seen, other, page=b"/Annots [12 0 R]", objects=objects, catalog=catalog)
        yield "pdf annotations", name, sheet.bytes(), False
    small = b"<< /Type /Annot /Subtype /Link /Border [0 0 0] /Rect [96 72 112 80] %s >>" % drawing
    yield "pdf annotations", "small drawing", Sheet(seen, other, page=b"/Annots [10 0 R]", objects=[SMALL, small]).bytes(), False
    objects = [BLACK, b"[12 0 R]", b"null", b"<< /Type /Annot /Subtype /Stamp %s %s >>" % (rect, drawing)]
    yield "pdf annotations", "list by itself", Sheet(seen, other, page=b"/Annots 10 0 R", objects=objects).bytes(), False
    yield "pdf annotations", "inherited", Sheet(seen, other, tree=b"/Annots 10 0 R", objects=objects).bytes(), False
    yield "pdf annotations", "one, no list", Sheet(seen, other, page=b"/Annots 12 0 R", objects=objects).bytes(), False


# Pages and files

def boxes(seen, other):
    """The sizes and turns of a page, what it inherits, and its content in pieces."""
    for angle in (b"0", b"90", b"180", b"270", b"-90", b"450", b"45", b"90.0", b"(90)", b"9 0 R", b"-270"):
        sheet = Sheet(seen, other, page=b"/Rotate " + angle, objects=[b"90"])
        yield "pdf pages", f"turned {angle.decode()}", sheet.bytes(), len(angle) < 4
    yield "pdf pages", "turned by its parent", Sheet(seen, other, tree=b"/Rotate 90").bytes(), True
    for name, words in [("crop", b"/CropBox [60 40 180 120]"), ("crop by 2 in 100", b"/CropBox [5 4 235 156]"),
                        ("crop, turned", b"/CropBox [60 20 240 120] /Rotate 90"), ("crop beyond", b"/CropBox [-60 -40 300 200]"),
                        ("crop reversed", b"/CropBox [180 120 60 40]"), ("crop of nothing", b"/CropBox [0 0 0 0]"),
                        ("crop outside", b"/CropBox [500 500 600 600]"), ("crop of reals", b"/CropBox [60.5 40.5 180.5 120.5]"),
                        ("crop by an object", b"/CropBox 9 0 R"), ("crop by an escape", b"/Crop#42ox [60 40 180 120]"),
                        ("trim", b"/TrimBox [60 40 180 120] /ArtBox [60 40 180 120] /BleedBox [60 40 180 120]"), ("unit", b"/UserUnit 2"),
                        ("small unit", b"/UserUnit .5"), ("group", b"/Group << /S /Transparency /CS /DeviceCMYK /I true >>"),
                        ("layer of a page", b"/OC 10 0 R")]:
        sheet = Sheet(seen, other, page=words, objects=[b"[60 40 180 120]", b"<< /Type /OCG >>"],
                      catalog=b"/OCProperties << /OCGs [10 0 R] /D << /OFF [10 0 R] >> >>")
        yield "pdf pages", name, sheet.bytes(), name in ("crop", "crop by 2 in 100", "crop, turned", "trim", "crop beyond", "group")
    yield "pdf pages", "crop by its parent", Sheet(seen, other, tree=b"/CropBox [60 40 180 120]").bytes(), True
    moved = SHOW.replace(b"160 0 0 cm", b"160 50 70 cm")
    yield "pdf pages", "box aside", Sheet(seen, other, moved, box=b"50 70 290 230").bytes(), True
    yield "pdf pages", "box aside, empty", Sheet(seen, other, box=b"50 70 290 230").bytes(), True
    yield "pdf pages", "box reversed", Sheet(seen, other, box=b"240 160 0 0").bytes(), False
    yield "pdf pages", "larger box", Sheet(seen, other, box=b"0 0 300 260").bytes(), True
    yield "pdf pages", "box that ends a little behind", Sheet(seen, other, box=b"0 0 246 160").bytes(), True
    whole = b"/Resources << /XObject << /P 5 0 R /S 6 0 R >> >>"
    data = Sheet(seen, other, tree=whole, whole=b"").bytes().replace(b"/Resources  ", b" ", 1)
    yield "pdf pages", "resources of its parent", data, True
    yield "pdf pages", "resources empty, parent's not", Sheet(seen, other, tree=whole, whole=b"<< >>").bytes(), False
    yield "pdf pages", "resources of its parent are others", Sheet(seen, other, tree=whole.replace(b"/P 5", b"/P 6")).bytes(), True
    yield from pieces(seen, other)


def pieces(seen, other):
    """Contents in several streams. A token ends where a stream does."""
    for name, streams in [("two", [SHOW, BOX]), ("before and after", [b"q 1 0 0 1 40 0 cm ", SHOW, b"Q ", BOX]),
                          ("cut at a name", [b"q 240 0 0 160 0 0 cm /P", b"S Do Q"]),
                          ("cut at a number", [b"q 24", b"0 0 0 160 0 0 cm /P Do Q ", BOX]),
                          ("cut at an operator", [b"q 240 0 0 160 0 0 cm /P D", b"o Q " + COVER]),
                          ("cut in a string", [SHOW + b"(a", b") pop " + COVER]),
                          ("cut in a comment", [SHOW + b"% a", COVER]), ("comment over the end", [SHOW + b"%", b" " + COVER + b"\n" + BOX]),
                          ("empty ones", [b"", SHOW, b""]), ("covers", [SHOW, COVER]), ("the same twice", [SHOW, BOX, BOX])]:
        numbers = b" ".join(b"%d 0 R" % (FREE + place) for place in range(len(streams)))
        sheet = Sheet(seen, other, contents=b"[%s]" % numbers, objects=[(b"<< >>", stream) for stream in streams])
        yield "pdf pages", f"content: {name}", sheet.bytes(), name in ("two", "covers")
    for name, words, objects in [("in a list of a list", b"[[9 0 R] 10 0 R]", [(b"<< >>", COVER), (b"<< >>", SHOW)]),
                                 ("missing", b"[4 0 R 99 0 R]", []), ("list by itself", b"9 0 R", [b"[4 0 R 10 0 R]", (b"<< >>", BOX)]),
                                 ("in hexadecimal", b"[4 0 R 9 0 R]", [(b"<< /Filter /ASCIIHexDecode >>", BOX.hex().encode() + b">")]),
                                 ("deflated", b"[4 0 R 9 0 R]", [(b"<< /Filter [/FlateDecode] >>", zlib.compress(BOX))]),
                                 ("deflated and cut", b"[4 0 R 9 0 R]", [(b"<< /Filter /FlateDecode >>", CUT)]),
                                 ("deflated, short name", b"[4 0 R 9 0 R]", [(b"<< /Filter /Fl >>", zlib.compress(BOX))]),
                                 ("unknown filter", b"[4 0 R 9 0 R]", [(b"<< /Filter /Foo >>", BOX)])]:
        yield "pdf pages", f"content: {name}", Sheet(seen, other, contents=words, objects=objects).bytes(), False


def later(data, number, body, previous=None):
    """A file with one more revision, which has one object anew."""
    place, start = len(data), previous or int(data[data.rindex(b"startxref") + 9:].split()[0])
    data += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = len(data)
    return data + b"xref\n%d 1\n%010d 00000 n \ntrailer\n<< /Size 99 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n" % (
        number, place, start, table)


def stream(entry):
    body, data = entry
    return body.replace(b"<<", b"<< /Length %d" % len(data), 1) + b"\nstream\n" + data + b"\nendstream"


def files(seen, other, folder):
    """Files of several revisions, broken ones, and ones that are read in several ways."""
    plain = Sheet(seen, other).bytes()
    revised = later(plain, P, stream(image(other)))
    yield "pdf files", "later picture", revised, True
    yield "pdf files", "later content", later(plain, 4, stream((b"<< >>", SHOW + BOX))), True
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 240 160] /Contents 4 0 R /Resources << /XObject << /P 6 0 R >> >> >>"
    yield "pdf files", "later page", later(plain, 3, page), True
    yield "pdf files", "later picture, no table", without_table(revised), False
    back = without_table(revised).replace(b"%%EOF", b"5 0 obj\n" + stream(image(seen)) + b"\nendobj\n%%EOF", 1)
    yield "pdf files", "earlier picture behind, no table", back, False
    fake = b"5 0 obj\n" + stream(image(other)) + b"\nendobj\n"
    hidden = Sheet(seen, other, objects=[(b"<< >>", fake)]).bytes()
    yield "pdf files", "object within a stream", hidden, False
    yield "pdf files", "object within a stream, no table", without_table(hidden), False
    bare = plain[:plain.rindex(b"xref\n0")]
    yield "pdf files", "object in a comment, no table", bare + b"%5 0 obj 6 0 R endobj\ntrailer << /Root 1 0 R >>", False
    yield "pdf files", "behind junk", b"junk\n" * 20 + plain, False
    yield "pdf files", "table aside", plain.replace(b"xref\n0 ", b"xref\n1 ", 1), False
    right, wrong = (b"%010d 00000 n" % plain.index(words) for words in (b"5 0 obj", b"6 0 obj"))
    yield "pdf files", "table names another", plain.replace(right, wrong, 1), False
    yield "pdf files", "object of a later generation", plain.replace(b"/P 5 0 R", b"/P 5 1 R", 1), False
    yield "pdf files", "revision with itself before it", later(plain, P, stream(image(other)), previous=len(plain) + 99), False
    for name, count in [("none", b"0"), ("more", b"5"), ("negative", b"-1")]:
        yield "pdf files", f"count of pages: {name}", plain.replace(b"/Count 1", b"/Count " + count, 1), False
    yield "pdf files", "page with a wrong type", plain.replace(b"/Type /Page ", b"/Type /Pagx ", 1), False
    yield "pdf files", "page without a type", plain.replace(b"/Type /Page ", b"", 1), False
    yield from trees(seen, other)
    for name, words in [("streams of objects", "--object-streams=generate"), ("in lines", "--linearize"),
                        ("no password", "--encrypt  owner 256 --"), ("no password, old", "--allow-weak-crypto --encrypt  owner 40 --")]:
        (folder / "plain.pdf").write_bytes(plain)
        subprocess.run(["qpdf", *words.split(" "), str(folder / "plain.pdf"), str(folder / "made.pdf")], check=True, capture_output=True)
        yield "pdf files", name, (folder / "made.pdf").read_bytes(), name in ("streams of objects", "in lines")


def without_table(data):
    """A file whose table of places cannot be found."""
    return data[:data.rindex(b"startxref")] + b"startxref\n7\n%%EOF\n"


def trees(seen, other):
    """Trees of pages that count wrong, or have a page twice. Each page shows another picture."""
    def tree(kids, count, more=(), content=SHOW):
        page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 240 160] /Contents 4 0 R /Resources << /XObject << /P %d 0 R >> >> >>"
        sheet = Sheet(seen, other, content, objects=[page % P, page % S, *more])
        sheet.document.objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (count, kids)
        return sheet.bytes()
    within = b"<< /Type /Pages /Parent 2 0 R /Count %s /Kids [%s] %s >>"
    for name, kids, count, more, usual in [
            ("two pages", b"9 0 R 10 0 R", 2, [], True), ("two pages, one counted", b"9 0 R 10 0 R", 1, [], False),
            ("two pages, three counted", b"9 0 R 10 0 R", 3, [], False), ("a page twice", b"9 0 R 9 0 R 10 0 R", 3, [], False),
            ("a page that is nothing", b"null 10 0 R", 2, [], False), ("a page that is missing", b"99 0 R 10 0 R", 2, [], False),
            ("a tree within", b"11 0 R 10 0 R", 2, [within % (b"1", b"9 0 R", b"/Rotate 90")], True),
            ("an empty tree within", b"11 0 R 10 0 R", 2, [within % (b"1", b"", b"")], False),
            ("a tree that counts more", b"11 0 R 10 0 R", 3, [within % (b"2", b"9 0 R", b"")], False),
            ("a tree that counts less", b"11 0 R 9 0 R", 2, [within % (b"1", b"9 0 R 10 0 R", b"")], False)]:
        yield "pdf files", name, tree(kids, count, more), usual
        yield "pdf files", f"{name}, drawn", tree(kids, count, more, SHOW + BOX), usual


def cases(random, folder):
    """All pages. Both pictures have 480 by 320 pixels, two for each point. Where small things lie P is light."""
    picture, other = (np.kron(cells, np.ones((2, 2, 1), np.uint8)) for cells in (seen_cells(random), seen_cells(random)))
    picture[LIGHT] = 200
    seen, hidden = jpeg(picture), jpeg(other)
    for group in (entries(seen, hidden), wrapped(seen, hidden), jpegs(random, seen, hidden, picture), names(seen, hidden),
                  drawn(seen, hidden), layers(seen, hidden), annotations(seen, hidden), boxes(seen, hidden), files(seen, hidden, folder)):
        for kind, name, data, usual in group:
            check = as_large(2) if name == "unit" else as_large(0.5) if name == "small unit" else None
            yield Case(kind, name, "pdf", data, [], ordinary=usual, check=check)


# Looking at copies

def as_large(unit):
    """A check that a page is as large as its unit says."""
    def check(data):
        wide = float(re.search(rb"/MediaBox\s*\[\s*\S+\s+\S+\s+(\S+)", data)[1])
        own = re.search(rb"/UserUnit\s+([\d.]+)", data)
        wide *= float(own[1]) if own else 1
        return None if abs(wide - 240 * unit) < 2 else f"is {wide:.0f} points wide, not {240 * unit:.0f}"
    return check


def pages_of(file, folder):
    """The pages of a document as pdftoppm draws them."""
    for old in folder.glob("drawn-*"):
        old.unlink()
    subprocess.run(["pdftoppm", "-cropbox", "-r", str(DPI), str(file), str(folder / "drawn")], capture_output=True, timeout=30)
    return [np.asarray(Image.open(found).convert("RGB")).astype(float) for found in sorted(folder.glob("drawn-*"))]


def pictures_of(file, folder):
    """The pictures that lie in a copy, as they are."""
    for old in folder.glob("lies-*"):
        old.unlink()
    subprocess.run(["pdfimages", "-all", str(file), str(folder / "lies")], check=True, capture_output=True, timeout=30)
    return [np.asarray(Image.open(found).convert("RGB")) for found in sorted(folder.glob("lies-*"))]


def apart(picture, page):
    """What differs between the picture in a copy and the page, in words, in the best of eight ways to lay it."""
    found = []
    for way in range(1, 9):
        laid = Image.fromarray(np.ascontiguousarray(turn(picture, way))).resize((page.shape[1], page.shape[0]), Image.BOX)
        words = difference(np.asarray(laid).astype(float), page, most=MOST)
        if words is None:
            return None
        found.append(words)
    return f"the picture in it {min(found)}"


def fault(case, out, folder):
    """What is wrong with a copy that is a PDF."""
    source = folder / "in.pdf"
    before, after = pages_of(source, folder), pages_of(out, folder)
    if len(before) != len(after):
        return f"has {len(after)} pages, not {len(before)}"
    lying = pictures_of(out, folder)
    if len(lying) != len(before):
        return f"has {len(lying)} pictures on {len(before)} pages"
    managed = b"/ICCBased" in out.read_bytes()
    for page, copy, picture in zip(before, after, lying):
        words = difference(fitted(copy, page), page, most=MOST) or (None if managed else apart(picture, page))
        if words:
            return words
    return case.check(out.read_bytes()) if case.check else None


def fitted(copy, page):
    """A page of a copy, brought to the size of the drawing where rounding makes it one pixel less or more, or where a unit, which
    what draws does not know, makes it twice or half as large."""
    def is_near(scale):
        return max(abs(a - b * scale) for a, b in zip(copy.shape[:2], page.shape)) <= 2
    if copy.shape == page.shape or not any(map(is_near, (1, 2, 0.5))):
        return copy
    return np.asarray(Image.fromarray(copy.astype(np.uint8)).resize((page.shape[1], page.shape[0]))).astype(float)
