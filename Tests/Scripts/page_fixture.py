"""What the tests of pages share: a vault with everything, and a look at a page for what nobody can read or use."""

import shutil
import subprocess

PASSWORD = "correct-horse-battery"
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
