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

EXACT, PREFIX, CONTAINS, PINYIN, TYPO = range(5)


@functools.cache
def fold(text):
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(letter for letter in text if not unicodedata.category(letter).startswith("M"))


def plain(word):
    return re.sub("([zcs])h", r"\1", word)


# What is left of them where `zh` is `z`.
PLAIN = {character: {plain(syllable) for syllable in readings} for character, readings in READINGS.items()}


def spells(word, text, readings):
    """Whether the word spells the beginning of the text."""
    if not word:
        return True
    if not text:
        return False
    for syllable in readings.get(text[0], ()):
        if syllable.startswith(word):
            return True
        ways = {syllable, syllable[0]} | ({syllable[:2]} if syllable[:2] in ("zh", "ch", "sh") else set())
        if any(word.startswith(way) and spells(word[len(way):], text[1:], readings) for way in ways):
            return True
    return False


def is_typo(word, other):
    """Whether one edit makes a word of another."""
    if abs(len(word) - len(other)) > 1 or word == other:
        return False
    edits = set()
    for i in range(len(word) + 1):
        edits.add(word[:i] + word[i + 1:])
        if i + 1 < len(word):
            edits.add(word[:i] + word[i + 1] + word[i] + word[i + 2:])
        for letter in set(other):
            edits |= {word[:i] + letter + word[i:], word[:i] + letter + word[i + 1:]}
    return other in edits


@functools.cache
def level(word, text):
    if text == word:
        return EXACT
    if text.startswith(word):
        return PREFIX
    if word in text:
        return CONTAINS
    if re.fullmatch("[a-z]+", word):
        if any(spells(word, text[i:], READINGS) for i in range(len(text))):
            return PINYIN
        if len(word) >= 4 and any(is_typo(word, part) for part in re.split(r"[\x00-/:-`{-\x7f]+", text) if part):
            return TYPO
        if len(word) >= 4 and any(spells(plain(word), text[i:], PLAIN) for i in range(len(text))):
            return TYPO
    return None


def answer(words, texts):
    worst = None
    for word in words:
        found = [(near, place) for place, text in texts if (near := level(word, text)) is not None]
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
