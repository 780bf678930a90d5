#!/usr/bin/python3
"""Imports that have to account for everything: imports.py QVAULT FOLDER [RUNS [SEED]] | --growth

Makes RUNS (14) documents of each format that the command imports, of words that stand nowhere else. A third of them is sound.
The others have odd values, unknown keys, repeated parts, and members of archives that nothing names. After an import each word
is in the vault, or the report lists its key or its member by name and the command ends with 1. A document may be refused as a
whole. Then the vault is as it was. A word that is in neither is a silent loss. Unknown members of a line of an export are
passed over, as Spec/product/export.md says. A sound document that is taken once more changes nothing.

Prints a line a format, and each distinct fault once with a document that shows it. Ends with 1 if there is a fault. With
--growth it prints how the time of an import grows with the fields of one item instead, and ends with 1 if twice the fields take
more than three times as long.
Without gpg or keepassxc-cli the formats that need them are passed over.
"""

import base64
import collections
import csv
import hashlib
import io
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time
import warnings
import zipfile
from pathlib import Path
from xml.etree import ElementTree

SECONDS = 30
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
WORD = re.compile(r"zq[a-z0-9]{10}|(?<![\w-])8\d{11,24}(?![\w-])")
PACKED = re.compile(r"[A-Za-z0-9+/]{12,}={0,2}")
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ITEMS = ("items[]", "vaults.ID.items[]", "accounts[].vaults[].items[]", "[]")
TIME, SECOND = "2024-01-02T03:04:05Z", 1_700_000_000
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

# Spec/product/export.md, 5: ids, types, counts and times of use are left out without a word. So they hold no words here.
FIXED = set("""id uuid uid itemId itemUuid shareId folderId organizationId documentId version state type templateType designation
    fieldType categoryUuid category template_type encrypted format kind owner file sha256 size deletedDate trashed data UUID
    RecycleBinUUID RecycleBinEnabled LastAccessTime UsageCount lastUsedDate Ref Key deleted content
    collectionIds contentFormatVersion order linkedId inputTraits keyboard sensitive""".split())
LABELS = ("name", "label", "title", "fieldName", "fileName", "Name", "Key")

Mark = collections.namedtuple("Mark", "word pattern place")
Loss = collections.namedtuple("Loss", "format what")


# MARK: Words

class Words:
    """Words that are made up, each once, by chance from a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def __call__(self):
        return "zq" + "".join(self.random.choices(LETTERS, k=10))

    def number(self):
        """A number that no program may round: 12 or 18 digits, seldom more than 64 bits have."""
        return int("8" + "".join(self.random.choices("0123456789", k=self.random.choice([11] * 10 + [17] * 9 + [24]))))

    def id(self):
        """An id without a word in it."""
        digits = "".join(self.random.choices("0123456789abcdef", k=32))
        return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])

    def chance(self, share):
        return self.random.random() < share

    def site(self):
        return f"https://{self()}.example/{self()}"

    def text(self):
        """A text as people write it: one line, two lines, or with characters beyond ASCII."""
        return self.random.choice([self(), f"{self()} 中文 {self()}", f"{self()}\n{self()}", f"é {self()}"])

    def odd(self):
        """A text that a field may not take."""
        return self.random.choice([
            lambda: f"{self()}\r\n{self()}\r{self()}", lambda: f"{self()}\x07{self()}", lambda: f" {self()} ", lambda: f"#{self()}",
            lambda: f"{self()}, {self()};{self()}", lambda: f"{self()}: {self()}", lambda: f"{self()}/{self()}//{self()}",
            lambda: f"{self()}{'长' * 120}{self()}", lambda: f"{self()}\u2028{self()}", lambda: f"\ufeff{self()}\u202e{self()}",
            lambda: f"{self()}{' x' * 600_000 if self.chance(0.1) else ' x' * 300}{self()}"])()

    def fresh(self, value):
        """The same value with other words, but now and then under the same labels."""
        if isinstance(value, dict):
            return {key: part if key in LABELS and self.chance(0.5) else self.fresh(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self.fresh(part) for part in value]
        if isinstance(value, str):
            return WORD.sub(lambda _: self(), value)
        return self.number() if isinstance(value, int) and WORD.fullmatch(str(value)) else value

    def anything(self):
        """A value of any type of JSON."""
        return self.random.choice([
            self, self.number, self.odd, lambda: [self(), self.number()], lambda: {self(): self(), "value": {"name": self()}},
            lambda: [[self()], {"name": self()}]])()


class Twin(str):
    """A key that an object may have twice."""

    __hash__ = object.__hash__

    def __eq__(self, other):
        return self is other


# MARK: Documents

class Document:
    """A document: its bytes or its members, what it is called, and the marks of all words in it."""

    def __init__(self, name, words):
        self.name, self.words, self.format, self.options = name, words, None, []
        self.marks, self.names, self.patterns, self.apart = [], {}, {}, []
        self.data, self.members, self.items = None, None, 0

    def mark(self, text, pattern, place, *names):
        """Notes each word of a text, and the names under which it may be listed."""
        self.names.setdefault(place, set()).update(name for name in names if name)
        for word in WORD.findall(text):
            self.marks.append(Mark(word, pattern, place))

    def number(self, pattern):
        """The number by which the report calls an item or a line that has this pattern."""
        if pattern not in ITEMS:
            return set()
        self.items += 1
        return {f"item {self.items}"} if pattern != "[]" else {f"line {self.items + 1}"}

    def write(self, folder):
        """Writes the source into a folder. Returns its path."""
        path = folder / self.name
        if self.members is None:
            path.write_bytes(self.data)
        else:
            write_archive(path, self.members)
        return path


def write_archive(path, members):
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # a member may come twice
        for name, data in members:
            archive.writestr(name, data)


def kind_of(value):
    return next(name for kind, name in ((bool, "flag"), (str, "text"), (int, "number"), (list, "list"), (dict, "object"),
                                        (type(None), "nothing")) if isinstance(value, kind))


def labels(value):
    """The words by which an object calls itself."""
    if not isinstance(value, dict):
        return set()
    inner = [value, value.get("overview"), value.get("metadata"), value.get("attrs"), value.get("data")]
    inner += [part.get("metadata") for part in inner if isinstance(part, dict)]
    texts = [part[key] for part in inner if isinstance(part, dict) for key in LABELS if isinstance(part.get(key), str)]
    return {word for text in texts for word in WORD.findall(text)}


def step_of(key):
    """The step of a pattern for a key: made-up keys and ids are all alike."""
    return "?" if WORD.search(key) else "ID" if ID.fullmatch(key) else key


def below_key(pattern, key):
    return pattern if pattern.endswith("?") else f"{pattern}.{step_of(key)}".lstrip(".")


def below_list(pattern):
    return pattern if pattern.endswith("?") else f"{pattern}[]"


def survey(document, value, pattern="", place=("main",)):
    """Notes all words of a JSON value, each under the path of its keys."""
    document.patterns[place] = f"{pattern} ({kind_of(value)}, all of it)"
    document.names[place] = labels(value) | {name for name in place[1:][-1:] if isinstance(name, str)} | document.number(pattern)
    if isinstance(value, dict):
        for key, part in value.items():
            document.mark(key, below_key(pattern, key), (*place, key))
            survey(document, part, below_key(pattern, key), (*place, key))
            if pattern not in ITEMS and isinstance(part, (str, int)):
                document.names[(*place, key)] |= labels(value)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            survey(document, part, below_list(pattern), (*place, number))
    elif isinstance(value, (str, int)) and not isinstance(value, bool):
        document.mark(str(value), f"{pattern} ({kind_of(value)})", place)


def places(value):
    """All pairs of a container and a key in a JSON value, but for what holds no words."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in list(pairs):
        yield value, key
        yield from places(part)


