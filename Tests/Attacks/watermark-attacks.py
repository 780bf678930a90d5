#!/usr/bin/python3
"""Measures how much of a mark is left after attempts to remove it: watermark-attacks.py QVAULT FOLDER
[LAYOUT]. Prints tables.

Left of the mark: with d = marked - original and e = result - original (lightness), the slope sum(d e) / sum(d d) over all
pixels; 100 % is all of it, 0 nothing. In strokes, and beside them: PSNR against the original, in dB.
Needs python3-pil, python3-numpy and fonts-wqy-microhei."""

import hashlib
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

SCRIPTS = Path(__file__).resolve().parents[1] / "Scripts"
sys.path.insert(0, str(SCRIPTS))
import dense_layout  # noqa: E402

QVAULT, FOLDER, LAYOUT = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]), (sys.argv[3:] or ["clear"])[0]
RECIPIENTS = ["招商银行", "建设银行", "房屋中介", "电信公司", "快递公司"]


def light(image):
    return np.asarray(image.convert("L"), dtype=np.float64)


def psnr(error):
    return 10 * np.log10(255 ** 2 / max(1e-9, (error ** 2).mean()))


def mark(source, target, recipient=RECIPIENTS[0], *options):
    subprocess.run([QVAULT, "watermark", "file", str(source), "--recipient", recipient, "--purpose", "开户", "--no-trace", "-q", "--force", f"--{LAYOUT}",
                    "-o", str(target), *options], check=True)
    return Image.open(target).convert("RGB")


def recoded(image, quality):
    buffer = BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return Image.open(buffer)


def diffused(values, mask, rounds=400):
    """Pixels under the mask from those around it, as heat spreads."""
    values = values.copy()
    values[mask] = values[~mask].mean()
    for _ in range(rounds):
        around = (np.roll(values, 1, 0) + np.roll(values, -1, 0) + np.roll(values, 1, 1) + np.roll(values, -1, 1)) / 4
        values[mask] = around[mask]
    return values


def divided(values, ink):
    """The picture beneath black ink of this opacity."""
    return np.clip(values / np.maximum(0.1, 1 - ink), 0, 255)


def roughness(values):
    return np.abs(np.diff(values, axis=0)).sum() + np.abs(np.diff(values, axis=1)).sum()


def layout_of(source, size):
    seed = (Path(os.environ["XDG_STATE_HOME"]) / "quickvault" / "watermark-seed").read_bytes()
    original = hashlib.sha256(source.read_bytes()).digest()[:16]
    return dense_layout.Layout(dense_layout.mac(seed, b"quickvault/1/lattice\0" + original), *size, LAYOUT)


def strips_of(layout, recipient):
    scale, small = (2 if size < 24 else 1 for size in (layout.em, layout.small))
    day = subprocess.run(["date", "+%F"], capture_output=True, text=True, check=True).stdout.strip()
    lines = [[("仅供", False), (recipient + "开户", True), ("使用，他用无效", False)], [(day, True)]]
    rows = [dense_layout.strip([*lines[0], ("   ", False), *lines[1]], layout.em * scale, bar=layout.bar)]
    longest = max((0.97 if layout.is_whole else 0.8) * layout.width / max(0.2, np.cos(np.radians(layout.angle))), 12 * layout.em)
    if rows[0][1] > longest * scale:
        rows = [dense_layout.strip(line, layout.em * scale, bar=layout.bar) for line in lines]
    if layout.between == "text":
        return rows, [dense_layout.strip([(dense_layout.SMALL_TEXT[True], False)], layout.small * small, gap=0.4)]
    return rows, [dense_layout.line(layout.em, small)]


def blind(marked, layout, strips, ems):
    """Knows the text, the font, the layout, and even where each row stands; not the warp and not the opacity. In tiles of
    some ems, the shift and the opacity that leave the smoothest picture."""
    cover = [layout.cover(*args) for args in cover_arguments(layout, strips)]
    values = light(marked)
    result, step, reach = values.copy(), int(ems * layout.em), int(np.ceil(0.12 * layout.em))
    for top in range(0, layout.height, step):
        for left in range(0, layout.width, step):
            here = np.s_[top:top + step, left:left + step]
            best = roughness(values[here]), values[here]
            for dy in range(-reach, reach + 1, 2):
                for dx in range(-reach, reach + 1, 2):
                    moved = [np.roll(one, (dy, dx), (0, 1))[here] for one in cover]
                    for opacity in (0.7 * layout.opacity, layout.opacity, 1.3 * layout.opacity):
                        ink = 1 - (1 - opacity * moved[0]) * (1 - opacity * layout.small_part * moved[1])
                        tried = divided(values[here], ink)
                        rough = roughness(tried)
                        if rough < best[0]:
                            best = rough, tried
            result[here] = best[1]
    return result


