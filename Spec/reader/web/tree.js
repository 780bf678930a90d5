// The tree of files, folders and symlinks: ids, paths, and looking one up (entries.cddl, "Kinds";
// reader.md, 4.5 and 4.6).

import { compareBytes, concat, encodeText, equalBytes, toHex } from './bytes.js';
import { fail, ensure } from './classes.js';
import { sha256 } from './crypto.js';
import { KIND_FILE, KIND_FOLDER, KIND_SYMLINK } from './entries.js';
import { MAX_DEPTH } from './limits.js';
import { isListed, openChunk } from './manifest.js';

const NAME_LABEL = encodeText('quickvault/1/name\0');
const TOP = new Uint8Array(16);
const SLASH = encodeText('/');

export function isInTree(entry) {
  return [KIND_FILE, KIND_FOLDER, KIND_SYMLINK].includes(entry.kind);
}

// The id of a title in a folder; at the top the parent is 16 zero bytes.
async function deriveId(title, parent = TOP) {
  const hash = await sha256(concat(NAME_LABEL, parent, title));
  return concat(parent.subarray(14), hash.subarray(0, 14));
}

export async function hasDerivedId(entry) {
  return equalBytes(entry.id, await deriveId(entry.title, entry.parent));
}

// The listed entries as a tree: the rules of 4.6, and for each entry the folders around it.
export class Tree {
  constructor(listed) {
    this.entries = listed.filter(isInTree);
    this.folders = new Map();
    for (const entry of this.entries) {
      if (entry.kind === KIND_FOLDER) this.#addFolder(entry);
    }
    this.chains = new Map();
    this.paths = new Map();
    this.around = new Map();
    for (const entry of this.entries) this.around.set(entry, this.#foldersAround(entry.parent));
  }

  #addFolder(entry) {
    const inner = toHex(entry.inner);
    ensure(!this.folders.has(inner), 'malformed', 'two folders have one inner id');
    this.folders.set(inner, entry);
  }

  // Those around what lies in one, from the inside out. A chain that goes round is deeper than the limit.
  #foldersAround(parent, depth = 0) {
    if (parent === undefined) return [];
    const inner = toHex(parent);
    if (!this.chains.has(inner)) {
      ensure(depth < MAX_DEPTH, 'malformed', 'a path is too deep');
      const folder = this.folders.get(inner);
      ensure(folder !== undefined, 'malformed', 'an entry lies in no listed folder');
      this.chains.set(inner, [folder, ...this.#foldersAround(folder.parent, depth + 1)]);
    }
    const chain = this.chains.get(inner);
    ensure(chain.length < MAX_DEPTH, 'malformed', 'a path is too deep');
    return chain;
  }

  pathOf(entry) {
    const [folder] = this.around.get(entry);
    if (folder === undefined) return entry.title;
    if (!this.paths.has(folder)) this.paths.set(folder, concat(this.pathOf(folder), SLASH));
    return concat(this.paths.get(folder), entry.title);
  }
}

// The listed entry at a path, by looking up one id for each component (4.5).
export async function findPath(vault, segments, path) {
  let entry;
  for (const component of path.split('/')) {
    ensure(!entry || entry.kind === KIND_FOLDER, 'invalid', `no folder around ${component}`);
    const title = encodeText(component);
    const id = await deriveId(title, entry?.inner);
    entry = await findEntry(vault, segments, id);
    if (!entry || !isListed(entry)) fail('invalid', `there is no ${path}`);
    ensure(equalBytes(entry.title, title), 'malformed', 'an entry has another title than its id');
  }
  return entry;
}

// The newest entry of an id: one chunk of each segment can hold it.
async function findEntry(vault, segments, id) {
  for (const segment of segments) {
    const chunk = segment.live.findLast(({ first }) => compareBytes(first, id) <= 0);
    const items = chunk ? await openChunk(vault, segment, chunk) : [];
    const found = items.find((item) => equalBytes(item.id, id));
    if (found) return found;
  }
  return undefined;
}
