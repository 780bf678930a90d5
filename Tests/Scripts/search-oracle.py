#!/usr/bin/python3
"""Finds cards as Spec/product/records.md, 5 says, in the plainest way: what SearchTests compares with.

usage: search-oracle.py CARDS QUERIES     (a JSON object a line; a query a line)

Prints a line for each query: the number of each card that answers, with its level and place. The readings of characters
come from the Unihan database itself, not from the table that the product has.
"""

import functools, importlib.util, json, re, sys, unicodedata
from pathlib import Path

spec = importlib.util.spec_from_file_location("table", Path(__file__).resolve().parents[1] / "Checks/pinyin-table.py")
table = importlib.util.module_from_spec(spec)
spec.loader.exec_module(table)

READINGS = {}
for syllable, characters in table.syllables().items():
    for character in characters:
        READINGS.setdefault(character, set()).add(syllable)

EXACT, PREFIX, CONTAINS, PINYIN, INITIALS, TYPO = range(6)


@functools.cache
def fold(text):
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(letter for letter in text if not unicodedata.category(letter).startswith("M"))


def plain(word):
    return re.sub("([zcs])h", r"\1", word)


# What is left of them where `zh` is `z`.
PLAIN = {character: {plain(syllable) for syllable in readings} for character, readings in READINGS.items()}


def spells(word, text, readings, is_spelled=False):
    """Whether the word spells the beginning of the text, and in it a character at least."""
    if not word:
        return is_spelled
    if not text:
        return False
    if text[0] < "\x80":
        return text[0] == word[0] and spells(word[1:], text[1:], readings, is_spelled)
    for syllable in readings.get(text[0], ()):
        if syllable.startswith(word):
            return True
        ways = {syllable, syllable[0]} | ({syllable[:2]} if syllable[:2] in ("zh", "ch", "sh") else set())
        if any(word.startswith(way) and spells(word[len(way):], text[1:], readings, True) for way in ways):
            return True
    return False


def is_typo(word, other):
    """Whether one edit makes a word of another; of eight letters or more two edits."""
    word, other, most = word.encode(), other.encode(), 1 if len(word) < 8 else 2
    if abs(len(word) - len(other)) > most:
        return False
    rows = {(-1, j): j + 1 for j in range(-1, len(other))} | {(i, -1): i + 1 for i in range(len(word))}
    for i in range(len(word)):
        for j in range(len(other)):
            rows[i, j] = min(rows[i - 1, j - 1] + (word[i] != other[j]), rows[i - 1, j] + 1, rows[i, j - 1] + 1)
            if i and j and word[i] == other[j - 1] and word[i - 1] == other[j]:
                rows[i, j] = min(rows[i, j], rows[i - 2, j - 2] + 1)
    return rows[len(word) - 1, len(other) - 1] <= most


def has_initials(letters, words):
    """Whether letters are the first ones of words, two at least, some with another consonant of the word behind it."""
    def go_on(letters, words, count):
        if not letters:
            return count > 1
        if not words or words[0][0] != letters[0]:
            return False
        more = len(letters) > 1 and letters[1] not in "aeiou" and letters[1] in words[0][1:]
        return go_on(letters[1:], words[1:], count + 1) or more and go_on(letters[2:], words[1:], count + 1)
    return 2 <= len(letters) <= 6 and any(go_on(letters, words[i:], 0) for i in range(len(words)))


@functools.cache
def level(word, text, is_title):
    if text == word:
        return EXACT
    if text.startswith(word):
        return PREFIX
    if word in text:
        return CONTAINS
    parts = [part for part in re.split(r"[\x00-/:-`{-\x7f]+", text) if part]
    if re.fullmatch("[a-z0-9]*[a-z][a-z0-9]*", word):
        if any(spells(word, text[i:], READINGS) for i in range(len(text))):
            return PINYIN
    if re.fullmatch("[a-z]+", word):
        if is_title and has_initials(word, parts):
            return INITIALS
        if len(word) >= 4 and any(is_typo(word, part) for part in parts):
            return TYPO
        if len(word) >= 4 and any(spells(plain(word), text[i:], PLAIN) for i in range(len(text))):
            return TYPO
    return None


def answer(words, texts):
    worst = None
    for word in words:
        found = [(near, place) for place, text in texts if (near := level(word, text, place == 0)) is not None]
        if not found:
            return None
        worst = max(worst, min(found)) if worst else min(found)
    return worst


def main(cards, queries):
    texts = []
    for line in open(cards, encoding="utf-8"):
        card = json.loads(line)
        texts.append([(0, fold(card["title"]))] + [(1, fold(tag)) for tag in card["tags"]]
                     + [(2, fold(value)) for value in card["values"]])
    for query in open(queries, encoding="utf-8").read().split("\n")[:-1]:
        found = [(i, answer(fold(query).split(), text)) for i, text in enumerate(texts)]
        print(" ".join(f"{i}:{rank[0]}{rank[1]}" for i, rank in found if rank))


main(*sys.argv[1:])
