#!/usr/bin/python3
"""Attacks the window's server as another program or another page of this machine would: window.py QVAULT FOLDER

Requests of other origins, with other names, without the cookie, with used addresses; calls that the page has no right to; bodies
that are too long, broken, slow, endless; 10,000 requests; a vault that goes, comes, is replaced and rotated; other writers; the end
of the server. Nothing of the vault may come out, nothing may change that was not asked for, and the server has to live."""

import http.client
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Scripts"))
from page_fixture import PASSWORD, Fixture, expect  # noqa: E402

# Bytes that the server may take, with all that it was sent.
MEMORY = 64 << 20


class Window:
    """A server, and a browser that has entered it."""

    def __init__(self, fixture, vault="v.qvault"):
        self.fixture = fixture
        self.process = subprocess.Popen([fixture.program, "open", "--no-browser", "--json", "-f", vault], cwd=fixture.folder,
                                        env=fixture.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = json.loads(self.process.stdout.readline())
        self.address = line["address"]
        self.port = int(re.search(r":(\d+)/", self.address)[1])
        self.token = self.address.split("#")[1]
        self.key = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        expect(self.process.wait(timeout=30) == 0, "the server ends with 0")
        self.process.stdout.close()
        self.process.stderr.close()

    def ask(self, method, path, body=None, headers=None, own=True):
        """A status, headers and a body; `own` adds what the page sends."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {"Host": f"127.0.0.1:{self.port}"}
        if own:
            given |= {"X-Window": self.key or "", "Origin": f"http://127.0.0.1:{self.port}", "Sec-Fetch-Site": "same-origin"}
        given |= headers or {}
        try:
            connection.request(method, path, body, {name: value for name, value in given.items() if value is not None})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def enter(self):
        status, headers, body = self.ask("POST", "/enter", headers={"X-Window": self.token}, own=False)
        expect(status == 200 and "Set-Cookie" not in headers, "the address opens once, and no browser keeps it for others")
        self.key = json.loads(body)["key"]
        return self

    def unlock(self, password=PASSWORD):
        return json.loads(self.ask("POST", "/unlock?kind=password", password.encode())[2])

    def run(self, *words, query=""):
        return self.ask("POST", f"/run?lang=en{query}", "".join(f"{word}\0" for word in words).encode())

    def upload(self, content):
        return json.loads(self.ask("POST", "/file", content)[2])["file"]

    def memory(self):
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())[1]) << 10


def refused(answer, status=403, about=""):
    expect(answer[0] == status, f"{about} {answer[0]} instead of {status}: {answer[2][:200]!r}")
    for secret in (b"GitHub", b"s3cret", b"13800138000", PASSWORD.encode()):
        expect(secret not in answer[2], "nothing of the vault is in a refusal")


def strangers(fixture):
    """Everybody but the browser that has entered."""
    with Window(fixture) as window:
        for token in ("0" * 64, "", window.token[:-1], window.token + "0"):
            refused(window.ask("POST", "/enter", own=False, headers={"X-Window": token}))
        refused(window.ask("POST", "/enter", own=False, headers={"X-Window": window.token, "Sec-Fetch-Site": "cross-site"}))
        refused(window.ask("POST", "/enter", own=False, headers={"X-Window": window.token, "Host": "evil.example"}))
        refused(window.ask("POST", "/enter", own=False, headers={"X-Window": window.token, "Origin": "http://127.0.0.1:1"}))
        window.enter()
        refused(window.ask("POST", "/enter", own=False, headers={"X-Window": window.token}))
        # The page itself says nothing of the vault.
        status, headers, page = window.ask("GET", "/", own=False)
        expect(status == 200 and window.key.encode() not in page and b"v.qvault" not in page and "Set-Cookie" not in headers, "the page has no secret")
        # Names that lead here: a rebound name, another name of this machine, another port's page.
        for host in ("evil.example", f"evil.example:{window.port}", f"localhost:{window.port}", "127.0.0.1", "", None):
            refused(window.ask("GET", "/state", headers={"Host": host}) if host is not None else raw_without_host(window),
                    400 if host is None else 403)
        for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"https://127.0.0.1:{window.port}", "file://"):
            for method, path in (("POST", "/run"), ("POST", "/lock"), ("GET", "/state"), ("GET", "/vault"), ("POST", "/goodbye"), ("GET", "/")):
                refused(window.ask(method, path, headers={"Origin": origin}))
        for site in ("cross-site", "same-site"):
            refused(window.ask("GET", "/state", headers={"Sec-Fetch-Site": site}))
            refused(window.ask("GET", "/", headers={"Sec-Fetch-Site": site}))
        # Without the key nothing is answered, whatever a browser of this person sends.
        paths = ("/state", "/folders?path=/", "/vault?offset=0&length=9&file=1", "/changes", "/api/health")
        for key in ("", "1", "0" * 64, window.token, window.key + "0", window.key[:-1], window.key.upper() + " "):
            for path in paths:
                refused(window.ask("GET", path, headers={"X-Window": key}))
            for path in ("/run", "/file", "/lock", "/use", "/unlock", "/create", "/goodbye"):
                refused(window.ask("POST", path, b"undo\0", headers={"X-Window": key}))
        refused(window.ask("GET", "/state", headers={"X-Window": None, "Cookie": f"key={window.key}"}))
        # No way to ask a browser for more than a page of one's own may have.
        refused(window.ask("OPTIONS", "/run", headers={"Origin": "http://evil.example", "Access-Control-Request-Headers": "x-window"}))
        for method in ("OPTIONS", "PUT", "DELETE", "TRACE", "HEAD", "CONNECT"):
            refused(window.ask(method, "/state"), 404)
        status, headers, _ = window.ask("GET", "/state")
        expect(status == 200, "the page itself is answered")
        for name, value in (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
                            ("Cross-Origin-Resource-Policy", "same-origin"), ("Referrer-Policy", "no-referrer")):
            expect(headers.get(name) == value, name)
        expect(not any(name.lower().startswith("access-control") for name in headers), "no other origin may read")
        status, headers, page = window.ask("GET", "/")
        expect(status == 200 and "frame-ancestors 'none'" in headers["Content-Security-Policy"], "the page is in no frame")
        expect(b"default-src 'none'" in page and b"unsafe-inline" not in page, "the page runs its own script alone")


def another_user(fixture):
    """Another user of the machine is not answered, whatever he knows, by IPv4 or IPv6; root and the person are."""
    if os.geteuid() != 0:
        print("another_user: needs root to be somebody else")
        return
    with Window(fixture) as window:
        script = """
import os, socket, sys
os.setgid(65534); os.setuid(65534)
answers = []
for family, host in ((socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::ffff:127.0.0.1')):
    try:
        connection = socket.socket(family, socket.SOCK_STREAM)
        connection.settimeout(5)
        connection.connect((host, int(sys.argv[1])))
        connection.sendall(b'POST /enter HTTP/1.1\\r\\nHost: 127.0.0.1:' + sys.argv[1].encode() + b'\\r\\nX-Window: ' + sys.argv[2].encode() + b'\\r\\nContent-Length: 0\\r\\n\\r\\n')
        answers.append(connection.recv(100))
    except OSError as error:
        answers.append(b'')
print(answers)
"""
        said = subprocess.run([sys.executable, "-c", script, str(window.port), window.token], capture_output=True, text=True, cwd="/")
        expect(said.stdout == "[b'', b'']\n", f"another user was answered: {said.stdout}{said.stderr}")
        window.enter()
        expect(window.ask("GET", "/state")[0] == 200, "the person is answered, and the token was not used up")


def raw_without_host(window):
    with socket.create_connection(("127.0.0.1", window.port)) as connection:
        connection.sendall(b"GET /state HTTP/1.1\r\nX-Window: %s\r\nConnection: close\r\n\r\n" % window.key.encode())
        text = connection.makefile("rb").read()
    return int(text.split()[1]), {}, text


def locked(fixture):
    """Before the page has given the secret nothing is run, also where this person has unlocked the vault in a terminal."""
    fixture.run("$Q unlock || true")
    with Window(fixture).enter() as window:
        refused(window.run("card", "kinds", "--json", "--"), 409)
        refused(window.ask("GET", "/api/dashboard/summary"), 409)
        wrong = window.unlock("wrong")
        expect(wrong["exit"] == 3, f"a wrong password: {wrong}")
        refused(window.run("undo", "--"), 409)
        refused(window.ask("GET", "/folders?path=/"), 409)
        expect(window.unlock()["exit"] == 0, "the right one")
        expect(json.loads(window.run("key", "list", "--json", "--")[2])["exit"] == 0, "and then it is run")
        window.ask("POST", "/lock")
        refused(window.run("key", "list", "--json", "--"), 409)
        # A lock that comes while the vault is being opened wins.
        for delay in (0, 0.005, 0.02, 0.05):
            opening = threading.Thread(target=window.unlock)
            opening.start()
            time.sleep(delay)
            window.ask("POST", "/lock")
            opening.join()
            window.ask("POST", "/lock")
            expect(json.loads(window.ask("GET", "/state")[2])["is_unlocked"] is False, "locked")
        expect(json.loads(window.ask("GET", "/state")[2])["is_unlocked"] is False, "locked")
    fixture.run("$Q lock")


def rights(fixture):
    """The page may do what it has buttons for, and nothing that runs programs, reads files or takes the vault away."""
    with Window(fixture).enter() as window:
        window.unlock()
        evil = [
            ["destroy", "--yes", "--"], ["purge", "--", "GitHub"], ["config", "put", "--", "x", "/etc/passwd"],
            ["card", "rm", "--purge", "--", "GitHub"], ["undo", "--password-command=id >/tmp/x", "--"], ["key", "list", "-f", "/etc/passwd", "--"],
            ["key", "list", "--vault=other.qvault", "--"], ["backup", "--output=/etc/x", "--"], ["share", "--output=/tmp/x", "--", "front.jpg"],
            ["fund", "update", "--feed=id", "--"], ["export", "--"], ["get", "--", "GitHub"], ["cat", "--", "a.txt"], ["card", "show", "--reveal", "--", "GitHub"],
            ["", "--"], ["--help"], [], ["--", "destroy"], ["card", "--", "add"], ["open", "--"], ["key", "list", "--json", "--json=1", "--"],
            ["restore", "--", "other.qvault"], ["restore", "--drill=no", "--", "other.qvault"], ["share", "--preview", "--", "front.jpg"], ["rm", "--recursive", "--", "src"],
            ["attach", "show", "--viewer=id", "--", "front.jpg"], ["month", "--to=/tmp", "--yes", "--"], ["key", "recovery", "--"], ["rekey", "password", "--"], ["backup", "--to=/tmp", "--keep=1", "--yes", "--"],
        ]
        for words in evil:
            refused(window.run(*words), about=words)
        # Operands are operands, whatever they look like.
        answer = json.loads(window.run("card", "rm", "--", "--purge")[2])
        expect(answer["exit"] == 10, f"an operand that looks like an option: {answer}")
        # Files of this machine are no operands that the page may give: only what it has sent.
        for words in (["put", "--as=stolen", "--", "/etc/passwd"], ["attach", "add", "--", "GitHub", "/etc/passwd"],
                      ["trace", "--json", "--", "/etc/passwd"], ["verify-copy", "--json", "--", "/etc/passwd"],
                      ["put", "--as=stolen", "--", "/dev/fd/3"], ["fund", "import", "--json", "--", "/etc/passwd"], ["put", "--as=stolen", "--", "/dev/fd/../../etc/passwd"],
                      ["diff", "--at=1", "--json", "--", "other.qvault"], ["trace", "--json", "--", "-"], ["verify-copy", "--json", "--", "-"]):
            refused(window.run(*words), about=words)
        # A setting of the program, which may name a command, is none of the vault.
        answer = json.loads(window.run("config", "set", "--type=text", "--", "feed.quotes", "id")[2])
        expect(answer["exit"] == 2, f"a setting of the program: {answer}")
        for query in ("&files=99", "&files=x", "&files=1,1", "&files=,", "&secret=7"):
            status = window.run("key", "list", "--json", "--", query=query)[0]
            expect(status in (200, 404), f"{query}: {status}")
        # Another vault is nothing that the page compares with, and standard input is a file to those alone that read it.
        vault = (fixture.folder / "v.qvault").read_bytes()
        for words in (["diff", "--json", "--", "/dev/fd/4"], ["trace", "--json", "--", "-"], ["attach", "add", "--", "GitHub", "-"]):
            refused(window.run(*words, query=f"&files={window.upload(vault)}&input={window.upload(vault)}"), about=words)
        # No input is no value.
        answer = json.loads(window.run("config", "set", "--type=text", "--", "test.none")[2])
        expect(answer["exit"] == 2, f"a setting without a value: {answer}")
        number = window.upload(b"hello")
        answer = json.loads(window.run("put", "--as=from the page.txt", "--", "-", query=f"&input={number}")[2])
        expect(answer["exit"] == 0, f"what it sent: {answer}")
        expect(fixture.run("$Q cat 'from the page.txt'") == "hello", "is stored as it was sent")
        refused(window.run("put", "--as=again", "--", "-", query=f"&input={number}"), 404)
        refused(window.run("put", "--as=nothing", "--", "-"))
        # Nobody sees words of the page among the arguments of a program.
        seen = []
        stop = threading.Event()

        def look():
            while not stop.is_set():
                for path in Path("/proc").glob("[0-9]*/cmdline"):
                    try:
                        seen.append(path.read_bytes())
                    except OSError:
                        pass
        watcher = threading.Thread(target=look)
        watcher.start()
        for place in range(20):
            window.run("card", "edit", "--", "GitHub", f"password=unseen-{place}")
        stop.set()
        watcher.join()
        expect(not any(b"unseen-" in line for line in seen), "the words of a call are in no command line")
        expect(any(b"--arguments-fd" in line for line in seen), "and the look was at the right programs")


def folders(fixture):
    """Folders are listed by name, whatever they are called, and nothing else is: no file, no content, no name that is no text."""
    place = fixture.folder / "folders"
    names = ["a b", "二", "<img src=x onerror=alert(1)>", "\"quoted\"", "\\", "%41", "é", "x" * 255]
    for name in [*names, ".hidden", "new\nline", "closed", "many"]:
        (place / name).mkdir(parents=True)
    os.mkdir(os.fsencode(place) + b"/no\xfftext")
    (place / "file.txt").write_text("content")
    (place / "loop").symlink_to("loop")
    (place / "link").symlink_to("a b")
    os.mkfifo(place / "pipe")
    for number in range(2500):
        (place / "many" / f"{number:04}").mkdir()

    with Window(fixture).enter() as window:
        window.unlock()

        def listed(path):
            status, _, body = window.ask("GET", "/folders?path=" + quote(path, safe=""))
            expect(status == 200, f"{path!r}: {status}")
            return json.loads(body)
        answer = listed(str(place))
        expect(answer["folders"] == sorted([*names, "closed", "many", "link"], key=str) and answer["left_out"] == 0 and not answer["is_another"],
               answer["folders"])
        expect(answer["path"] == str(place) and answer["above"] == str(place.parent) and answer["is_writable"], answer)
        for name in names:
            expect(listed(f"{place}/{name}") | {"places": 0} == {
                "path": f"{place}/{name}", "above": str(place), "folders": [], "left_out": 0, "is_writable": True, "is_another": False, "places": 0,
            }, name)
        expect(listed(f"{place}/link")["path"] == f"{place}/a b", "a link is another path")
        many = listed(f"{place}/many")
        expect(len(many["folders"]) == 2000 and many["left_out"] == 500, "a long list")
        for path in (f"{place}/file.txt", f"{place}/away/and/more", f"{place}/loop", f"{place}/pipe", f"{place}/{'y' * 300}"):
            other = listed(path)
            expect(other["path"] == str(place) and other["is_another"], f"{path!r}: {other['path']}")
        for path in ("", "relative", "../..", "~"):
            expect(listed(path)["path"] == fixture.environment["HOME"], f"{path!r} is the home folder")
        expect(listed("/" + "x/" * 4000)["path"] == "/" and listed("/" + "." * 5000)["is_another"], "long paths")
        expect(listed("/")["above"] is None and listed(f"{place}/../folders/./many")["path"] == f"{place}/many", "dots")
        for query in ("", "?path", "?path=", "?path=%ff%fe", "?path=%2", "?path=/a%00b"):
            expect(window.ask("GET", "/folders" + query)[0] in (200, 400, 404), query)


def bodies(fixture):
    with Window(fixture).enter() as window:
        window.unlock()
        refused(window.ask("POST", "/run", headers={"Content-Length": str(10 << 30)}), 413)
        refused(window.ask("POST", "/file", headers={"Content-Length": str(10 << 30)}), 413)
        refused(window.ask("POST", "/unlock", headers={"Content-Length": "18446744073709551615"}), 413)
        # An endless body in chunks ends, and what it took is given back.
        with socket.create_connection(("127.0.0.1", window.port)) as connection:
            head = (f"POST /run HTTP/1.1\r\nHost: 127.0.0.1:{window.port}\r\nX-Window: {window.key}\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n")
            connection.sendall(head.encode())
            chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
            sent = 0
            try:
                while sent < 1 << 28:
                    connection.sendall(chunk)
                    sent += 65536
            except OSError:
                pass
            expect(sent < 1 << 26, f"an endless call was read for {sent} bytes")
        for broken in (b"zz\r\nx\r\n", b"-1\r\n", b"ffffffffffffffffff\r\n", b"3\r\nabcdef\r\n0\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", window.port)) as connection:
                connection.sendall(head.encode() + broken)
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(40)
                expect(not connection.recv(4096).startswith(b"HTTP/1.1 200"), "a broken chunk is no call")
        # Words by the thousand, files by the hundred, files that are asked for and not there.
        began = time.monotonic()
        refused(window.ask("POST", "/run", b"key\0list\0--\0" + b"\0" * 4_000_000))
        expect(time.monotonic() - began < 3 and window.memory() < MEMORY, f"many words: {time.monotonic() - began:.1f} s, {window.memory() >> 20} MiB")
        numbers = [window.ask("POST", "/file", b"x") for _ in range(40)]
        expect([answer[0] for answer in numbers].count(200) == 24 and numbers[-1][0] == 503, "files at once")
        window.ask("POST", "/lock")
        window.unlock()
        files = len(os.listdir(f"/proc/{window.process.pid}/fd"))
        for _ in range(5):
            number = window.upload(b"x" * 1000)
            refused(window.run("key", "list", "--json", "--", query=f"&files={number}&input=777"), 404)
        # Connections that are just ending have some too.
        time.sleep(0.5)
        now = len(os.listdir(f"/proc/{window.process.pid}/fd"))
        expect(now <= files + 2, f"descriptors are given back: {files}, then {now}")
        # A file that breaks off is none.
        before = window.upload(b"x")
        with socket.create_connection(("127.0.0.1", window.port)) as connection:
            connection.sendall(head.replace("/run", "/file").replace("Transfer-Encoding: chunked", "Content-Length: 1000000").encode() + b"half")
        time.sleep(0.3)
        expect(window.upload(b"y") == before + 1, "half a file is not kept")
        # As much as there is room for, and then it is said.
        piece = b"\0" * (200 << 20)
        statuses = [window.ask("POST", "/file", piece)[0] for _ in range(5)]
        expect(statuses == [200] * 5, f"room for files: {statuses}")
        expect(json.loads(window.ask("GET", "/state")[2])["room"] < len(piece), "what is free is said")
        refused(window.ask("POST", "/file", headers={"Content-Length": str(len(piece))}), 413)
        expect(window.memory() < MEMORY, f"the server has {window.memory() >> 20} MiB")
        for method, path in (("GET", "/vault"), ("GET", "/vault?offset=-1&length=1&file=x"), ("GET", "/vault?offset=0&length=99999999999&file=x"),
                             ("GET", "/vault?offset=18446744073709551615&length=9&file=x"), ("POST", "/unlock?kind=evil")):
            expect(window.ask(method, path, b"" if method == "POST" else None)[0] in (400, 412), path)
        refused(window.ask("POST", "/unlock?kind=password&keyfile=77", b"x"), 404)
        for path in ("/../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd", "/vault/../state", "/\xe9", "/api", "/run", "/" + "a" * 8000):
            expect(window.ask("GET", path.encode("latin-1").decode("latin-1").replace("\xe9", "%e9"))[0] in (404, 414), path)


def crowds(fixture):
    with Window(fixture).enter() as window:
        window.unlock()
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", window.port)
        headers = {"X-Window": window.key}
        for place in range(10_000):
            connection.request("GET", "/state" if place % 2 else "/nowhere", headers=headers)
            connection.getresponse().read()
        connection.close()
        took = time.monotonic() - began
        # Slow ones hold connections, and let go of them.
        slow = [socket.create_connection(("127.0.0.1", window.port)) for _ in range(40)]
        for connection in slow:
            connection.sendall(b"GET /state HTTP/1.1\r\nHo")
        expect(window.ask("GET", "/state")[0] == 200, "beside slow ones the page is answered")
        for connection in slow:
            connection.close()
        # Many at once: each is done, or says why not.
        outcomes = []

        def add(place):
            outcomes.append(json.loads(window.run("card", "add", f"--title=crowd {place}", "--json", "--", "note", f"text={place}")[2])["exit"])
        threads = [threading.Thread(target=add, args=(place,)) for place in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        titles = fixture.run("$Q card list --json | grep -c '\"title\":\"crowd '").strip()
        expect(outcomes.count(0) == int(titles) and set(outcomes) <= {0, 9}, f"{outcomes}, and {titles} cards")
        expect(window.memory() < MEMORY, f"the server has {window.memory() >> 20} MiB")
        print(f"10,000 requests in {took:.1f} s; the server has {window.memory() >> 20} MiB")


def changes(fixture):
    """What others do with the vault while the window is open."""
    folder = fixture.folder
    fixture.run("cp v.qvault w.qvault")
    with Window(fixture, "w.qvault").enter() as window:
        window.unlock()
        state = json.loads(window.ask("GET", "/state")[2])
        # Another writer wakes who waits.
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(json.loads(window.ask("GET", f"/changes?version={state['version']}")[2])))
        waiting.start()
        time.sleep(0.5)
        expect(not answers, "nothing has changed yet")
        fixture.run("$Q card add note --title beside text=x -f w.qvault")
        waiting.join(timeout=5)
        expect(answers and answers[0]["version"] != state["version"], "a change of another program is told")
        # A file in its place is another one, and its bytes are not given out as the first one's.
        (folder / "w.qvault").rename(folder / "away.qvault")
        expect(json.loads(window.ask("GET", "/state")[2])["file"] is None, "the vault is gone")
        expect(window.ask("GET", f"/vault?offset=0&length=9&file={state['file']}")[0] == 404, "and so are its bytes")
        expect(json.loads(window.run("key", "list", "--json", "--")[2])["exit"] in (10, 13), "and a command says so")
        (folder / "w.qvault").write_bytes(b"x" * 100_000)
        refused(window.ask("GET", f"/vault?offset=0&length=9&file={state['file']}"), 412)
        expect(json.loads(window.run("key", "list", "--json", "--")[2])["exit"] == 8, "no vault")
        (folder / "w.qvault").unlink()
        os.mkfifo(folder / "w.qvault")
        expect(json.loads(window.ask("GET", "/state")[2])["file"] is None, "a pipe is no vault")
        expect(window.ask("GET", f"/vault?offset=0&length=9&file={state['file']}")[0] == 412, "and nobody waits for it")
        (folder / "w.qvault").unlink()
        (folder / "away.qvault").rename(folder / "w.qvault")
        expect(json.loads(window.run("key", "list", "--json", "--")[2])["exit"] == 0, "it is back")
        # Locked from a terminal, where this machine keeps keys in the kernel.
        fixture.run("$Q lock --all")
        version = json.loads(window.ask("GET", "/state")[2])["version"]
        has_keyring = subprocess.run([fixture.program, "unlock", "-f", "w.qvault"], cwd=folder, env=fixture.environment, capture_output=True).returncode == 0
        if has_keyring:
            fixture.run("$Q lock --all")
            began = time.monotonic()
            expect(json.loads(window.ask("GET", f"/changes?version={version}")[2])["is_unlocked"] is False, "a lock in a terminal is told")
            expect(time.monotonic() - began < 10, "and soon")
            # Who unlocks it in a terminal has not unlocked the window.
            fixture.run("$Q unlock -f w.qvault")
            refused(window.run("key", "list", "--json", "--"), 409)
            fixture.run("$Q lock --all")


def failures(fixture):
    """A disk that is full, and a server that is killed: what was there is there, and nothing is said to be done that is not."""
    with Window(fixture).enter() as window:
        window.unlock()
        size = (fixture.folder / "v.qvault").stat().st_size
        resource.prlimit(window.process.pid, resource.RLIMIT_FSIZE, (size + 8192, size + 8192))
        number = window.upload(os.urandom(100_000))
        answer = json.loads(window.run("put", "--as=too much", "--", "-", query=f"&input={number}")[2])
        expect(answer["exit"] == 13 and answer["said"], f"a full disk: {answer}")
        expect(json.loads(window.run("key", "list", "--json", "--")[2])["exit"] == 0, "it goes on")
    fixture.run("$Q verify v.qvault -q; ! $Q cat 'too much' -q 2>/dev/null")
    window = Window(fixture).enter()
    window.unlock()
    number = window.upload(bytes(30 << 20))

    def put():
        try:
            window.run("put", "--as=large", "--", "-", query=f"&input={number}")
        except (http.client.HTTPException, ConnectionError):
            # Nothing was promised.
            pass
    putting = threading.Thread(target=put)
    putting.start()
    time.sleep(0.02)
    window.process.kill()
    putting.join()
    window.process.wait()
    window.process.stdout.close()
    window.process.stderr.close()
    # What was begun is whole, or is not there.
    time.sleep(2)
    fixture.run("$Q verify v.qvault -q")
    stored = fixture.run("$Q ls --json large 2>/dev/null || true")
    expect(not stored or json.loads(stored)["size"] == 30 << 20, f"half a file: {stored}")
    fixture.run("$Q lock --all")


def endings(fixture):
    # A signal ends it, and its session; what it was doing is done.
    window = Window(fixture).enter()
    window.unlock()
    outcome = []

    def add():
        try:
            outcome.append(window.run("card", "add", "--title=last words", "--json", "--", "note", "text=x"))
        except (http.client.RemoteDisconnected, ConnectionError):
            # Nothing was promised.
            pass
    adding = threading.Thread(target=add)
    adding.start()
    time.sleep(0.02)
    window.process.send_signal(signal.SIGTERM)
    adding.join()
    expect(window.process.wait(timeout=30) == 0, "a signal ends it")
    if outcome and outcome[0][0] == 200:
        expect("last words" in fixture.run("$Q card list"), "what was answered is stored")
    expect("locked" in fixture.run("$Q status"), "the session is over")
    # The page that is closed ends it.
    window = Window(fixture).enter()
    window.ask("GET", "/")
    expect(window.ask("POST", "/goodbye", b"")[0] == 204, "goodbye")
    expect(window.process.wait(timeout=15) == 0, "it ends with the page")
    # A reload does not.
    window = Window(fixture).enter()
    window.ask("POST", "/goodbye", b"")
    version = json.loads(window.ask("GET", "/state")[2])["version"]

    def wait():
        try:
            window.ask("GET", f"/changes?version={version}")
        except (http.client.RemoteDisconnected, ConnectionError):
            # The server has ended.
            pass
    threading.Thread(target=wait).start()
    time.sleep(5)
    expect(window.process.poll() is None, "a page that comes back keeps it")
    window.__exit__()


def main():
    program, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    for attack in (strangers, another_user, locked, rights, folders, bodies, crowds, changes, failures, endings):
        fixture = Fixture(program, folder)
        fixture.make()
        began = time.monotonic()
        attack(fixture)
        print(f"{attack.__name__}: {time.monotonic() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
