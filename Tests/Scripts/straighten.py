#!/usr/bin/python3
"""Prints how many cards in made photos 'attach straighten' finds: straighten.py QVAULT FOLDER."""

import math
import os
import shutil
import subprocess
import sys

import card_photos

# Photos with one card, with none, and with two; the first seed of each.
KINDS = [(1, 60, 5000), (0, 24, 2000), (2, 16, 3000)]


def found(command, folder, photo, quality, environment):
    """The corners that the command finds; nothing where it refuses."""
    photo.save(f"{folder}/photo.jpg", quality=quality)
    vault = ["-f", f"{folder}/v.qvault"]
    run = lambda *words: subprocess.run([command, *words], env=environment, capture_output=True, text=True)
    assert run("attach", "add", *vault, "card", f"{folder}/photo.jpg").returncode == 0
    outcome = run("attach", "straighten", "-n", *vault, "photo.jpg")
    assert outcome.returncode in (0, 11), outcome.stderr
    if outcome.returncode:
        return []
    numbers = [float(number) for number in outcome.stdout.split()[1].split(",")]
    return list(zip(numbers[::2], numbers[1::2]))


def main():
    command, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    environment = dict(os.environ, HOME=folder, XDG_DATA_HOME=folder, XDG_STATE_HOME=folder, XDG_CONFIG_HOME=folder,
                       QVAULT_PASSWORD_COMMAND="printf %s correct-horse-battery")
    for words in (["create", f"{folder}/v.qvault"], ["card", "add", "-f", f"{folder}/v.qvault", "idcard", "--title", "card", "name=张三", "number=11010519491231002X"]):
        subprocess.run([command, *words], env=environment, check=True, capture_output=True)
    for cards, count, first in KINDS:
        right = wrong = refused = 0
        for seed in range(first, first + count):
            photo, corners, quality = card_photos.photo(seed, cards=cards)
            places = found(command, folder, photo, quality, environment)
            if not places:
                refused += 1
            elif cards == 1 and max(map(math.dist, places, corners[0])) < 0.01 * math.dist(*corners[0][:2]):
                right += 1
            else:
                wrong += 1
        print(f"photos with {cards} cards: {count}; corners right within 1 % of the width: {right}, wrong: {wrong}, refused: {refused}", flush=True)


if __name__ == "__main__":
    main()
