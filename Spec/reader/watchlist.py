#!/usr/bin/python3
"""watchlist.py VAULT [EXPECTED]

Prints the funds of a vault with their estimates and profits, as product/portfolio.md defines them: a second
implementation, by the Spec alone. Asks for the password as qvault_reader.py does. With EXPECTED, lines of
`qvault fund --json`, it says where a figure is another one, and ends with 1.
"""

import collections
import decimal
import hashlib
import json
import re
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import qvault_reader

FUND, HOLDING, SERIES, SETTING = 64, 65, 66, 40
D = decimal.Decimal
decimal.setcontext(decimal.Context(prec=400, rounding=decimal.ROUND_HALF_EVEN))
ONE, HUNDRED = D(1), D(100)

def rounded(value, places):
    return value.quantize(D(1).scaleb(-places), decimal.ROUND_HALF_EVEN)

def divided(one, other):
    """A quotient of 12 places [2]."""
    return rounded(one / other, 12)

def day_of(seconds):
    """Days since 1970 in Shanghai."""
    return (seconds + 8 * 3600) // 86400

ZONES = {"cn": timezone(timedelta(hours=8)), "hk": timezone(timedelta(hours=8)), "us": ZoneInfo("America/New_York")}
OPENING = {"cn": (9, 15), "hk": (9, 0), "us": (4, 0)}

def session_of(seconds, market, holidays):
    """The day of the session that a price belongs to [4]."""
    time = datetime.fromtimestamp(seconds, ZONES[market])
    day = (time.date() - datetime(1970, 1, 1).date()).days - ((time.hour, time.minute) < OPENING[market])
    while (day + 3) % 7 > 4 or market == "cn" and day in holidays:
        day -= 1
    return day

# ---- What the vault holds [1, 3] ----
def series_points(item):
    """{key: [(time, values)]} of a series."""
    result = {}
    for key, points in item.items():
        time, values, result[key] = 0, [], []
        for distance, *given in points:
            time += distance
            values = [values[at] if value is None else value for at, value in enumerate(given)]
            result[key].append((time, values))
    return result

def is_copy(entry, title):
    """Whether a merge left the card beside another one (store.md, 13): its id follows from its name."""
    name = hashlib.sha256(b"quickvault/1/name\0" + bytes(16) + title.encode()).digest()
    return re.search(r" \(conflict [0-9a-f-]*\)", title) and entry.id == bytes(2) + name[:14]

def read(vault):
    funds, lots, series, holidays = {}, collections.defaultdict(list), {}, set()
    entries = [(entry, path[-1].decode()) for entry, path in vault.listing()
               if entry.kind in (FUND, HOLDING, SERIES, SETTING)]
    items = [(entry, title, qvault_reader.cbor(b"".join(vault.content(entry)))) for entry, title in entries]
    keys = {key_of(entry, item) for entry, title, item in items if not is_copy(entry, title)}
    for entry, title, item in items:
        if entry.kind == SERIES:
            series[title] = series_points(item)
        elif entry.kind == SETTING:
            if title == "fund.holidays":
                holidays = {(datetime.fromisoformat(day) - datetime(1970, 1, 1)).days for day in item["value"]}
        elif is_copy(entry, title) and key_of(entry, item) in keys:
            continue  # the copy that a merge left beside a card
        elif entry.kind == HOLDING:
            lots[item["code"]].append(traded(item["trades"]) if "trades" in item else
                                      (D(item["shares"]), D(item["shares"]) * D(item["cost"])))
        else:
            funds[item["code"]] = item
            if "shares" in item and "cost" in item:
                lots[item["code"]].append((D(item["shares"]), D(item["shares"]) * D(item["cost"])))
    return funds, lots, series, holidays

def key_of(entry, item):
    """What no two cards have in common [1]."""
    if entry.kind not in (FUND, HOLDING):
        return None
    return (entry.kind, item["code"]) + ((item.get("platform"), item.get("date")) if entry.kind == HOLDING else ())

def traded(text):
    """Shares, and their cost by the running average, whose cost of a share has 12 places [5.1]."""
    shares = cost = D(0)
    for _, kind, *numbers in map(str.split, text.split("\n")):
        first, price, fee = (*map(D, numbers), D(0), D(0))[:3]
        if kind == "buy":
            shares, cost = shares + first, cost + first * price + fee
        elif kind == "sell":
            shares, cost = shares - first, divided(cost * (shares - first), shares)
        elif kind == "reinvest":
            shares += first
    return shares, shares * divided(cost, shares) if shares else D(0)

def values_of(series, prefix, convert):
    """{key: [(time, …)]} of all series whose names begin so, sorted."""
    result = collections.defaultdict(list)
    for name in series:
        if name.startswith(prefix):
            for key, points in series[name].items():
                result[key] += [(time, *convert(values)) for time, values in points]
    return {key: sorted(points, key=lambda point: point[0]) for key, points in result.items()}