def cover_arguments(layout, strips, warp=0):
    row_u, row_v, small_u, small_v, _ = layout.places(warp)
    scale, small = (2 if size < 24 else 1 for size in (layout.em, layout.small))
    yield strips[0], scale, layout.pitch, 0, row_u, row_v
    yield strips[1], small, layout.small_pitch, 1, small_u, small_v


def perfect(marked, base, layout, strips, is_local):
    """Knows the coverage of each pixel exactly; finds the opacity of all of it, or of each place, that leaves the smoothest
    picture. What it cannot know is how opacity changes within a letter."""
    rows, small = (layout.cover(*args) for args in cover_arguments(layout, strips, 1))
    values = light(marked)

    def best(here, choices):
        tried = []
        for opacity in choices:
            ink = 1 - (1 - opacity * rows[here]) * (1 - opacity * layout.small_part * small[here])
            tried.append(divided(values[here], ink))
        return min(tried, key=roughness)

    if not is_local:
        return best(np.s_[:, :], np.arange(0.06, 0.6, 0.02))
    result, step = values.copy(), max(8, int(layout.em / 2))
    for top in range(0, layout.height, step):
        for left in range(0, layout.width, step):
            here = np.s_[top:top + step, left:left + step]
            result[here] = best(here, np.arange(0, 0.8, 0.04))
    return result


def largest_empty(touched):
    """The area of the largest rectangle without a stroke, as a share of the picture; on a grid of 4 pixels."""
    down, across = (length // 4 for length in touched.shape)
    cells = touched[: down * 4, : across * 4].reshape(down, 4, across, 4).any(axis=(1, 3))
    heights, best = np.zeros(across + 1, int), 0
    for row in cells:
        heights[:across] = np.where(row, 0, heights[:across] + 1)
        stack = []
        for x, height in enumerate(heights):
            start = x
            while stack and stack[-1][1] >= height:
                start, high = stack.pop()
                best = max(best, high * (x - start))
            stack.append((start, height))
    return best * 16 / touched.size


def coverage(base, values, unit):
    """What of a card is touched: each digit of the number, the name, the head."""
    touched = np.abs(values - base) > 8
    font = ImageFont.truetype(dense_layout.FONT, int(58 * unit))
    number, left, top = "000000 20000101 0000", 480 * unit, touched.shape[0] - 158 * unit
    digits = []
    for place, digit in enumerate(number):
        if digit != " ":
            start = left + font.getlength(number[:place])
            digits.append(touched[int(top):int(top + 70 * unit), int(start):int(start + font.getlength(digit))].any())
    name = touched[int(104 * unit):int(174 * unit), int(270 * unit):int(450 * unit)]
    head = touched[int(230 * unit):int(410 * unit), int(1200 * unit):int(1360 * unit)]
    return np.mean(digits), name.mean(), head.mean(), largest_empty(touched), touched.mean()


def bilevel(source):
    """A page of text of one bit a pixel, marked, and thresholded at each level, as it is and smoothed: the best that comes out."""
    page = Image.new("1", (1240, 1754), 1)
    draw, font = ImageDraw.Draw(page), ImageFont.truetype(dense_layout.FONT, 30)
    for row in range(36):
        draw.text((80, 60 + 46 * row), f"{row:02d} 账户 6222 0000 0000 {1000 + row}  余额 {row * 731 % 9000}.00", font=font, fill=0)
    page.save(source)
    base = np.asarray(page)
    marked = mark(source, FOLDER / "bilevel-marked.png").convert("L")
    changed = np.abs(np.asarray(marked) - 255.0 * base) > 60
    wrong = []
    for radius in (0, 1, 1.5, 2):
        values = np.asarray(marked.filter(ImageFilter.GaussianBlur(radius)))
        white, black = values[changed & base], values[changed & ~base]
        wrong += [((white <= level).mean() + (black > level).mean()) / 2 for level in range(20, 250, 5)]
    return min(wrong), changed.mean()


def luminance(image):
    """Of each pixel (IEC 61966-2-1), 0 to 1."""
    values = np.asarray(image.convert("RGB"), dtype=np.float64) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]