def change(words, value):
    """Makes one thing odd in a JSON value."""
    pairs = list(places(value))
    objects = [part for part in [value] if isinstance(part, dict)] + [box[key] for box, key in pairs if isinstance(box[key], dict)]
    lists = [box[key] for box, key in pairs if isinstance(box[key], list) and box[key]]
    repeated = [box[key] for box, key in pairs if isinstance(box[key], list) and box[key] and key != "folders"]
    open_pairs = [(box, key) for box, key in pairs if key not in FIXED and not isinstance(box[key], bool)]
    match words.random.randrange(8):
        case 0 | 1 | 2: words.random.choice(objects)[words()] = words.anything()
        case 3 | 4 if repeated:
            chosen = words.random.choice(repeated)
            chosen.append(words.fresh(words.random.choice(chosen)))
        case 5 if lists: words.random.choice(lists).append(words.anything())
        case 6 if open_pairs:
            box, key = words.random.choice(open_pairs)
            box[key] = words.odd() if isinstance(box[key], str) else words.anything()
        case 7 if open_pairs:
            box, key = words.random.choice(open_pairs)
            box[key] = words.anything()


def make_odd(words, value):
    """Makes a few things odd in a JSON value. Few documents get a key twice, and may be refused."""
    for _ in range(words.random.randint(1, 8)):
        change(words, value)
    if words.chance(0.05):
        chosen = words.random.choice([box[key] for box, key in places(value) if isinstance(box[key], dict)] or [value])
        if chosen:
            chosen[Twin(words.random.choice(list(chosen)))] = words()


def json_bytes(value):
    return json.dumps(value, ensure_ascii=False).encode()


def some(words, *makers, least=1, most=3):
    return [words.random.choice(makers)(words) for _ in range(words.random.randint(least, most))]


# MARK: Bitwarden

def bitwarden_item(words, kind, **parts):
    return {"id": words.id(), "organizationId": None, "folderId": None, "type": kind, "reprompt": 0, "name": words(),
            "notes": words.text(), "favorite": words.chance(0.3), "creationDate": TIME, "revisionDate": TIME,
            "fields": some(words, lambda w: {"name": w(), "value": w.text(), "type": w.random.randrange(2), "linkedId": None}, least=0),
            "deletedDate": TIME if words.chance(0.2) else None, "collectionIds": None,
            "passwordHistory": [{"lastUsedDate": TIME, "password": words()}], **parts}


def bitwarden_login(words):
    return bitwarden_item(words, 1, login={
        "username": words(), "password": words(), "totp": words(),
        "uris": some(words, lambda w: {"match": None, "uri": w.site()}, least=1),
        "fido2Credentials": [{"credentialId": words(), "keyValue": words(), "rpId": words(), "userName": words()}]})


def bitwarden_note(words):
    return bitwarden_item(words, 2, secureNote={"type": 0})


def bitwarden_card(words):
    return bitwarden_item(words, 3, card={key: words() for key in ("cardholderName", "brand", "number", "expMonth", "expYear", "code")})


def bitwarden_person(words):
    return bitwarden_item(words, 4, identity={key: words() for key in (
        "title", "firstName", "middleName", "lastName", "address1", "address2", "city", "state", "postalCode", "country", "company",
        "email", "phone", "ssn", "username", "passportNumber", "licenseNumber")})


def bitwarden_key(words):
    return bitwarden_item(words, 5, sshKey={"privateKey": words(), "publicKey": words(), "keyFingerprint": words()})


def bitwarden_value(words):
    """A document of Bitwarden. Each folder is that of an item, for one without items is left out."""
    items = some(words, bitwarden_login, bitwarden_note, bitwarden_card, bitwarden_person, bitwarden_key)
    folders = [{"id": words.id(), "name": words()} for _ in range(words.random.randint(1, len(items)))]
    for item, folder in zip(items, folders):
        item["folderId"] = folder["id"]
    return {"encrypted": False, "folders": folders, "items": items}


def json_document(words, odd, make, format, name="source.json"):
    """A document that is one value of JSON."""
    document, value = Document(name, words), make(words)
    if odd:
        make_odd(words, value)
    document.data, document.format = json_bytes(value), format
    survey(document, value)
    return document


def bitwarden_json(words, odd):
    return json_document(words, odd, bitwarden_value, "bitwarden")


def bitwarden_zip(words, odd):
    value = bitwarden_value(words)
    files = [(f"attachments/{item['id']}/", file_name(words)) for item in value["items"] if words.chance(0.7)]
    return archive(words, odd, value, "data.json", files, "source.zip", "attachments/")


# MARK: Archives

def file_name(words):
    return words.random.choice(["{}.bin", "文件 {}.txt", "é{}", "{}.png", "{} a:b.pdf"]).format(words())


def content(words):
    head = words.random.choice([b"", b"", PNG, b"\xff\xfe\0", b"%PDF-1.4\n"])
    return head + words().encode()


def add_member(document, name, data, what):
    """Adds a member to an archive, with a mark for its name and one for its content."""
    document.members.append((name, data))
    place = ("member", len(document.members))
    document.mark(name.split("/")[-1], f"{what} (the name)", place, name, name.split("/")[-1])
    document.mark(data.decode("latin-1"), f"{what} (the content)", place, name, name.split("/")[-1])


