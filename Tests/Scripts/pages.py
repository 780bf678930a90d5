#!/usr/bin/python3
"""Writes documents of pages, well-formed ones and hostile ones: pages.py FOLDER SCAN.jpg. Their bytes are the same each time.

scan.pdf        20 pages, each one JPEG; the second page is turned, the third has invisible text
text.pdf        20 pages of text
mixed.pdf       a scan, a page of text, a scan with a stamp over it
script.pdf      a page of text, with JavaScript, a form, an attachment and names of its author
many.pdf        10,000 pages
huge.pdf        a page of 14,400 points a side
loop.pdf        a tree of pages that leads back to itself
forms.pdf       a page that draws a form that draws itself
broken.pdf      text.pdf with a table of places that is wrong
cut.pdf         text.pdf without its second half
nested.pdf      a scan within nested states
tiny.pdf        a picture of one point in a corner, behind a matrix that is restored
tinted.pdf      a scan whose colours the page says anew
lettered.pdf    a scan, and letters of a Type 3 font, which are drawn in every mode of text
slow.pdf        a page that takes minutes to draw
"""

import sys
from pathlib import Path

A4 = (595, 842)


class Document:
    def __init__(self):
        self.objects = []

    def add(self, body, stream=None):
        """Adds an object; its number."""
        if stream is not None:
            body = body.replace(b"<<", b"<< /Length %d" % len(stream), 1) + b"\nstream\n" + stream + b"\nendstream"
        self.objects.append(body)
        return len(self.objects)

    def bytes(self, root, extra=b""):
        out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        places = []
        for number, body in enumerate(self.objects, 1):
            places.append(len(out))
            out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
        out += b"".join(b"%010d 00000 n \n" % place for place in places)
        out += b"trailer\n<< /Size %d /Root %d 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (
            len(places) + 1, root, extra, start)
        return bytes(out)


def page(document, tree, content, resources, box=A4, more=b""):
    stream = document.add(b"<< >>", content)
    return document.add(b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources << %s >> %s >>"
                        % (tree, *box, stream, resources, more))


def finish(document, tree, pages, catalog=b"", trailer=b""):
    kids = b" ".join(b"%d 0 R" % number for number in pages)
    document.objects[tree - 1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(pages), kids)
    root = document.add(b"<< /Type /Catalog /Pages %d 0 R %s >>" % (tree, catalog))
    return document.bytes(root, trailer)


def size_of(jpeg):
    place = 2
    while True:
        marker, length = jpeg[place + 1], int.from_bytes(jpeg[place + 2:place + 4], "big")
        if marker in (0xC0, 0xC1, 0xC2):
            high, wide = (int.from_bytes(jpeg[place + at:place + at + 2], "big") for at in (5, 7))
            return wide, high
        place += 2 + length


def scan(document, jpeg):
    wide, high = size_of(jpeg)
    return document.add(b"<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB "
                        b"/BitsPerComponent 8 /Filter /DCTDecode >>" % (wide, high), jpeg)


def lines(number):
    words = b"Account statement of nobody, page %d. Balance carried forward, interest, fees and charges. " % number
    text = b"".join(b"(%s%d) Tj T*\n" % (words, line) for line in range(46))
    return b"BT /F1 10 Tf 16 TL 50 790 Td\n" + text + b"ET\n"


FONT = b"/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
FULL = b"q 595 0 0 842 0 0 cm /Im0 Do Q\n"


def scans(jpeg, count=20):
    document = Document()
    tree = document.add(b"")
    pages = []
    for number in range(count):
        picture = scan(document, jpeg)
        resources = b"/XObject << /Im0 %d 0 R >> " % picture + FONT
        content, box, more = FULL, A4, b""
        if number == 1:
            more = b"/Rotate 90"
        if number == 2:
            content += b"BT 3 Tr /F1 10 Tf 50 700 Td (what the scanner read) Tj ET\n"
        pages.append(page(document, tree, content, resources, box, more))
    return finish(document, tree, pages)