def contrasts(name):
    """Of blocks of 8 by 8 pixels with a letter of the sentence, the shares in which its pixels stand out by 1.4:1 and 1.25:1."""
    source = FOLDER / "documents" / f"{name}.jpg"
    marked, original = mark(source, FOLDER / f"contrast-{name}.jpg"), Image.open(source)
    layout = layout_of(source, original.size)
    rows = layout.cover(*next(cover_arguments(layout, strips_of(layout, RECIPIENTS[0]), 1))) > 0.5
    change = np.abs(np.log(luminance(marked) + 0.05) - np.log(luminance(original) + 0.05)) * rows
    high, wide = (side // 8 * 8 for side in rows.shape)

    def sums(values):
        return values[:high, :wide].reshape(high // 8, 8, wide // 8, 8).sum((1, 3))
    counts = sums(rows)
    ratios = np.exp(sums(change)[counts > 5] / counts[counts > 5])
    return (ratios >= 1.4).mean(), (ratios >= 1.25).mean()


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    os.environ["XDG_STATE_HOME"] = str(FOLDER.resolve() / "state")
    source = FOLDER / "card.jpg"
    subprocess.run([sys.executable, str(SCRIPTS / "id-card.py"), str(source)], check=True)
    base = light(Image.open(source))
    made = [mark(source, FOLDER / f"copy-{i}.jpg", name) for i, name in enumerate(RECIPIENTS)]
    marked, lights = made[0], [light(copy) for copy in made]
    size = marked.size
    layout = layout_of(source, size)
    strips = strips_of(layout, RECIPIENTS[0])
    change = light(marked) - base
    strokes = np.abs(change) > 8
    attempts = {
        "none": light(marked),
        "JPEG, quality 30": light(recoded(marked, 30)),
        "half size and back": light(marked.resize((size[0] // 2, size[1] // 2), Image.LANCZOS).resize(size, Image.LANCZOS)),
        "blur, 2 pixels": light(marked.filter(ImageFilter.GaussianBlur(2))),
        "median, 5 by 5": light(marked.filter(ImageFilter.MedianFilter(5))),
        "median, 9 by 9": light(marked.filter(ImageFilter.MedianFilter(9))),
        "two copies averaged": sum(lights[:2]) / 2,
        "five copies averaged": sum(lights) / 5,
        "two copies, the lighter of each pixel": np.maximum(*lights[:2]),
        "five copies, the lighter of each pixel": np.maximum.reduce(lights),
        "five copies, the median of each pixel": np.median(lights, axis=0),
        "levels: lighter than ink on paper made white": np.where(light(marked) > 120, 245, light(marked)),
        "divided by the Spec's layout without the seed, sentence by sentence": blind(marked, layout, strips, 9),
        "the same in tiles of 2 ems": blind(marked, layout, strips, 2),
        "each stroke known, one opacity": perfect(marked, base, layout, strips, False),
        "each stroke known, opacity place by place": perfect(marked, base, layout, strips, True),
        "each stroke known, filled in from around it": diffused(light(marked), strokes),
    }
    print("| attempt | left of the mark | in strokes | beside them |\n|---|---|---|---|")
    for name, result in attempts.items():
        left = (change * (result - base)).sum() / (change * change).sum()
        error = result - base
        print(f"| {name} | {100 * left:.0f} % | {psnr(error[strokes]):.1f} dB | {psnr(error[~strokes]):.0f} dB |")
        Image.fromarray(np.clip(result, 0, 255).astype(np.uint8)).save(FOLDER / f"{len(name)}-{name.split(',')[0]}.png")
    digits, name, head, empty, all_of_it = coverage(base, light(marked), size[0] / 1600)
    print(f"\ndigits touched {100 * digits:.0f} %, of the name {100 * name:.0f} % of the pixels, of the head {100 * head:.0f} %, "
          f"of all {100 * all_of_it:.0f} %; the largest empty rectangle {100 * empty:.2f} %")
    subprocess.run([sys.executable, str(SCRIPTS / "documents.py"), str(FOLDER / "documents")], check=True)
    for name in ("card", "table", "statement", "illustrated"):
        strong, fair = contrasts(name)
        print(f"{name}: {100 * strong:.0f} % of the blocks with a letter of the sentence stand out by 1.4:1, {100 * fair:.0f} % by 1.25:1")
    wrong, share = bilevel(FOLDER / "bilevel.png")
    print(f"one bit a pixel: {100 * share:.0f} % of the pixels changed by more than 60 of 255; "
          f"the best threshold gets {100 * wrong:.0f} % of those wrong (black and white ones counting alike; 50 % is chance)")


if __name__ == "__main__":
    main()
