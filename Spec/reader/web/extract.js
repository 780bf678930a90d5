// Extracting what is listed (reader.md, 6).

import { decodeText, toHex } from './bytes.js';
import { Failure, worse } from './classes.js';
import { KIND_FILE, KIND_FOLDER, KIND_SETTING } from './entries.js';
import { MAX_PATH, MAX_TITLE } from './limits.js';
import { listedEntries, openStack } from './manifest.js';
import { readRecord } from './records.js';
import { Tree, isInTree } from './tree.js';
import { checkFolder, checkSymlink, readTarget } from './verify-records.js';

const SLASH = 0x2F;

// Extracts into `target`, which has `folder(path)`, `file(path, content, isExecutable)` and
// `symlink(path, target)` for paths as bytes. `content(write)` hands out the content of a file,
// which gets its name only when that has returned. Gives `ok`, `left-out` or a class.
export async function extract(vault, target) {
  const listed = await listedEntries(vault, await openStack(vault));
  const extraction = new Extraction(vault, new Tree(listed), target);
  const others = listed.filter((entry) => !isInTree(entry) && !isPart(entry));
  if (!others.every(isCompressionSetting)) {
    extraction.leftOut = true;
  }
  await extraction.run();
  return extraction.verdict;
}

// A record that only serves others.
function isPart({ kind }) {
  return (kind >= 33n && kind <= 39n) || kind === 41n;
}

// The one setting that is about the vault and not left out.
function isCompressionSetting(entry) {
  return entry.kind === KIND_SETTING && decodeText(entry.title) === 'compression';
}

class Extraction {
  constructor(vault, tree, target) {
    this.vault = vault;
    this.tree = tree;
    this.target = target;
    this.made = new Set();
    this.refused = new Set();
    this.leftOut = false;
    this.worst = 'ok';
  }

  get verdict() {
    return this.worst === 'ok' && this.leftOut ? 'left-out' : this.worst;
  }

  // Folders from the top down, then files, and symlinks last.
  async run() {
    const { entries, around } = this.tree;
    const depth = (entry) => around.get(entry).length;
    const folders = entries.filter(({ kind }) => kind === KIND_FOLDER);
    const files = entries.filter(({ kind }) => kind === KIND_FILE);
    const symlinks = entries.filter(({ kind }) => kind !== KIND_FOLDER && kind !== KIND_FILE);
    folders.sort((a, b) => depth(a) - depth(b));
    for (const entry of folders) await this.#entry(entry, (path) => this.#folder(entry, path));
    for (const entry of files) await this.#entry(entry, (path) => this.#file(entry, path));
    for (const entry of symlinks) await this.#entry(entry, (path) => this.#symlink(entry, path));
  }

  // Makes one entry unless its name is refused; what cannot be read is left out.
  async #entry(entry, make) {
    const path = this.tree.pathOf(entry);
    const beneathRefused = this.tree.around.get(entry).some((folder) => this.refused.has(folder));
    if (beneathRefused || !isName(entry.title) || path.length > MAX_PATH
      || this.made.has(toHex(path))) {
      this.#leaveOut(entry);
      return;
    }
    try {
      if (await make(path) === false) this.#leaveOut(entry);
      else this.made.add(toHex(path));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.worst = worse(this.worst, error.verdict);
      this.#leaveOut(entry);
    }
  }

  #leaveOut(entry) {
    this.leftOut = true;
    this.refused.add(entry);
  }

  #folder(entry, path) {
    checkFolder(entry);
    return this.target.folder(path);
  }

  #file(entry, path) {
    const content = (write) => readRecord(this.vault, entry, write);
    return this.target.file(path, content, entry.isExecutable);
  }

  async #symlink(entry, path) {
    checkSymlink(entry);
    const target = await readTarget(this.vault, entry);
    if (!staysInside(target, this.tree.around.get(entry).length)) return false;
    return this.target.symlink(path, target);
  }
}

function isName(title) {
  return title.length >= 1 && title.length <= MAX_TITLE && !title.includes(SLASH)
    && !title.includes(0) && !isDots(title, 1) && !isDots(title, 2);
}

function isDots(bytes, count) {
  return bytes.length === count && bytes.every((byte) => byte === 0x2E);
}

// Not absolute, `..` among the first components only, and no more of them than folders around the
// link. Empty components and `.` are passed over.
function staysInside(target, folders) {
  if (target[0] === SLASH) return false;
  const components = splitPath(target).filter((part) => part.length > 0 && !isDots(part, 1));
  const climbs = components.map((part) => isDots(part, 2));
  const first = climbs.indexOf(false);
  const leading = first === -1 ? climbs.length : first;
  return climbs.lastIndexOf(true) < leading && leading <= folders;
}

function splitPath(bytes) {
  const parts = [];
  let start = 0;
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && bytes[at] !== SLASH) continue;
    parts.push(bytes.subarray(start, at));
    start = at + 1;
  }
  return parts;
}