def strange_members(document, words, folder):
    """Adds members that no item names."""
    for _ in range(words.random.randint(1, 3)):
        match words.random.randrange(5):
            case 0: add_member(document, f"{folder}{file_name(words)}", content(words), f"{folder}NAME that no item names")
            case 1: add_member(document, f"{folder}{words.id()}/{file_name(words)}", content(words), f"{folder}ID/NAME that no item names")
            case 2: add_member(document, file_name(words), content(words), "NAME at the top")
            case 3: add_member(document, f"deep/é/{file_name(words)}", content(words), "DEEP/FOLDER/NAME")
            case 4: second_main(document, words)


def second_main(document, words):
    """Adds a second main member, in another folder or of the same name."""
    name = words.random.choice(["", "backup/"]) + document.main.split("/")[-1]
    add_member(document, name, json_bytes({"items": [{"type": 2, "name": words(), "notes": words()}]}), f"a second {name}")


def twin_members(document, words):
    """Repeats the name of a member, with another content."""
    named = [name for name, _ in document.members if name != document.main]
    if named:
        add_member(document, words.random.choice(named), content(words), "a second member of one name")


def archive(words, odd, value, main, files, name, folder):
    """An archive with a main member, files that its items name, and perhaps more."""
    document = Document(name, words)
    document.main, document.members, document.format = main, [], None
    if odd:
        make_odd(words, value)
    survey(document, value)
    document.members.append((main, json_bytes(value)))
    for place, file in files:
        add_member(document, place + file, content(words), "a file that an item names")
    if odd and words.chance(0.6):
        strange_members(document, words, folder)
    if odd and words.chance(0.3):
        twin_members(document, words)
    if odd and words.chance(0.3):
        words.random.shuffle(document.members)
    return document


# MARK: 1Password

def onepassword_field(words):
    kind = words.random.choice(["string", "concealed", "phone", "url", "email", "totp", "menu", "reference", "creditCardNumber"])
    value = words.random.choice([{kind: words()}] * 5 + [{"address": {key: words() for key in ("street", "city", "zip", "state")}},
                                                        {"email": {"email_address": words(), "provider": words()}},
                                                        {"sshKey": {"privateKey": words(), "metadata": {"publicKey": words()}}}])
    return {"title": words(), "id": "f", "value": value, "guarded": False, "multiline": False, "inputTraits": {"keyboard": "default"}}


def onepassword_item(words):
    designations = [("username", "T"), ("password", "P"), ("", "T")]
    return {"uuid": words.id(), "favIndex": 0, "createdAt": SECOND, "updatedAt": SECOND,
            "state": words.random.choice(["active", "active", "archived"]), "trashed": words.chance(0.1),
            "categoryUuid": words.random.choice(["001", "001", "002", "003", "004", "005", "006", "100", "109", "110", "112", "114"]),
            "overview": {"title": words(), "subtitle": words(), "url": words.site(), "tags": [words(), words()],
                         "urls": some(words, lambda w: {"label": w(), "url": w.site()})},
            "details": {"loginFields": [{"value": words(), "id": "", "name": words(), "fieldType": kind, "designation": designation}
                                        for designation, kind in designations],
                        "notesPlain": words.text(), "password": words(),
                        "sections": some(words, lambda w: {"title": w(), "name": "s", "fields": some(w, onepassword_field)}),
                        "passwordHistory": [{"value": words(), "time": SECOND}]}}


def onepassword_value(words):
    vaults = some(words, lambda w: {"attrs": {"uuid": w.id(), "name": w(), "desc": w(), "type": "U"},
                                    "items": some(w, onepassword_item, most=2)}, most=2)
    return {"accounts": [{"attrs": {"uuid": words.id(), "accountName": words(), "name": words(), "email": words(),
                                    "domain": words.site()}, "vaults": vaults}]}


def onepassword(words, odd):
    value, files = onepassword_value(words), []
    for item in (item for vault in value["accounts"][0]["vaults"] for item in vault["items"]):
        number, name = words.id().replace("-", ""), file_name(words)
        if words.chance(0.4):
            item["details"]["documentAttributes"] = {"fileName": name, "documentId": number, "decryptedSize": 1}
            files.append((f"files/{number}__", name))
        if words.chance(0.4):
            number = words.id().replace("-", "")
            field = {"title": words(), "id": "x", "value": {"file": {"fileName": name, "documentId": number}}}
            item["details"]["sections"][0]["fields"].append(field)
            files.append((f"files/{number}__", name))
    document = archive(words, odd, value, "export.data", files, "source.1pux", "files/")
    document.members.append(("export.attributes", b'{"version":3,"description":"1Password Unencrypted Export"}'))
    return document


# MARK: Proton Pass

def proton_content(words, kind):
    keys = {"login": ["itemEmail", "itemUsername", "password", "totpUri"], "note": [], "alias": [],
            "creditCard": ["cardholderName", "cardType", "number", "verificationNumber", "expirationDate", "pin"],
            "identity": ["fullName", "email", "phoneNumber", "city", "socialSecurityNumber", "company"],
            "wifi": ["ssid", "password"], "sshKey": ["privateKey", "publicKey"], "custom": []}[kind]
    made = {key: words() for key in keys}
    if kind == "login":
        made |= {"urls": [words.site(), words.site()], "passkeys": [{"keyId": words(), "content": words(), "domain": words()}]}
    if kind in ("custom", "wifi", "sshKey", "identity"):
        made["sections"] = [{"sectionName": words(), "sectionFields": some(words, proton_field)}]
    return made


def proton_field(words):
    return words.random.choice([
        {"fieldName": words(), "type": "text", "data": {"content": words.text()}},
        {"fieldName": words(), "type": "hidden", "data": {"content": words()}},
        {"fieldName": words(), "type": "totp", "data": {"totpUri": words()}}])


def proton_item(words):
    kind = words.random.choice(["login", "login", "note", "alias", "creditCard", "identity", "wifi", "sshKey", "custom"])
    return {"itemId": words.id(), "shareId": words.id(), "state": 2 if words.chance(0.2) else 1, "pinned": False,
            "aliasEmail": words() if kind == "alias" else None, "contentFormatVersion": 6, "createTime": SECOND, "modifyTime": SECOND,
            "data": {"type": kind, "metadata": {"name": words(), "note": words.text(), "itemUuid": words.id()},
                     "extraFields": some(words, proton_field, least=0), "content": proton_content(words, kind)}}


def proton_value(words):
    vaults = {words.id(): {"name": words(), "description": words(), "items": some(words, proton_item)} for _ in range(2)}
    return {"version": "1.31.0", "userId": words.id(), "encrypted": False, "vaults": vaults}


def proton_json(words, odd):
    return json_document(words, odd, proton_value, "proton")


