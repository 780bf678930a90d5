#!/usr/bin/python3
"""queries.py QVAULT FOLDER [QUERIES [RECORDS]]

Asks random queries of random records, and holds what `find` gives against a program that reads Spec/product/query.md in
the plainest way. The seed is printed; $SEED repeats a run. Ends with 1 if an answer differs.
"""

import calendar, datetime, decimal, json, os, random, shutil, subprocess, sys, unicodedata

qvault, folder = map(os.path.abspath, sys.argv[1:3])
queries, records = (int(sys.argv[3]) if len(sys.argv) > 3 else 1000), (int(sys.argv[4]) if len(sys.argv) > 4 else 10_000)
seed = int(os.environ.get("SEED", random.SystemRandom().randrange(2**32)))
rng = random.Random(seed)
print(f"seed {seed}")
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
environment = os.environ | {
    "TZ": "UTC", "LANG": "C.UTF-8", "HOME": folder, "XDG_STATE_HOME": f"{folder}/state", "QVAULT_FILE": "v.qvault",
    "XDG_RUNTIME_DIR": folder, "QVAULT_PASSWORD_COMMAND": "printf %s correct-horse-battery"}
TODAY = datetime.datetime.now(datetime.timezone.utc).date()
WORDS = "北京 上海 Zürich straße café ＡＢＣ Office home 招财 x-1 a.b 99 工资 Ünï 龍".split()
BANKS = ["招商银行", "中国银行", "Deutsche Bank"]
TAGS, GROUPS = ["红", "Blue", "a b", "ß"], ["家", "Work"]
CATEGORIES = {"liquid": "流动资金", "fixed": "固定资产", "debt": "负债"}


def run(*words, **options):
    return subprocess.run([qvault, *words], cwd=folder, env=environment, capture_output=True, text=True, **options)


def fold(text):
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(letter for letter in text if not unicodedata.category(letter).startswith("M"))


# Records

