#!/usr/bin/python3
"""Tries the pocket reader in a real browser: reader_browser.py QVAULT FOLDER [--pictures FOLDER]

All test vectors, by the modules as they stand. Then the page as the command writes it, opened from a file: each way to open a
vault, each of its parts in both languages, narrow and wide, light and dark, with names for every control and enough contrast;
content that would like to run; no network; nothing left when it is closed."""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from browser import Browser, serve  # noqa: E402
from page_fixture import CONTRAST, LOOK, PASSWORD, Fixture, expect  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PARTS = 7


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


def open_vault(browser, fixture, name="v.qvault", password=PASSWORD):
    browser.driver.get(fixture.page())
    browser.one("#choose").send_keys(str(fixture.folder / name))
    browser.one("input[type=password]").send_keys(password)
    # Another language takes nothing away that was typed.
    for _ in range(2):
        browser.driver.find_elements("css selector", "button[lang]")[0].click()
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