# ---- Estimates [4] ----
def limit(code):
    if len(code) != 6 or not code.isdigit():
        return None
    if code[:3] in ("300", "301", "302", "688", "689"):
        return D("0.205")
    return D("0.305") if code[0] in "48" or code[:2] == "92" else D("0.105")

def rate_on(rates, day):
    """The newest rate of a day or of the seven days before it."""
    return next((rate for time, rate in reversed(rates) if day - 7 <= day_of(time) <= day), None)

def market_of(code, fund):
    own = {6: "cn", 5: "hk"}.get(len(code)) if code.isdigit() else None
    return own or fund.get("market", "cn")

def estimate(fund, nav, quotes, rates, given, holidays):
    """(estimate, change, coverage), or None."""
    method, k = fund.get("method", "top10"), D(fund.get("coefficient", "1"))
    if method == "given":
        if not given or not nav or session_of(given[-1][0], fund.get("market", "cn"), holidays) <= nav[0]:
            return None
        return rounded(given[-1][1], 4), divided(given[-1][1], nav[1]) - 1, HUNDRED
    weights = ([(fund["benchmark"], HUNDRED)] if method == "index" and "benchmark" in fund else
               [(line.split()[0], D(line.split()[1])) for line in fund.get("stocks", "").split("\n") if line]
               if method != "index" else [])
    moves, known, newest = D(0), D(0), 0
    for code, weight in weights:
        if code in quotes and nav and session_of(quotes[code][0], market_of(code, fund), holidays) > nav[0]:
            time, price, close = quotes[code]
            move = divided(price, close) - 1
            if limit(code) is None or abs(move) <= limit(code):
                moves, known, newest = moves + weight * move, known + weight, max(newest, time)
    if not known:
        return None
    percent = (divided(moves * D(fund.get("stock_position", known)), known) if method == "scaled" else moves * k)
    factor = ONE + percent / HUNDRED
    if "qdii" in fund:
        all_rates = rates.get(fund["qdii"], [])
        now = rate_on(all_rates, max([day_of(newest)] + [day_of(time) for time, _ in all_rates[-1:]]))
        then = rate_on(all_rates, nav[0])
        if not now or not then:
            return None
        factor *= divided(now, then)
    return rounded(nav[1] * factor, 4), rounded(factor - 1, 12), known

def rows(vault):
    funds, lots, series, holidays = read(vault)
    number = lambda values: (D(values[0]),)
    navs = values_of(series, "fund.nav.", number)
    rates = values_of(series, "fund.rate.", number)
    given = values_of(series, "fund.estimate.", lambda values: (D(values[0]), values[1]))
    quotes = {code: points[-1] for code, points in values_of(
        series, "fund.quote", lambda values: (D(values[0]), D(values[1]))).items()}
    text = lambda value, places: None if value is None else f"{rounded(value, places) + 0:f}"  # zero has no sign
    for code, fund in sorted(funds.items()):
        nav = navs.get(code, [None])[-1]
        mine = [point for point in given.get(code, []) if point[2] == "given"]
        value, change, coverage = estimate(fund, nav, quotes, rates, mine, holidays) or (None, None, None)
        price = value if value is not None else nav and nav[1]
        cost = sum((cost for _, cost in lots[code]), D(0)) if lots[code] and price else None
        worth = sum((shares * price for shares, _ in lots[code]), D(0)) if cost is not None else None
        profit = worth - cost if cost is not None else None
        own = fund.get("cost") and D(fund["cost"]) or None
        share = divided(price, own) - 1 if not lots[code] and own and price else None
        gain = divided(profit, cost) if cost else share
        yield {"code": code, "estimate": text(value, 4), "change": text(change, 12), "coverage": text(coverage, 4),
               "nav": text(nav and nav[1], 4),
               "nav_date": nav and str((datetime(1970, 1, 1) + timedelta(days=nav[0])).date()),
               "cost": text(cost, 2), "value": text(worth, 2), "profit": text(profit, 2),
               "return": text(gain, 12)}

def main(path, expected=None):
    vault = qvault_reader.Vault(open(path, "rb"))
    vault.unlock(lambda: qvault_reader.password(qvault_reader.ask_password()), None)
    mine = {row["code"]: row for row in rows(vault)}
    if not expected:
        for row in mine.values():
            print(json.dumps(row, ensure_ascii=False))
        return 0
    theirs = {row["code"]: row for row in map(json.loads, open(expected))}
    wrong = [f"{code}: {key} is {theirs.get(code, {}).get(key)}, not {value}"
             for code, row in mine.items() for key, value in row.items() if theirs.get(code, {}).get(key) != value]
    print(*wrong, f"{len(mine)} funds, {len(wrong)} figures differ", sep="\n")
    return int(bool(wrong) or mine.keys() != theirs.keys())

if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        sys.exit(main(*sys.argv[1:]))
    except qvault_reader.Fault as fault:
        qvault_reader.warn(fault)
        sys.exit(qvault_reader.EXIT[qvault_reader.class_of(fault)])