def day(years=6):
    return TODAY + datetime.timedelta(days=rng.randrange(-365 * years // 2, 365 * years // 2))


def record():
    kind = rng.choice(["bankcard", "login", "asset", "contact", "note"])
    updated = datetime.datetime.combine(day(4) - datetime.timedelta(days=365 * 2), datetime.time(rng.randrange(24), 30))
    card = {"kind": kind, "title": " ".join(rng.choices(WORDS, k=rng.randrange(1, 3))), "fields": {}, "own": [],
            "tags": rng.sample(TAGS, rng.choice([0, 0, 1, 2])), "pinned": rng.random() < 0.1,
            "created": "2015-01-01T00:00:00Z", "updated": updated.strftime("%Y-%m-%dT%H:%M:%SZ")}
    if rng.random() < 0.3:
        card["group"] = rng.choice(GROUPS)
    fields = card["fields"]
    if kind == "bankcard":
        fields |= {"bank": rng.choice(BANKS), "number": "6225880137706868"}
        if rng.random() < 0.7:
            fields["expiry"] = f"{rng.randrange(1, 13):02}/{rng.randrange(24, 32)}"
    elif kind == "login":
        fields |= {"username": rng.choice(WORDS)}
    elif kind == "asset":
        fields |= {"category": rng.choice(list(CATEGORIES)), "amount": rng.choice(["0", "12000", "12000.50", "99.9", "3200000"])}
        if rng.random() < 0.5:
            fields |= {"maturity": day().isoformat(), "annual_rate": rng.choice(["2.5", "3", "0.35"])}
    elif kind == "contact":
        fields |= {"name": rng.choice(WORDS)}
        if rng.random() < 0.5:
            fields["birthday"] = day(60).isoformat()
    else:
        fields |= {"text": " ".join(rng.choices(WORDS, k=3))}
        card["own"] = [{"label": "合同号", "value": f"HT-{rng.randrange(50)}"}] if rng.random() < 0.5 else []
    return card


# Queries: text, and what it says of a card

def period():
    """A day, month or year as it is written, with its first and last day."""
    start = day()
    form = rng.randrange(4)
    if form == 0:
        return f"{start.year}", start.replace(month=1, day=1), start.replace(month=12, day=31)
    if form == 1:
        last = calendar.monthrange(start.year, start.month)[1]
        return rng.choice([f"{start:%Y-%m}", f"{start.year}年{start.month}月"]), start.replace(day=1), start.replace(day=last)
    if form == 2:
        return "today", TODAY, TODAY
    return rng.choice([f"{start}", f"{start.year}/{start.month}/{start.day}"]), start, start


def compared(name, first, last, get, sign=None):
    """A comparison with all from `first` to `last`."""
    sign = sign or rng.choice([":", "=", "!=", "<", "<=", ">", ">="])
    holds = {":": lambda x: first <= x <= last, "=": lambda x: first <= x <= last, "<": lambda x: x < first,
             "<=": lambda x: x <= last, ">": lambda x: x > last, ">=": lambda x: x >= first}
    if sign == "!=":
        return sign, lambda card: not any(holds["="](x) for x in get(card))
    return sign, lambda card: any(holds[sign](x) for x in get(card))


def days_of(key):
    def get(card):
        value = card["fields"].get(key)
        if value is None:
            return []
        if key == "expiry":
            month, year = int(value[:2]), 2000 + int(value[3:])
            return [datetime.date(year, month, calendar.monthrange(year, month)[1])]
        return [datetime.date.fromisoformat(value)]
    return get


def numbers_of(key):
    return lambda card: [decimal.Decimal(card["fields"][key])] if key in card["fields"] else []


def day_condition():
    name, key = rng.choice([("expiry", "expiry"), ("有效期", "expiry"), ("maturity", "maturity"), ("到期日", "maturity"), ("birthday", "birthday")])
    get = days_of(key)
    if rng.random() < 0.2:
        span = rng.randrange(1, 900)
        other = TODAY + datetime.timedelta(days=span)
        sign, test = compared(name, other, other, get, rng.choice(["<", "<=", ">", ">="]))
        return f"{name}{sign}{span}d", test
    if rng.random() < 0.2:
        one, other = sorted([period(), period()], key=lambda item: item[1])
        return f"{name}:{one[0]}..{other[0]}", lambda card: any(one[1] <= x <= other[2] for x in get(card))
    text, first, last = period()
    sign, test = compared(name, first, last, get)
    return f"{name}{sign}{text}", test


def updated_condition():
    get = lambda card: [card["time"].date()]
    if rng.random() < 0.2:
        span = rng.randrange(1, 900)
        moment = datetime.datetime.now() - datetime.timedelta(days=span)
        if abs(moment.minute - 30) < 2:
            return updated_condition()  # records have times at half past
        sign = rng.choice("<>")
        return f"updated{sign}{span}d", (lambda card: card["time"] > moment) if sign == "<" else (lambda card: card["time"] < moment)
    text, first, last = period()
    sign, test = compared("updated", first, last, get)
    return f"{rng.choice(['updated', '更新'])}{sign}{text}", test


def number_condition():
    name, key = rng.choice([("amount", "amount"), ("金额", "amount"), ("annual_rate", "annual_rate"), ("年利率", "annual_rate")])
    text, value = rng.choice([("12000", "12000"), ("1.2万", "12000"), ("¥12,000.50", "12000.50"), ("0", "0"), ("320万元", "3200000"),
                              ("2.5%", "2.5"), ("3", "3"), ("99.90", "99.9"), ("0.35", "0.35")])
    value = decimal.Decimal(value)
    if rng.random() < 0.2:
        low = value - rng.randrange(1, 10_000)
        if low > 0:
            return f"{name}:{low}..{text}", lambda card: any(low <= x <= value for x in numbers_of(key)(card))
    sign, test = compared(name, value, value, numbers_of(key))
    return f"{name}{sign}{text}", test


def text_condition():
    name, get, values = rng.choice([
        ("tag", lambda card: card["tags"], TAGS), ("标签", lambda card: card["tags"], TAGS),
        ("group", lambda card: [card["group"]] if "group" in card else [], GROUPS),
        ("title", lambda card: [card["title"]], WORDS), ("bank", lambda card: [card["fields"].get("bank", "")], BANKS),
        ("username", lambda card: [card["fields"].get("username", "")], WORDS),
        (".合同号", lambda card: [item["value"] for item in card["own"]], ["ht-1", "HT-22", "T-3"])])
    word = fold(rng.choice(values))
    if rng.random() < 0.5:
        return f'{name}:"{word}"', lambda card: any(word in fold(x) for x in get(card))
    sign = rng.choice(["=", "!="])
    return f'{name}{sign}"{word.upper() if word.isascii() else word}"', lambda card: any(fold(x) == word for x in get(card)) == (sign == "=")


def other_condition():
    kind, names = rng.choice([("bankcard", ["bankcard", "银行卡", "信用卡", "bankc"]), ("login", ["login", "登录", "密码"]),
                              ("asset", ["asset", "资产"]), ("contact", ["contact", "名片", "conta"]), ("note", ["note", "笔记"])])
    category, chinese = rng.choice(list(CATEGORIES.items()))
    key = rng.choice(["expiry", "maturity", "birthday"])
    return rng.choice([
        (f"kind:{rng.choice(names)}", lambda card: card["kind"] == kind), ("is:pinned", lambda card: card["pinned"]),
        (f"category={rng.choice([category, chinese])}", lambda card: card["fields"].get("category") == category),
        ("has:tag", lambda card: bool(card["tags"])), ("has:group", lambda card: "group" in card),
        (f"has:{key}", lambda card: key in card["fields"]), ("kind:card", lambda card: True),
        ("kind:note|login", lambda card: card["kind"] in ("note", "login"))])


def word():
    text = fold(rng.choice(WORDS))
    text = text[rng.randrange(len(text)):] or text

    def holds(card):
        values = [card["title"], *card["tags"], *card["fields"].values(), *(item["value"] for item in card["own"])]
        return any(text in fold(value) for value in values)
    return f'"{text}"', holds


def query(depth=3):
    if depth == 0 or rng.random() < 0.4:
        return rng.choice([day_condition, updated_condition, number_condition, text_condition, other_condition, word])()
    form = rng.randrange(3)
    if form == 0:
        text, test = query(depth - 1)
        return rng.choice([f"not ({text})", f"-({text})", f"非 （{text}）"]), lambda card: not test(card)
    (a, one), (b, other) = query(depth - 1), query(depth - 1)
    if form == 1:
        return f"({a}) {rng.choice(['', 'and ', '且 '])}({b})", lambda card: one(card) and other(card)
    return f"(({a}) {rng.choice(['or', '或', '|'])} ({b}))", lambda card: one(card) or other(card)


cards = [record() for _ in range(records)]
with open(f"{folder}/cards.jsonl", "w", encoding="utf-8") as file:
    file.write('{"format":"quickvault-export","version":1}\n')
    for card in cards:
        file.write(json.dumps({key: value for key, value in card.items() if value or key == "title"}, ensure_ascii=False) + "\n")
assert run("create", "v.qvault").returncode == 0
outcome = run("import", "cards.jsonl")
assert outcome.returncode == 0, outcome.stderr
assert run("unlock").returncode == 0
listed = [json.loads(line) for line in run("export", "-o", "-").stdout.splitlines()[1:]]
assert len(listed) == records, (len(listed), records)
for card in listed:
    card |= {"time": datetime.datetime.strptime(card["updated"], "%Y-%m-%dT%H:%M:%SZ"), "tags": card.get("tags", []),
             "own": card.get("own", []), "fields": card.get("fields", {}), "pinned": card.get("pinned", False)}

wrong = found = 0
for _ in range(queries):
    text, test = query()
    expected = [card for card in listed if test(card)]
    outcome = run("find", "--json", "--", text)
    got = [json.loads(line)["id"] for line in outcome.stdout.splitlines()]
    found += len(got)
    if outcome.returncode not in (0, 10) or sorted(got) != sorted(card["id"] for card in expected):
        wrong += 1
        print(f"differs: {text}: {len(got)} for {len(expected)}; {outcome.stderr.strip()[:200]}")
    elif '"' not in text and got != [card["id"] for card in sorted(
            expected, key=lambda card: (not card["pinned"], -card["time"].timestamp(), card["id"]))]:
        wrong += 1
        print(f"in another order: {text}")
run("lock")
print(f"{queries} queries over {records} records, {found} answers: {wrong} wrong")
sys.exit(wrong > 0)
