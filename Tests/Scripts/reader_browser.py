#!/usr/bin/python3
"""Tries the pocket reader in a real browser: reader_browser.py QVAULT FOLDER [--pictures FOLDER]

All test vectors, by the modules as they stand. Then the page as the command writes it, opened from a file: each way to open a
vault, each of its parts in both languages, narrow and wide, light and dark, with names for every control and enough contrast;
content that would like to run; no network; nothing left when it is closed."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from browser import Browser, serve  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "correct-horse-battery"
PARTS = 7
# The least contrast of text (WCAG 2.2, 1.4.3).
CONTRAST = 4.5

# Controls without a name, texts without contrast, and what is wider than the page.
LOOK = """
const faults = [];
const name = (e) => e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && [...e.labels].map((l) => l.textContent).join('').trim());
for (const e of document.querySelectorAll('button, input, textarea, a, svg[role=img]')) {
  if (e.getClientRects().length > 0 && !name(e)) faults.push(`no name: ${e.outerHTML.slice(0, 120)}`);
}
for (const e of document.querySelectorAll('img')) if (!e.alt) faults.push('a picture without words');
const parse = (c) => { const n = c.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0) return c; }
  return matchMedia('(prefers-color-scheme: dark)').matches ? [0, 0, 0, 1] : [255, 255, 255, 1]; };