def texts(count=20, catalog=b"", trailer=b"", more=b"", setup=None):
    document = Document()
    tree = document.add(b"")
    if setup:
        catalog = setup(document)
    pages = [page(document, tree, lines(number), FONT, more=more) for number in range(1, count + 1)]
    return finish(document, tree, pages, catalog, trailer)


def mixed(jpeg):
    document = Document()
    tree = document.add(b"")
    resources = b"/XObject << /Im0 %d 0 R >> " % scan(document, jpeg) + FONT
    stamp = FULL + b"1 0 0 rg 100 100 200 60 re f\n"
    pages = [page(document, tree, FULL, resources), page(document, tree, lines(2), FONT),
             page(document, tree, stamp, resources)]
    return finish(document, tree, pages)


def active(document):
    script = document.add(b"<< /S /JavaScript /JS (app.alert\\('here'\\)) >>")
    data = document.add(b"<< /Type /EmbeddedFile >>", b"a file within the file")
    names = b"/Names << /EmbeddedFiles << /Names [(a.txt) << /Type /Filespec /F (a.txt) /EF << /F %d 0 R >> >>] >> >>" % data
    return b"/OpenAction %d 0 R /AcroForm << /Fields [] >> %s" % (script, names)


def one_page(content, resources=b"", box=A4, setup=lambda document: None):
    document = Document()
    tree = document.add(b"")
    setup(document)
    return finish(document, tree, [page(document, tree, content, resources, box)])


def loop():
    document = Document()
    tree = document.add(b"<< /Type /Pages /Count 2 /Kids [1 0 R 1 0 R] >>")
    root = document.add(b"<< /Type /Catalog /Pages %d 0 R >>" % tree)
    return document.bytes(root)


def forms():
    def form(document):
        document.add(b"<< /Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X 2 0 R >> >> >>",
                     b"/X Do /X Do 0 0 100 100 re f")
    return one_page(b"/X Do\n", b"/XObject << /X 2 0 R >>", setup=form)


def slow():
    """Forms that draw the next one ten times each: 10^9 paths."""
    def layers(document):
        for number in range(2, 12):
            inner = b"/X Do " * 10 if number < 11 else b"0 0 595 842 re f "
            document.add(b"<< /Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X %d 0 R >> >> >>"
                         % (number + 1), inner)
    return one_page(b"/X Do\n", b"/XObject << /X 2 0 R >>", setup=layers)


def alone(jpeg, content, more=b""):
    """One page with the scan as /Im0."""
    def picture(document):
        scan(document, jpeg)
    return one_page(content, b"/XObject << /Im0 2 0 R >> " + more, setup=picture)


TYPE3 = (b"/Font << /F1 << /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /FirstChar 65 /LastChar 65 "
         b"/Widths [9] /Encoding << /Differences [65 /a] >> /CharProcs << >> >> >>")
TINT = b"/ColorSpace << /DefaultRGB [/CalRGB << /WhitePoint [0.9505 1 1.089] /Gamma [3 3 3] >>] >>"


def main():
    folder, jpeg = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes()
    folder.mkdir(parents=True, exist_ok=True)
    text = texts()
    broken = text.replace(b"startxref\n", b"startxref\n7")
    author = b"/Info << /Author (Nobody Else) /Title (Salaries) >>"
    files = {
        "scan.pdf": scans(jpeg), "text.pdf": text, "mixed.pdf": mixed(jpeg),
        "script.pdf": texts(1, trailer=author, setup=active), "many.pdf": texts(10000),
        "huge.pdf": one_page(lines(1), FONT, (14400, 14400)), "loop.pdf": loop(), "forms.pdf": forms(),
        "broken.pdf": broken, "cut.pdf": text[:len(text) // 2], "slow.pdf": slow(),
        "nested.pdf": alone(jpeg, b"q 1 0 0 1 0 0 cm q 595 0 0 842 0 0 cm /Im0 Do Q Q"),
        "tiny.pdf": alone(jpeg, b"q 595 0 0 842 0 0 cm Q /Im0 Do"), "tinted.pdf": alone(jpeg, FULL, TINT),
        "lettered.pdf": alone(jpeg, FULL + b"BT 3 Tr /F1 9 Tf (A) Tj ET", TYPE3),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