def proton_zip(words, odd):
    value, files = proton_value(words), []
    for item in (item for vault in value["vaults"].values() for item in vault["items"]):
        if words.chance(0.5):
            files.append(("Proton Pass/files/", file_name(words)))
            item["files"] = [files[-1][1]]
    return archive(words, odd, value, "Proton Pass/data.json", files, "source.zip", "Proton Pass/files/")


# MARK: Enpass

def enpass_field(words):
    kind = words.random.choice(["username", "password", "url", "email", "totp", "text", "pin", "phone", "section", "multiline"])
    return {"uid": 1, "label": words(), "type": kind, "value": "" if kind == "section" else words(), "order": 1, "sensitive": 1,
            "deleted": int(words.chance(0.15)), "history": [{"value": words(), "updated_at": SECOND}] if words.chance(0.3) else []}


def enpass_item(words):
    return {"uuid": words.id(), "title": words(), "subtitle": words(), "note": words.text(), "category": "login", "favorite": 1,
            "template_type": "login.default", "trashed": int(words.chance(0.2)), "archived": 0, "createdAt": SECOND, "updated_at": SECOND,
            "folders": [], "fields": some(words, enpass_field, most=6), "attachments": some(words, enpass_file, least=0, most=2)}


def enpass_file(words):
    return {"uuid": words.id(), "name": file_name(words), "kind": "text/plain", "data": base64.b64encode(content(words)).decode()}


def enpass_value(words):
    items, folder = some(words, enpass_item), {"uuid": words.id(), "title": words()}
    items[0]["folders"] = [folder["uuid"]]
    return {"folders": [folder], "items": items}


def enpass(words, odd):
    document = json_document(words, odd, enpass_value, "enpass")
    for item_at, item in enumerate(parsed(document.data).get("items", [])):
        for at, file in enumerate(attachments(item)):
            place = ("main", "items", item_at, "attachments", at, "data")
            document.mark(base64.b64decode(file["data"]).decode("latin-1"), "items[].attachments[].data (decoded)", place,
                          *WORD.findall(str(file.get("name"))))
    return document


def attachments(item):
    """Those attachments of an item of Enpass that a change left whole."""
    found = item.get("attachments") if isinstance(item, dict) else None
    return [file for file in found if isinstance(file, dict) and "data" in file] if isinstance(found, list) else []


def parsed(data):
    """The value of a document. Of keys that come twice the first one counts."""
    return json.loads(data, object_pairs_hook=lambda pairs: dict(reversed(pairs)))


# MARK: KeePass

def element(name, *parts, **attributes):
    """An element of XML with text and further elements."""
    made = ElementTree.Element(name, attributes)
    for part in parts:
        if isinstance(part, str):
            made.text = part
        else:
            made.append(part)
    return made


def pair(name, key, value, **attributes):
    return element(name, element("Key", key), element("Value", value, **attributes))


def keepass_times():
    return element("Times", *(element(name, TIME) for name in ("CreationTime", "LastModificationTime", "LastAccessTime")),
                   element("Expires", "True"), element("ExpiryTime", "2030-01-02T03:04:05Z"), element("UsageCount", "1"))


def keepass_entry(words, history=True):
    made = element("Entry", element("UUID", base64.b64encode(words.random.randbytes(16)).decode()), element("IconID", "0"),
                   element("OverrideURL", words()), element("Tags", f"{words()};{words()}"), keepass_times())
    made.extend(pair("String", key, words(), **({"ProtectInMemory": "True"} if key == "Password" else {}))
                for key in ("Title", "UserName", "Password", "URL", "Notes", words(), words()))
    made.append(element("AutoType", element("Enabled", "True"), element("DefaultSequence", words()), element(
        "Association", element("Window", words()), element("KeystrokeSequence", words()))))
    made.append(element("CustomData", pair("Item", words(), words())))
    if history:
        made.append(element("History", keepass_entry(words, False)))
    return made


def keepass_group(words, depth=0):
    made = element("Group", element("UUID", base64.b64encode(words.random.randbytes(16)).decode()), element("Name", words()),
                   element("Notes", words() if words.chance(0.5) else ""), element("Tags", words()), keepass_times(),
                   element("DefaultAutoTypeSequence", words()),
                   element("CustomData", pair("Item", words(), words())), keepass_entry(words))
    made.extend(keepass_entry(words) for _ in range(words.random.randrange(2)))
    if depth < 1:
        made.append(keepass_group(words, depth + 1))
    return made


def keepass_tree(words):
    group = keepass_group(words)
    recycled = group.findall("Group")[-1].find("UUID").text if words.chance(0.3) else "none"
    binaries = element("Binaries", element("Binary", base64.b64encode(content(words)).decode(), ID="0"),
                       element("Binary", base64.b64encode(content(words)).decode(), ID="1"))
    meta = element("Meta", element("Generator", "KeePass"), element("DatabaseName", words()), element("DatabaseDescription", words()),
                   element("DefaultUserName", words()), element("RecycleBinUUID", recycled), binaries,
                   element("CustomData", pair("Item", words(), words())))
    for number in "01":
        entry = words.random.choice(group.findall(".//Entry"))
        place = entry.find("History") is not None and len(entry) - 1 or len(entry)
        entry.insert(place, element("Binary", element("Key", file_name(words)), element("Value", Ref=number)))
    return element("KeePassFile", meta, element("Root", group))


def fresh_element(words, part):
    """The same element with other words, but now and then under the same keys."""
    made = ElementTree.fromstring(ElementTree.tostring(part))
    for below in made.iter():
        if below.text and not (below.tag in ("Key", "Name") and words.chance(0.7)):
            below.text = WORD.sub(lambda _: words(), below.text)
    return made


TIMES = ("CreationTime", "LastModificationTime", "ExpiryTime")


def change_tree(words, root):
    """Makes one thing odd in a document of XML."""
    parents = [part for part in root.iter() if len(part)]
    chosen = words.random.choice(parents)
    match words.random.randrange(8):
        case 7: words.random.choice([part for part in root.iter() if part.tag in TIMES]).text = words()
        case 0: chosen.append(element(words(), words()))
        case 1: chosen.append(element(words(), element("Key", words()), element("Value", words(), **{words(): words()})))
        case 2 | 3: chosen.append(fresh_element(words, words.random.choice(list(chosen))))
        case 4: chosen.set(words(), words())
        case 5: words.random.choice(root.findall(".//Entry")).append(
            pair("String", words.random.choice(["Title", "Password", "Notes", "URL"]), words()))
        case 6:
            leaves = [part for part in root.iter() if part.text and WORD.search(part.text)]
            words.random.choice(leaves).text = re.sub("[\0-\x08\x0b-\x1f]", "\t", words.odd())


