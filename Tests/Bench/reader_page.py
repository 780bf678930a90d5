#!/usr/bin/python3
"""The pocket reader in Chromium, beside its goals: reader_page.py QVAULT FOLDER

A vault of 1 GiB of files that do not shrink, and one of 10,000 cards. Times are medians of five; of opening, the time beyond
the derivation of the key, which a vault with nothing in it takes too."""

import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Scripts"))
from browser import Browser  # noqa: E402

PASSWORD = "correct-horse-battery"
ROUNDS = 5


def renderer_bytes():
    """Resident bytes of the largest renderer of this machine's browsers, its shared libraries left out."""
    sizes = [0]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"--type=renderer" not in (process / "cmdline").read_bytes():
                continue
            status = (process / "status").read_text()
        except OSError:
            continue
        sizes.append(int(status.split("RssAnon:")[1].split()[0]) * 1024)
    return max(sizes)


def opened(browser, page, vault):
    """Seconds from the press on the button to the list."""
    browser.driver.get(page)
    browser.one("#choose").send_keys(str(vault))
    browser.one("input[type=password]").send_keys(PASSWORD)
    button = browser.one("button.main")
    return browser.driver.execute_async_script("""
        const [button, done] = [arguments[0], arguments[1]];
        const began = performance.now();
        button.click();
        const look = () => document.querySelector('nav button')
          ? requestAnimationFrame(() => done((performance.now() - began) / 1000)) : requestAnimationFrame(look);
        look();
        """, button)


def main():
    program, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "big").mkdir(parents=True)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "LANG": "C.UTF-8",
                   "QVAULT_PASSWORD_COMMAND": f"printf %s {PASSWORD}", "Q": str(program)}
    for number in range(64):
        with open(folder / f"big/{number}.bin", "wb") as file:
            file.write(os.urandom(1 << 24))
    (folder / "cards.csv").write_text("title,username,password\n" + "".join(
        f"card {number} 张三,user{number},secret{number}\n" for number in range(10_000)))
    subprocess.run(["sh", "-ec", """
        $Q create none.qvault -q; $Q create big.qvault -q; $Q put big -f big.qvault -q; rm -r big
        $Q create cards.qvault -q; $Q import cards.csv -f cards.qvault -q; $Q reader -o reader.html
        """], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    page = (folder / "reader.html").as_uri()
    with Browser() as browser:
        browser.driver.set_script_timeout(120)
        times = {name: statistics.median(opened(browser, page, folder / f"{name}.qvault") for _ in range(ROUNDS))
                 for name in ("none", "big", "cards")}
        size = (folder / "big.qvault").stat().st_size
        print(f"a vault of {size / (1 << 30):.2f} GiB opens in {times['big'] - times['none']:.2f} s beyond the key derivation"
              f" (goal 1.5; {times['none']:.2f} s of derivation)")
        print(f"10,000 cards open in {times['cards'] - times['none']:.2f} s beyond it")
        search = browser.one("#search")
        began = time.monotonic()
        search.send_keys("card 9999")
        browser.wait(lambda: [one.text.split("\n")[0] for one in browser.all(".row")] == ["card 9999 张三"], "one card")
        print(f"a search among them as one types: {(time.monotonic() - began) / 9:.3f} s a key, the driver included")
    with Browser() as browser:
        browser.driver.set_script_timeout(120)
        browser.driver.get(page)
        browser.one("#choose")
        before = renderer_bytes()
        opened(browser, page, folder / "big.qvault")
        print(f"memory of the page with it: {(renderer_bytes() - before) / (1 << 20):.0f} MiB more than without (goal 60)")
        browser.driver.get(page)
        browser.one("#choose").send_keys(str(folder / "big.qvault"))
        browser.one("input[type=password]")
        most = before
        began = time.monotonic()
        browser.press("Without a key")
        while not browser.all("#verdict"):
            most = max(most, renderer_bytes())
            time.sleep(0.1)
        seconds = time.monotonic() - began
        print(f"verified without a key: {size / 1e9 / seconds:.2f} GB/s (goal 0.4), {(most - before) / (1 << 20):.0f} MiB more")
        print(f"the page: {(folder / 'reader.html').stat().st_size:,} bytes (goal 150,000)")


main()
