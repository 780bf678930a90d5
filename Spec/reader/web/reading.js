// Listing and reading all of a vault: what the key `read` of a vector asks for (reader.md, 9).

import { listedEntries, openStack } from './manifest.js';
import { readRecord } from './records.js';
import { Tree } from './tree.js';

// What a list shows, by ascending id, and the tree of it (reader.md, 4).
export async function listVault(vault) {
  const entries = await listedEntries(vault, await openStack(vault));
  return { entries, tree: new Tree(entries) };
}

// Reads the records one after the other; `release` gets what may be handed out.
export async function readAll(vault, entries, release) {
  for (const entry of entries) await readRecord(vault, entry, release);
}
