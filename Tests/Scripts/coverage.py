#!/usr/bin/python3
"""Sums the regions that tests reach by module, from what llvm-cov exports; ends with 1 where a module above the store is
below LEAST. usage: coverage.py COVERAGE.json"""

import json
import re
import sys

ABOVE = ["Values", "Cards", "Pictures", "Exchange", "Portfolio", "Watermark", "QuickVault", "qvault"]
LEAST = 90


def main():
    files = {}
    for part in json.load(open(sys.argv[1]))["data"]:
        for file in part["files"]:
            if place := re.search(r"/Sources/(\w+)/(.*)", file["filename"]):
                files[place.group(1), place.group(2)] = file["summary"]["regions"]
    low = False
    for module in ABOVE:
        mine = {name: regions for (owner, name), regions in files.items() if owner == module}
        count, covered = (sum(regions[key] for regions in mine.values()) for key in ("count", "covered"))
        share = 100 * covered / max(1, count)
        low |= share < LEAST
        print(f"{module:13} {share:5.1f} %  {covered:,} of {count:,} regions in {len(mine)} files")
        worst = sorted(mine.items(), key=lambda item: item[1]["covered"] - item[1]["count"])[:5]
        missed = [f"{name} {regions['count'] - regions['covered']}" for name, regions in worst]
        print(f"              most missed: {', '.join(missed)}")
    return 1 if low else 0


sys.exit(main())