def tree_names(part, parent):
    """The names under which an element may be listed."""
    texts = [key.text for box in (part, parent) if box is not None for key in [*box.findall("Key"), *box.findall("Name")] if key.text]
    texts += [text.findtext("Value") or "" for text in part.findall("String") if text.findtext("Key") == "Title"]
    return {part.tag, *(word for text in texts for word in WORD.findall(text) or [text])}


def survey_tree(document, part, pattern, place=("main",), parent=None):
    """Notes all words of an element and of those beneath it."""
    document.patterns[place] = f"{pattern} (all of it)"
    document.names[place] = tree_names(part, parent)
    for key, value in part.attrib.items():
        document.mark(key + " " + value, re.sub(r"\(\w*\)", "", pattern) + " @?", (*place, key), key)
    document.mark(part.text or "", pattern, place)
    document.mark(part.tag, pattern, place)
    seen = collections.Counter()
    for number, below in enumerate(part):
        step = element_step(below, seen)
        path = re.sub(r"\(\w*\)", "", pattern) if step == "?" else pattern.replace("Group/Group", "Group")
        survey_tree(document, below, pattern if pattern.endswith("?") else f"{path}/{step}", (*place, number), part)


def element_step(part, seen):
    """The step of a pattern for an element. One that comes twice where once is usual ends with #2."""
    if WORD.search(part.tag):
        return "?"
    key = part.findtext("Key") if part.tag in ("String", "Binary", "Item") else None
    step = part.tag + ("" if key is None else "()" if WORD.search(key) else f"({key})")
    seen[step] += 1
    many = ("Entry", "Group", "Binary", "String()", "Binary()", "Item()", "Association")
    return step + ("#2" if seen[step] > 1 and step not in many else "")


def keepass_document(words, odd):
    document, root = Document("source.xml", words), keepass_tree(words)
    for _ in range(words.random.randint(1, 8) if odd else 0):
        change_tree(words, root)
    document.data = b'<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root)
    document.data = document.data.replace(b"><", b">\n<")
    document.format, document.root = "keepass", root
    survey_tree(document, root, "KeePassFile")
    for part in root.findall("Meta/Binaries/Binary"):
        if part.text:
            decode_binary(document, part)
    return document


def decode_binary(document, part):
    """Notes the words that a binary holds in base64, in the place of those in its text."""
    users = [file for file in document.root.findall(".//Binary") if any(value.get("Ref") == part.get("ID") for value in file)]
    names = [word for file in users for word in WORD.findall(file.findtext("Key") or "")]
    try:
        text = base64.b64decode(part.text, validate=True).decode("latin-1")
    except ValueError:
        return
    what = "Meta/Binaries/Binary " + ("(decoded)" if users else "that no entry names (decoded)")
    document.mark(text, what, ("Binaries", part.get("ID")), "Binaries", f"Binary {part.get('ID')}", *names)


# MARK: Tables

TABLES = {
    "Chrome": "name,url,username,password,note",
    "Firefox": "url,username,password,httpRealm,formActionOrigin,guid",
    "Safari": "Title,URL,Username,Password,Notes,OTPAuth",
    "KeePassXC": "Group,Title,Username,Password,URL,Notes,TOTP",
    "KeePass 1": "Account,Login Name,Password,Web Site,Comments",
    "LastPass": "url,username,password,totp,extra,name,grouping",
    "Proton": "name,url,email,username,password,note,totp,vault",
    "1Password": "Title,Url,Username,Password,OTPAuth,Tags,Notes",
    "Dashlane": "username,username2,username3,title,password,note,url,category,otpSecret",
    "Bitwarden": "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp",
    "of cards": "kind,title,group,tags,text",
}
CONSTANT = {"favorite": "", "type": "login", "reprompt": "0", "kind": "note"}


def bitwarden_cell(document, words, column):
    """A cell of Bitwarden that holds several values. Each of them belongs into a field of its own."""
    parts = [(words(), words()) for _ in range(2)] if column == "fields" else [words.site() for _ in range(2)]
    if column == "fields":
        document.apart += [(value, "fields (a line)") for _, value in parts]
        return "\n".join(f"{name}: {value}" for name, value in parts)
    document.apart += [(site, "login_uri (an address)") for site in parts]
    return ",".join(parts)


def cell(document, words, odd, column, program):
    if column in CONSTANT:
        return CONSTANT[column]
    if program == "Bitwarden" and column in ("fields", "login_uri"):
        return bitwarden_cell(document, words, column)
    if odd and words.chance(0.1):
        return words.odd()
    return words.site() if column.lower() in ("url", "web site") else words.text() if "note" in column.lower() else words()


def table_columns(words, odd, program):
    """The columns of a program, and perhaps more: unknown ones, one without a name, one that comes twice."""
    columns = TABLES[program].split(",")
    if odd and words.chance(0.5):
        columns.insert(words.random.randrange(len(columns) + 1), words())
    if odd and words.chance(0.2):
        columns.append("")
    if odd and words.chance(0.2):
        columns.append(words.random.choice(columns))
    return columns


def mark_row(document, columns, row, line, program):
    for at, text in enumerate(row):
        column = columns[at] if at < len(columns) else "beyond the columns"
        twice = column and columns[:at].count(column) if at < len(columns) else 0
        what = "?" if WORD.search(column) else column or "a column without a name"
        document.names[("main", line)] = {f"line {line}"}
        document.mark(text, f"{program}: {what}{' #2' if twice else ''}", ("main", line, at), column)


def table(program):
    """A maker of tables of a program."""
    def make(words, odd):
        document, columns, out = Document("source.csv", words), table_columns(words, odd, program), io.StringIO(newline="")
        writer, line = csv.writer(out, lineterminator="\n"), 2
        for column in columns:
            document.mark(column, f"{program}: the name of a column", ("main", 1, column), column, "line 1")
        writer.writerow(columns)
        for _ in range(words.random.randint(1, 4)):
            row = [cell(document, words, odd, column, program) for column in columns]
            row += [words()] if odd and words.chance(0.1) else []
            mark_row(document, columns, row, line, program)
            writer.writerow(row)
            line = out.getvalue().count("\n") + 1
        document.data, document.format = out.getvalue().encode(), "csv"
        return document
    return make


def tables(words, odd):
    return table(words.random.choice([name for name in TABLES if name != "Bitwarden"]))(words, odd)


# MARK: The native format

def native_card(words):
    kind, keys = words.random.choice([("note", ["text"]), ("login", ["username", "password", "url", "notes"]), ("text", ["text"]),
                                      ("wifi", ["network", "password", "security", "notes"]), ("contact", ["name", "wechat", "company"]),
                                      ("server", ["host", "username", "password", "system", "notes"])])
    made = {"kind": kind, "title": words(), "group": words(), "tags": [words(), words()], "fields": {key: words() for key in keys}}
    if kind not in ("text", "wifi"):
        made["own"] = some(words, lambda w: {"label": w(), "value": w.text(), "sensitive": True})
    return made