for (const e of document.querySelectorAll('body *')) {
  const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (!own || e.getClientRects().length === 0 || e.closest('noscript, script, style, .hidden') || e.disabled) continue;
  const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < arguments[0]) faults.push(`contrast ${ratio.toFixed(2)}: ${e.textContent.slice(0, 60)}`);
}
if (document.documentElement.scrollWidth > innerWidth) faults.push(`wider than the page: ${document.documentElement.scrollWidth}`);
return faults;
"""


def fail(text):
    raise AssertionError(text)


def expect(holds, text):
    if not holds:
        fail(text)


# ---- All vectors ----

def vectors():
    server = serve(ROOT)
    names = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "TestVectors").rglob("*.vector"))
    with Browser() as browser:
        browser.driver.set_script_timeout(600)
        browser.driver.get(f"http://127.0.0.1:{server.server_port}/TestVectors/")
        found = browser.driver.execute_async_script("""
            const [names, done] = [arguments[0], arguments[1]];
            import(location.origin + '/Spec/reader/web/vector-outcomes.js').then(async ({ differences }) => {
              const lines = [];
              for (const name of names) lines.push(...await differences(await (await fetch('/' + name)).text(), name));
              done(lines);
            }).catch((error) => done([String(error.stack)]));
            """, names)
    for line in found:
        print(line)
    print(f"{len(names) - len({line.split(':')[0] for line in found})} of {len(names)} vectors agree in Chromium")
    expect(not found and len(names) > 900, "the vectors")


# ---- A vault with everything ----

class Fixture:
    """Vaults that a page opens, in a folder."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "LANG": "C.UTF-8",
            "QVAULT_PASSWORD_COMMAND": f"printf %s {PASSWORD}", "QVAULT_FILE": str(folder / "v.qvault"), "Q": str(program)}

    def run(self, script):
        made = subprocess.run(["sh", "-ec", script], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        expect(made.returncode == 0, made.stderr)
        return made.stdout

    def make(self):
        from PIL import Image
        Image.new("RGB", (900, 560), (220, 235, 250)).save(self.folder / "front.jpg")
        Image.new("RGB", (900, 560), (250, 235, 220)).save(self.folder / "back.png")
        evil = self.folder / "src/deep"
        evil.mkdir(parents=True)
        (evil / "evil.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(3)'><script>alert(4)</script></svg>")
        (evil / "evil.html").write_text("<script>alert(5)</script><img src=x onerror=alert(6)>")
        # A page that says that it is a picture.
        (evil / "evil.png").write_bytes(b"\x89PNG\r\n\x1a\n<script>alert(7)</script>")
        (evil / "x.pdf").write_bytes(b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF")
        (evil / "a.txt").write_text("hello, 世界\n")
        (evil / "long.bin").write_bytes(bytes(range(256)) * 12000)
        prices = "".join(f"P 2026-{month:02}-{day:02} 110011 {2 + month / 10 + day / 1000:.4f} CNY\n"
                         for month in range(1, 11) for day in range(1, 28, 3))
        (self.folder / "prices").write_text(prices + "P 2026-10-28 USD 7.10 CNY\n")
        self.run("""
            $Q create v.qvault --recovery-key-out key.txt -q
            $Q card add idcard --title 张三 name=张三 number=11010519491231002X valid_until=2030-01-01 --tag 家人 -q
            $Q card add login --title GitHub username=li password=s3cret-pw totp=JBSWY3DPEHPK3PXP -q
            $Q card add address --title 家 name=张三 phone=13800138000 province=浙江省 city=杭州市 district=西湖区 address=文三路1号 --group 家 -q
            $Q card add note --title '<img src=x onerror=alert(1)>' text='<script>alert(2)</script>' -q
            $Q attach add 张三 front.jpg -q; $Q attach add 张三 back.png -q
            $Q share 张三/front.jpg --recipient '<b>招商银行' --purpose 开户 -o copy.jpg -q
            $Q put src -q
            $Q asset add 活期 category=liquid amount=86000 -q; $Q asset add 房子 category=fixed amount=2300000.50 -q
            $Q asset add 房贷 category=debt amount=980000 -q; $Q asset add 美元 category=liquid amount=1000 currency=USD -q
            $Q asset add 日元 category=liquid amount=90000 currency=JPY -q
            $Q policy add 重疾 type=critical_illness insurer=平安 insured_person=张三 annual_premium=5000 -q
            $Q card add fund --title 易方达 code=110011 shares=1000 cost=2.31 -q; $Q holding add 110011 platform=支付宝 shares=500.5 cost=2.4 -q
            $Q fund import prices -q; $Q card edit 易方达 notes="$(head -c 70000 /dev/zero | tr '\\0' a)" -q; $Q snapshot -q
            $Q config set app.theme dark -q; printf s3cret-setting | $Q config set app.token --type secret -q
            $Q card edit 家 phone=13900139000 -q; $Q card edit 家 phone=13700137000 -q
            $Q asset add 存款 category=liquid amount=1000 -q; cp v.qvault twin.qvault
            $Q card edit 存款 amount=3000 -q; XDG_STATE_HOME=$PWD/elsewhere $Q card edit -f twin.qvault 存款 amount=5000 -q
            $Q merge twin.qvault -q || test $? = 1
            $Q key audit -o audit.key -q
            cp v.qvault damaged.qvault; cp v.qvault other.qvault
            $Q create argon.qvault --kdf argon2id:memory=64MiB,passes=3,lanes=1 -q
            head -c 4096 /dev/urandom > usb.key; $Q create keyfile.qvault --new-keyfile usb.key -q
            $Q card add note -f keyfile.qvault --keyfile usb.key --title 'with a keyfile' text=x -q
            $Q key identity -o me.id -q; recipient=$($Q key identity me.id)
            cp v.qvault identity.qvault; XDG_STATE_HOME=$PWD/third $Q key add -f identity.qvault --recipient "$recipient" -q
            """)
        damaged = bytearray((self.folder / "damaged.qvault").read_bytes())
        damaged[200_000] ^= 1
        (self.folder / "damaged.qvault").write_bytes(damaged)
        self.run("$Q reader -o reader.html")

    def page(self):
        return (self.folder / "reader.html").as_uri()


def open_vault(browser, fixture, name="v.qvault", password=PASSWORD):
    browser.driver.get(fixture.page())
    browser.one("#choose").send_keys(str(fixture.folder / name))
    browser.one("input[type=password]").send_keys(password)
    browser.one("button.main").click()


def opened(browser, fixture, **given):
    open_vault(browser, fixture, **given)
    browser.wait(lambda: browser.all("nav button"), "an open vault")


def row(browser, title):
    browser.press(title, within=".row")


def to_part(browser, place):
    browser.all("nav button")[place].click()


def shows(browser, text):
    browser.wait(lambda: text in browser.text(), repr(text))


# ---- The ways to open a vault ----

def openings(fixture):
    with Browser() as browser:
        open_vault(browser, fixture, password="wrong")
        shows(browser, "is not one of this vault")
        browser.one("input[type=password]").clear()
        browser.one("input[type=password]").send_keys(PASSWORD)
        browser.one("button.main").click()
        shows(browser, "GitHub")
        browser.driver.get(fixture.page())
        browser.one("#choose").send_keys(str(fixture.folder / "key.txt"))
        shows(browser, "This file is no vault")
        key = [line for line in (fixture.folder / "key.txt").read_text().splitlines() if line[:2] in ("1 ", "2 ", "3 ", "4 ")]
        for typed in ("\n".join(key), " ".join(line[2:] for line in key), " ".join(key)):
            browser.driver.get(fixture.page())
            browser.one("#choose").send_keys(str(fixture.folder / "v.qvault"))
            browser.press("Recovery key")
            browser.one("textarea").send_keys(typed.replace("\n", "\ue007"))
            browser.one("button.main").click()
            shows(browser, "GitHub")
        # A keyfile beside the password, and an identity.
        browser.driver.get(fixture.page())
        browser.one("#choose").send_keys(str(fixture.folder / "keyfile.qvault"))
        browser.one("input[type=password]").send_keys(PASSWORD)
        browser.one("form input[type=file]").send_keys(str(fixture.folder / "usb.key"))
        browser.one("button.main").click()
        shows(browser, "with a keyfile")
        browser.driver.get(fixture.page())
        browser.one("#choose").send_keys(str(fixture.folder / "identity.qvault"))
        browser.press("Identity")
        browser.one("form input[type=file]").send_keys(str(fixture.folder / "me.id"))
        browser.one("button.main").click()
        shows(browser, "GitHub")
        began = time.monotonic()
        opened(browser, fixture, name="argon.qvault")
        print(f"Argon2id of 64 MiB, three passes: {time.monotonic() - began:.2f} s, the page's start included")
        expect(not browser.complaints(), browser.complaints())


# ---- Each part, in each look ----

def looks(fixture, pictures):
    for language, width, is_dark in (("en", 1280, False), ("zh", 1280, True), ("zh", 360, False), ("en", 360, True)):
        with Browser(language, is_dark, width) as browser:
            def look(name):
                faults = browser.driver.execute_script(LOOK, CONTRAST)
                expect(not faults, f"{name}, {language}, {width}: {faults}")
                if pictures:
                    browser.picture(pictures / f"reader-{name}-{language}-{width}{'-dark' if is_dark else ''}.png")
            browser.driver.get(fixture.page())
            browser.one("#choose")
            look("start")
            browser.one("#choose").send_keys(str(fixture.folder / "v.qvault"))
            browser.one("input[type=password]")
            look("unlock")
            opened(browser, fixture)
            for place in range(PARTS):
                to_part(browser, place)
                time.sleep(0.5)
                look(f"part{place}")
            to_part(browser, 0)
            row(browser, "张三")
            browser.wait(lambda: len(browser.all("figure img")) == 2, "two pictures")
            look("card")
            expect(not browser.complaints(), browser.complaints())


# ---- What it shows ----

def contents(fixture):
    with Browser(downloads=fixture.folder / "downloads") as browser:
        opened(browser, fixture)
        row(browser, "张三")
        shows(browser, "valid until")
        expect("11010519491231002X" not in browser.text(), "a hidden value is shown")
        browser.press("show")
        shows(browser, "11010519491231002X")
        shows(browser, "<b>招商银行")
        # One-time codes are those of the command.
        browser.one("input[type=search]").send_keys("github")
        row(browser, "GitHub")
        code = browser.wait(lambda: [one.text for one in browser.all(".code") if one.text.isdigit()], "a code")[0]
        now = [fixture.run("$Q otp GitHub --stdout").strip() for _ in range(2)]
        later = browser.one(".code").text
        expect(code in now or later in now, f"the code {code} is none of {now}")
        # By pinyin, by a value, by two words.
        for query, title in (("zs", "张三"), ("zhang", "张三"), ("13700137000", "家"), ("文三路 浙江", "家")):
            search = browser.one("input[type=search]")
            search.clear()
            search.send_keys(query)
            browser.wait(lambda: [one.text.split("\n")[0] for one in browser.all(".row")][:1] == [title], f"{query}: {title}")
        # Files: content as text, and byte by byte as a download.
        to_part(browser, 1)
        row(browser, "src/")
        row(browser, "deep/")
        row(browser, "a.txt")
        browser.press("preview")
        shows(browser, "hello, 世界")
        # A search goes through all folders as one types, and a folder among the hits opens.
        browser.one("#search").send_keys("deep")
        row(browser, "deep/")
        expect(browser.one("#search").get_attribute("value") == "", "the search is over")
        row(browser, "long.bin")
        browser.press("download")
        got = fixture.folder / "downloads/long.bin"
        wanted = (fixture.folder / "src/deep/long.bin").read_bytes()
        browser.wait(lambda: got.exists() and got.read_bytes() == wanted, "the download")
        # Sums are those of the command, to the last digit.
        to_part(browser, 3)
        wanted = json.loads(fixture.run("$Q asset summary --json").splitlines()[0])
        shows(browser, "Net worth")
        for amount in (wanted[key] for key in ("liquid", "fixed", "investment", "total_assets", "total_debts", "net")):
            whole, places = amount.split(".")
            shows(browser, f"{int(whole):,}.{places}")
        shows(browser, "90,000.00 JPY")
        shows(browser, "copies that a merge left, not counted: 存款 (conflict")
        to_part(browser, 2)
        row(browser, "易方达")
        browser.one("svg.chart")
        # Any save.
        to_part(browser, 5)
        browser.press("Look at it")
        time.sleep(0.3)
        shows(browser, "as it was after save")
        browser.press("Back to the newest")
        # A version is the same from whichever save one comes.
        for save in (None, "Look at it"):
            if save:
                to_part(browser, 5)
                browser.press(save)
                shows(browser, "as it was after save")
                to_part(browser, 0)
            row(browser, "家")
            browser.press("Versions (3)" if save is None else browser.wait(
                lambda: [b.text for b in browser.all("button") if b.text.startswith("Versions")], "versions")[0])
            browser.wait(lambda: len([b for b in browser.all(".detail button") if b.text == "Look at it"]) == 3, "three versions")
            for place, phone in ((0, "13700137000"), (1, "13900139000"), (2, "13800138000")):
                [b for b in browser.all(".detail button") if b.text == "Look at it"][place].click()
                browser.wait(lambda: phone in browser.all(".detail dl")[-1].text, phone)
        expect(not browser.complaints(), browser.complaints())


# ---- Verifying ----

def checks(fixture):
    with Browser() as browser:
        for name, verdict in (("v.qvault", "ok"), ("damaged.qvault", "damaged")):
            browser.driver.get(fixture.page())
            browser.one("#choose").send_keys(str(fixture.folder / name))
            browser.press("Without a key")
            browser.wait(lambda: browser.all("#verdict") and browser.all("#verdict")[0].text == verdict, verdict)
            expect(len(browser.all(".map .hit")) == (verdict != "ok"), "the map of damage")
            [one for one in browser.all("input[type=file]") if "hidden" in one.get_attribute("class")][-1].send_keys(
                str(fixture.folder / "audit.key"))
            browser.wait(lambda: browser.all("#verdict") and browser.all("#verdict")[0].text == verdict, verdict)
        opened(browser, fixture)
        to_part(browser, 6)
        browser.press("With the key")
        browser.wait(lambda: browser.all("#verdict") and browser.all("#verdict")[0].text == "ok", "ok")
        words = json.loads(fixture.run("$Q info --json").splitlines()[0])["fingerprint_words"]
        shows(browser, words)
        browser.one("#words").send_keys(words.replace("-", " "))
        shows(browser, "These are the words of save")
        expect(not browser.complaints(), browser.complaints())


# ---- What would like to run, or to leave ----

def attacks(fixture):
    server = serve(fixture.folder)
    with Browser(idle_milliseconds=2500) as browser:
        opened(browser, fixture)
        row(browser, "<img src=x onerror=alert(1)>")
        shows(browser, "<script>alert(2)</script>")
        to_part(browser, 1)
        row(browser, "src/")
        row(browser, "deep/")
        for name in ("evil.svg", "evil.html", "evil.png"):
            row(browser, name)
            browser.press("preview")
            time.sleep(0.4)
            expect(not browser.has_dialog(), f"{name} ran")
        expect(not browser.all("main svg, main script, main iframe"), "a content became a part of the page")
        # The page's own scripts could reach no network either.
        address = f"http://127.0.0.1:{server.server_port}/v.qvault"
        refused = browser.driver.execute_async_script("""
            const [address, done] = [arguments[0], arguments[1]];
            const tries = [fetch(address), new Promise((yes, no) => { const i = new Image(); i.onload = yes; i.onerror = no; i.src = address; }),
              new Promise((yes, no) => { const s = new WebSocket(address.replace('http', 'ws')); s.onopen = yes; s.onerror = no; }),
              new Promise((yes, no) => { const s = document.createElement('script'); s.onload = yes; s.onerror = no; s.src = address; document.body.append(s); }),
              new Promise((yes, no) => { const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s); window.ran ? yes() : no(); }),
              new Promise((yes, no) => { const f = document.createElement('iframe'); f.src = address; f.onload = () => { try { f.contentDocument ? no() : no(); } catch { no(); } }; document.body.append(f); setTimeout(no, 500); })];
            Promise.allSettled(tries).then((all) => done(all.map(({ status }) => status)));
            """, address)
        expect(set(refused) == {"rejected"} and not server.asked, f"{refused}, {server.asked}")
        stored = browser.driver.execute_script("try { return [localStorage.length, sessionStorage.length, document.cookie]; } catch (e) { return [0, 0, '']; }")
        expect(stored == [0, 0, ""], f"the page stored {stored}")
        # A PDF stands in the page, and goes with it.
        to_part(browser, 1)
        row(browser, "x.pdf")
        browser.press("preview")
        browser.one("main iframe")
        expect(browser.driver.execute_script("return document.querySelector('iframe').contentDocument") is None, "a PDF is no part of the page")
        # It is closed when nobody uses it, and shows nothing then.
        opened(browser, fixture)
        shows(browser, "GitHub")
        shows(browser, "closed after five minutes without use")
        expect("GitHub" not in browser.driver.page_source.split("<script")[0], "something was left")
        opened(browser, fixture)
        browser.press("Lock")
        shows(browser, "Locked")
        expect("GitHub" not in browser.driver.page_source.split("<script")[0], "something was left")


def main():
    program, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    pictures = Path(sys.argv[sys.argv.index("--pictures") + 1]) if "--pictures" in sys.argv else None
    fixture = Fixture(program, folder)
    fixture.make()
    for job in (vectors, lambda: openings(fixture), lambda: looks(fixture, pictures), lambda: contents(fixture),
                lambda: checks(fixture), lambda: attacks(fixture)):
        job()
    print("the pocket reader holds in Chromium")
    return 0


sys.exit(main())
