"""What a copy has to look like: the cases of seen.py, the picture in them, and the comparison.

A case is a document with the drawings that are right for it. The picture is 240 by 160 pixels: cells of 16 pixels that are seen,
and a field of cells of 8 pixels that is hidden. Both are random, so that nothing is alike by chance.
"""

from dataclasses import dataclass, field

import numpy as np

WIDTH, HEIGHT = 240, 160
FIELD = (slice(32, 128), slice(96, 224))
BLOCK = 8


@dataclass
class Case:
    """A document that is marked. `right` has the drawings that are right; none of them: it has to be refused."""
    kind: str
    name: str
    ending: str
    data: bytes
    right: list
    hidden: list = field(default_factory=list)
    ordinary: bool = False
    loose: bool = False
    check: object = None


def cells(random, side, low=0, high=256, shape=(HEIGHT, WIDTH), channels=3):
    """Random cells of one colour each."""
    rows, columns = -(-shape[0] // side), -(-shape[1] // side)
    small = random.integers(low, high, (rows, columns, channels))
    return np.kron(small, np.ones((side, side, 1), int))[:shape[0], :shape[1]].astype(np.uint8)


def seen_cells(random):
    """The cells that are seen. Their contrast is middling, so that ink moves them either way."""
    return cells(random, 16, 40, 216)


def hidden_cells(random):
    """The cells that are hidden. Each is black or white in each colour."""
    return (cells(random, BLOCK, 0, 2) * 255).astype(np.uint8)


def over(colours, alpha):
    """Colours over white."""
    alpha = alpha[..., None] if alpha.ndim == 2 else alpha
    return np.clip(colours * alpha + 255.0 * (1 - alpha), 0, 255)


def blocks(picture, side=BLOCK):
    """The means of blocks. What is left at the right and the lower edge does not count."""
    high, wide = picture.shape[0] // side * side, picture.shape[1] // side * side
    return picture[:high, :wide].reshape(high // side, side, wide // side, side, -1).mean((1, 3))


def alike(first, second):
    """The correlation of two pictures."""
    first, second = first - first.mean(), second - second.mean()
    size = np.sqrt((first ** 2).sum() * (second ** 2).sum())
    return float((first * second).sum() / size) if size > 1e-9 else 0.0


def difference(picture, right, loose=False, most=30):
    """What differs from one right drawing, in words, or None. A block may be off by `most` levels: edges of what is drawn blur."""
    if picture.shape != right.shape:
        return f"has {picture.shape[1]} by {picture.shape[0]} pixels, not {right.shape[1]} by {right.shape[0]}"
    same = alike(blocks(picture), blocks(right))
    if np.std(blocks(right)) > 20 and same < (0.9 if loose else 0.97):
        return f"is another picture: correlation {same:.2f}"
    apart = np.abs(blocks(picture) - blocks(right))
    if not loose and (apart.mean() > most / 5 or apart.max() > most):
        return f"differs by {apart.mean():.0f} levels, {apart.max():.0f} in one place"
    return None


def leak(picture, right, hidden):
    """What is seen of a hidden field, in words, or None. The cells of the field lie on blocks. A right drawing may show them."""
    where, pattern = hidden
    if np.abs(pattern[where] - right[where]).mean() < 4:
        return None
    rest = blocks(picture[where] - right[where])
    pattern = blocks(pattern[where].astype(float))
    same = alike(rest - rest.mean((0, 1)), pattern - pattern.mean((0, 1)))
    levels = np.abs(rest - rest.mean((0, 1))).mean()
    return f"shows what is hidden: correlation {same:.2f}, {levels:.0f} levels" if abs(same) > 0.35 and levels > 0.5 else None


def judge(picture, case):
    """What is wrong with a copy, in words, or None. It has to be like one of the right drawings."""
    if not case.right:
        return "was marked"
    found = []
    for right in case.right:
        right = right.astype(float)
        words = difference(picture, right, case.loose)
        if picture.shape == right.shape:
            words = next(filter(None, (leak(picture, right, hidden) for hidden in case.hidden)), words)
        if words is None:
            return None
        found.append(words)
    return found[0]