def native_setting(words):
    name = words()
    return words.random.choice([{"kind": "setting", "title": name, "type": "text", "value": words()},
                                {"kind": "setting", "title": name, "type": "list", "value": [words(), words()]},
                                {"kind": "setting", "title": name, "type": "number", "value": str(words.number())},
                                {"kind": "setting", "title": name, "type": "secret", "value": words()},
                                {"kind": "kind-99", "id": words.id().replace("-", ""), "title": name,
                                 "content": base64.b64encode(words().encode()).decode()}])


def native_records(words):
    """Records with an attachment of the first one. It follows its owner or precedes it."""
    records = [native_card(words) | {"id": words.id().replace("-", "")}] + some(words, native_card, native_setting)
    file = content(words)
    records.append({"kind": "attachment", "id": words.id().replace("-", ""), "owner": records[0]["id"], "title": file_name(words),
                    "type": "application/octet-stream", "size": len(file), "sha256": hashlib.sha256(file).hexdigest(),
                    "content": base64.b64encode(file).decode()})
    words.random.shuffle(records)
    return records


def native_document(words, odd, name="source.jsonl"):
    document, records = Document(name, words), native_records(words)
    if odd:
        make_odd(words, records if words.chance(0.1) else words.random.choice(records))
    lines = [json_bytes(record) for record in records]
    document.data = b"\n".join([b'{"format":"quickvault-export","version":1}', *lines, b""])
    document.format = "json"
    survey(document, records)
    mark_content(document, records)
    return document


def mark_content(document, records):
    """Notes the words in the bytes of attachments."""
    for number, record in enumerate(records):
        if isinstance(record, dict) and isinstance(record.get("content"), str) and record.get("kind") in ("attachment", "kind-99"):
            text = base64.b64decode(record["content"]).decode("latin-1")
            document.mark(text, "[].content (decoded)", ("main", number, "content"), "content")


class NativeFolder(Document):
    """An export in a folder, with files beside those that its lines name."""

    def write(self, folder):
        place = folder / "source"
        shutil.rmtree(place, ignore_errors=True)
        for name, data in [("records.jsonl", self.data), *self.files]:
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return place


def native_folder(words, odd):
    document = native_document(words, False)
    document.__class__, document.files, document.format = NativeFolder, [], None
    for name in ([f"attachments/{words.id()}", file_name(words), f"files/{file_name(words)}"] if odd else []):
        data = words().encode()
        document.files.append((name, data))
        kind = name.split("/")[0] + "/NAME" if "/" in name else "NAME beside records.jsonl"
        document.mark(data.decode(), f"{kind} that no line names", ("file", name), name, name.split("/")[-1])
    return document


# MARK: pass

class PassFolder(Document):
    """A folder of pass. A file is encrypted to the key of the test, or stands there as it is."""

    def write(self, folder):
        place = folder / "store"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        (place / ".gpg-id").write_text("tester@example.org\n")
        for name, data in self.files:
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith(".gpg"):
                subprocess.run(["gpg", "-q", "--batch", "--yes", "-e", "-r", "tester@example.org", "-o", path], input=data, check=True,
                               stderr=subprocess.DEVNULL)
            else:
                path.write_bytes(data)
        return place


def pass_text(words, odd):
    keys = ["login", "URL", "otpauth", words(), words(), "login", "password"]
    lines = [words()] + [f"{words.random.choice(keys)}: {words.odd() if odd and words.chance(0.2) else words()}" for _ in range(4)]
    return "\n".join([*lines, words(), words()])


def pass_folder(words, odd):
    document = PassFolder("store", words)
    document.files, document.format = [], None
    for _ in range(2):
        add_pass(document, f"{words()}/{words()}.gpg", pass_text(words, odd), "a line")
    if odd:
        for name in (f"{words()}.txt", f".{words()}.gpg", f"{words()}/.{words()}", f".{words()}/{words()}.gpg"):
            add_pass(document, name, words(), f"a file {WORD.sub('NAME', name)}")
    return document


def add_pass(document, name, text, what):
    document.files.append((name, text.encode()))
    stem = name.removesuffix(".gpg")
    document.mark(text, what, ("file", name), name, stem)
    document.mark(stem, f"{what} (the name)", ("file", name), name, stem)


# MARK: kdbx

class Database(Document):
    """A database of KeePassXC, made of a document of XML."""

    def write(self, folder):
        path, xml = folder / "source.kdbx", folder / "source.xml"
        path.unlink(missing_ok=True)
        xml.write_bytes(self.data)
        made = subprocess.run(["keepassxc-cli", "import", "-q", "-p", "-t", "100", xml, path], input=b"pw\npw\n", capture_output=True)
        (folder / "pw").write_text("pw")
        (folder / "pw").chmod(0o600)
        self.options = ["--source-password-file", str(folder / "pw")]
        if made.returncode:
            raise RuntimeError(made.stderr.decode())
        return path


def database(words, odd):
    """A sound document, for KeePassXC does not keep what it does not know."""
    document = keepass_document(words, False)
    document.__class__, document.name, document.format = Database, "source.kdbx", None
    dropped = ("CustomData", "Tags", "DefaultUserName", "OverrideURL")
    document.marks = [mark for mark in document.marks if not any(
        mark.pattern.endswith(end) or f"{end}/" in mark.pattern for end in dropped if "Entry/Tags" not in mark.pattern)]
    return document


# MARK: Runs

class Vault:
    """A vault in a folder, and the command that works on it."""

    def __init__(self, qvault, folder):
        self.qvault, self.folder, self.path = qvault, folder, folder / "v.qvault"
        self.empty, self.state = folder / "empty.qvault", folder / "state"
        os.environ.update(QVAULT_PASSWORD_COMMAND="printf %s correct-horse-battery", XDG_STATE_HOME=str(self.state), HOME=str(folder))
        self.run("create", str(self.empty), "-q")

    def renew(self):
        """Makes the vault empty, and lets the command forget the one before."""
        shutil.rmtree(self.state, ignore_errors=True)
        shutil.copy(self.empty, self.path)

    def run(self, *words, seconds=SECONDS):
        try:
            return subprocess.run([str(self.qvault), *words], capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None

    def take(self, path, *options):
        """Imports a source. Returns what the command did, and its report."""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        done = self.run("import", "-f", str(self.path), str(path), "--report", str(report), *options)
        return done, json.loads(report.read_bytes()) if report.exists() else None

    def recover(self):
        """Brings back what is in the trash, for an export leaves it out."""
        trash = self.run("ls", "-f", str(self.path), "--trash", "--json").stdout
        ids = [json.loads(line)["id"] for line in trash.splitlines()]
        if ids:
            self.run("undelete", "-f", str(self.path), *ids)

    def texts(self):
        """All texts that the vault holds: those of records, and the names and bytes of files and attachments."""
        self.recover()
        place = self.folder / "exported"
        shutil.rmtree(place, ignore_errors=True)
        self.run("export", "-f", str(self.path), "-o", str(place))
        lines = (place / "records.jsonl").read_bytes().splitlines()
        found = [text for line in lines[1:] for text in texts(json.loads(line))]
        for path in place.rglob("*"):
            if path.is_file() and path not in (place / "records.jsonl", place / "index.html"):
                found += [str(path.relative_to(place)), path.read_bytes().decode("latin-1")]
        return found


def texts(value):
    """All texts of a record, with those that its content holds."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield key
            if key == "content":
                yield base64.b64decode(part).decode("latin-1")
            elif key not in ("id", "owner", "sha256"):
                yield from texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)
    elif value is not None:
        yield str(value)


def words_in(text):
    """The words in a text, and those in its parts that are base64."""
    packed = (part.rstrip("=") for part in PACKED.findall(text))
    plain = (base64.b64decode(part + "=" * (-len(part) % 4)).decode("latin-1") for part in packed if len(part) % 4 != 1)
    return set(WORD.findall(text.lower())) | set(WORD.findall("\n".join(plain)))


def is_named(name, entries):
    if WORD.search(name):
        return any(name in entry for entry in entries)
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", entry) for entry in entries)


def is_listed(document, mark, taken, entries):
    """Whether an entry of the report names a word's key, or something around it of which nothing was taken."""
    for depth in range(len(mark.place), 0, -1):
        place = mark.place[:depth]
        beneath = [other.word in taken for other in document.marks if other.place[:depth] == place]
        if depth < len(mark.place) and any(beneath):
            return False
        if any(is_named(name, entries) for name in document.names.get(place, ())):
            return True
    return False


def lost_pattern(document, mark, taken):
    """The pattern of a word, or of the largest part around it that holds three words or more, none of them taken."""
    main = [other.word in taken for other in document.marks if other.place[0] == "main"]
    if mark.place[0] == "main" and not any(main):
        return "the main part (all of it)"
    if "?" in mark.pattern:
        return mark.pattern[:mark.pattern.index("?") + 1] + (")" if "(?" in mark.pattern else "")
    for depth in range(2, len(mark.place) if mark.place[0] == "main" else 0):
        beneath = [other.word in taken for other in document.marks if other.place[:depth] == mark.place[:depth]]
        if len(beneath) > 2 and not any(beneath):
            return document.patterns.get(mark.place[:depth], "a part")
    return mark.pattern


def entries_of(report):
    """What a report lists, a line each."""
    return [f"{entry['place']}: {entry['what']}" for entry in report["skipped"]]


class Tally:
    """Counts of one format, and its distinct faults."""

    def __init__(self, name):
        self.name, self.count, self.faults, self.start = name, collections.Counter(), {}, time.monotonic()

    def fault(self, what, document, path):
        if what not in self.faults:
            kept = path.with_name(f"kept-{self.name.replace(' ', '-')}-{len(self.faults)}{path.suffix}")
            (shutil.copytree if path.is_dir() else shutil.copy)(path, kept)
            self.faults[what] = kept
        self.count["faults"] += 1

    def show(self):
        count = self.count
        print(f"{self.name:<16} {count['documents']:>4} documents, {count['refused']:>2} refused; {count['values']:>6} values: "
              f"{count['taken']:>6} taken, {count['listed']:>4} listed, {count['passed over']:>3} passed over, {count['silent']:>4} silent; "
              f"{count['again']} not the same again; {time.monotonic() - self.start:.1f} s", flush=True)
        for what, kept in sorted(self.faults.items()):
            print(f"  {what}  [{kept.name}]")


def weigh(document, tally, vault, path, done, report):
    """Counts what became of each word of a document."""
    whole = vault.texts()
    taken = words_in("\n".join(whole))
    entries = entries_of(report) if done.returncode == 1 else []
    for mark in document.marks:
        tally.count["values"] += 1
        if mark.word in taken:
            tally.count["taken"] += 1
        elif mark.pattern.startswith("[].?") and document.name == "source.jsonl":
            tally.count["passed over"] += 1
        elif is_listed(document, mark, taken, entries):
            tally.count["listed"] += 1
        else:
            tally.count["silent"] += 1
            tally.fault(f"silent: {lost_pattern(document, mark, taken)}", document, path)
    for text, what in document.apart:
        if text not in whole and WORD.search(text)[0] in taken:
            tally.fault(f"not in a field of its own: {what}", document, path)


def again(document, tally, vault, path, options):
    """Imports the same once more, in another second. A sound document adds nothing then."""
    if isinstance(document, Database):
        time.sleep(1)
    _, report = vault.take(path, *options)
    if report and report["added"] + report["changed"]:
        tally.count["again"] += 1
        tally.fault("the same once more is not the same", document, path)


def attempt(document, odd, tally, vault):
    """Imports one document, and weighs what became of it."""
    path = document.write(vault.folder)
    vault.renew()
    options = list(document.options)
    if document.format and (odd or document.words.chance(0.5)):
        options += ["--format", document.format] if document.words.chance(0.5) else []
    done, report = vault.take(path, *options)
    tally.count["documents"] += 1
    if done is None or done.returncode < 0 or done.returncode > 127:
        tally.fault(f"ends with {done.returncode if done else 'no answer in time'}", document, path)
    elif report is None or done.returncode not in (0, 1):
        refuse(document, odd, tally, vault, path, done)
    else:
        if not odd:
            again(document, tally, vault, path, options)
        weigh(document, tally, vault, path, done, report)


def refuse(document, odd, tally, vault, path, done):
    """Weighs a refusal: of an odd document, with a reason, and with nothing taken."""
    tally.count["refused"] += 1
    reason = done.stderr.decode(errors="replace").strip().split("\n")[0][:160]
    if not odd:
        tally.fault(f"a sound document is refused: {WORD.sub('WORD', reason)}", document, path)
    if not reason.startswith("qvault: ") or vault.texts():
        tally.fault(f"refused with {done.returncode}, but not cleanly: {WORD.sub('WORD', reason)}", document, path)


def with_mark(document):
    """The same document behind a byte order mark, or None where it has no main text."""
    mark = b"\xef\xbb\xbf"
    if document.members is not None:
        document.members = [(name, mark + data if name == document.main else data) for name, data in document.members]
    elif document.data is not None and not isinstance(document, Database):
        document.data = mark + document.data
    else:
        return None
    return document


def byte_order_mark(make, words, tally, vault):
    """Tries a sound document behind a byte order mark."""
    document = with_mark(make(words, False))
    if document is None:
        return
    path = document.write(vault.folder)
    vault.renew()
    done, report = vault.take(path)
    if report is None:
        tally.fault(f"a byte order mark is not read (ends with {done.returncode if done else 'no answer'})", document, path)
    else:
        weigh(document, tally, vault, path, done, report)


# MARK: Times

def many(count, alike):
    """Labels and values of many fields."""
    return [("f" if alike else f"f{number}", f"v{number}") for number in range(count)]


def many_bitwarden(fields):
    return "source.json", json_bytes({"items": [{"type": 1, "name": "n", "fields": [
        {"name": name, "value": value} for name, value in fields]}]})


def many_proton(fields):
    item = {"data": {"type": "login", "metadata": {"name": "n"}, "content": {}, "extraFields": [
        {"fieldName": name, "type": "text", "data": {"content": value}} for name, value in fields]}}
    return "source.json", json_bytes({"version": "1", "vaults": {"v": {"name": "g", "items": [item]}}})


def many_enpass(fields):
    return "source.json", json_bytes({"folders": [], "items": [{"title": "t", "fields": [
        {"label": name, "type": "text", "value": value} for name, value in fields]}]})


def many_onepassword(fields):
    section = {"title": "s", "fields": [{"title": name, "value": {"string": value}} for name, value in fields]}
    item = {"overview": {"title": "t"}, "details": {"sections": [section]}}
    data, out = json_bytes({"accounts": [{"vaults": [{"attrs": {"name": "v"}, "items": [item]}]}]}), io.BytesIO()
    write_archive(out, [("export.data", data)])
    return "source.1pux", out.getvalue()


def many_keepass(fields):
    strings = "".join(f"<String><Key>{name}</Key><Value>{value}</Value></String>" for name, value in fields)
    return "source.xml", f"<KeePassFile><Meta/><Root><Group><Name>g</Name><Entry>{strings}</Entry></Group></Root></KeePassFile>".encode()


def many_lines(fields):
    lines = "\n".join(f"{name}: {value}" for name, value in fields)
    return "source.csv", f'folder,type,name,fields,login_uri,login_username,login_password\n,login,n,"{lines}",,u,p\n'.encode()


def many_native(fields):
    record = {"kind": "note", "title": "t", "fields": {}, "own": [{"label": name, "value": value} for name, value in fields]}
    return "source.jsonl", b'{"format":"quickvault-export","version":1}\n' + json_bytes(record) + b"\n"


MANY = {"bitwarden": many_bitwarden, "proton": many_proton, "enpass": many_enpass, "1password": many_onepassword,
        "keepass": many_keepass, "bitwarden csv": many_lines, "json": many_native}


def processor_time():
    """The seconds that the commands so far took of a processor."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds(vault, make, count, alike, least):
    """The seconds of a processor that an import of many fields takes, without those for the start."""
    name, data = make(many(count, alike))
    path = vault.folder / name
    path.write_bytes(data)
    vault.renew()
    start = processor_time()
    vault.run("import", "-n", "-q", "-f", str(vault.path), str(path))
    return max(processor_time() - start - least, 0.001)


def median(vault, make, count, alike, least):
    """The median of three runs, or one run where it takes long."""
    first = seconds(vault, make, count, alike, least)
    if first > 1.5:
        return first
    return statistics.median([first, *(seconds(vault, make, count, alike, least) for _ in range(2))])


def growth(vault, name, make, alike):
    """How the time grows with twice the fields. Slow imports are measured with fewer fields."""
    least, count = statistics.median(seconds(vault, make, 1, alike, 0) for _ in range(3)), 2500
    while count < 20_000 and seconds(vault, make, count, alike, least) < 0.25:
        count *= 2
    once, twice = median(vault, make, count, alike, least), median(vault, make, 2 * count, alike, least)
    ratio = twice / max(once, 0.03)
    verdict = "QUADRATIC" if ratio > 3 else "more than linear" if ratio > 2.3 else "linear"
    print(f"{name:<16} {count:>6} fields {'alike' if alike else 'apart'}: {once:.3f} s, twice as many: {twice:.3f} s, "
          f"ratio {ratio:.2f} {verdict}", flush=True)
    return ratio <= 3


# MARK: All

FORMATS = {"bitwarden": bitwarden_json, "bitwarden zip": bitwarden_zip, "bitwarden csv": table("Bitwarden"), "1password": onepassword,
           "proton": proton_json, "proton zip": proton_zip, "enpass": enpass, "keepass": keepass_document, "csv": tables,
           "json": native_document, "json folder": native_folder, "pass": pass_folder, "kdbx": database}
NEEDS = {"pass": "gpg", "kdbx": "keepassxc-cli"}


def make_key(folder):
    """Makes the key to which the files of pass are encrypted."""
    home = folder / "gpg"
    home.mkdir(mode=0o700)
    os.environ["GNUPGHOME"] = str(home)
    subprocess.run(["gpg", "--batch", "-q", "--passphrase", "", "--quick-gen-key", "tester@example.org", "future-default", "default",
                    "never"], check=True, stderr=subprocess.DEVNULL)


def format_holds(name, make, runs, seed, vault):
    """Tries one format. Returns whether it accounts for everything."""
    if name in NEEDS and not shutil.which(NEEDS[name]):
        print(f"{name:<16} is passed over without {NEEDS[name]}")
        return True
    tally = Tally(name)
    for number in range(runs if name not in NEEDS else max(runs // 4, 1)):
        words, odd = Words(f"{seed} {name} {number}"), number % 3 != 0
        attempt(make(words, odd), odd, tally, vault)
    byte_order_mark(make, Words(f"{seed} {name} mark"), tally, vault)
    tally.show()
    return not tally.faults


def main():
    qvault, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    grows, numbers = "--growth" in sys.argv[3:], [int(word) for word in sys.argv[3:] if word != "--growth"]
    runs, seed = numbers + [14, 1][len(numbers):]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    vault = Vault(qvault, folder)
    if shutil.which("gpg"):
        make_key(folder)
    if grows:
        return 0 if all([growth(vault, name, make, alike) for name, make in MANY.items() for alike in (True, False)]) else 1
    whole = all([format_holds(name, make, runs, seed, vault) for name, make in FORMATS.items()])
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
