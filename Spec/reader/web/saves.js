// The state of the vault after a save (store.md, 10).

import { compareBytes, toHex } from './bytes.js';
import { Failure } from './classes.js';
import { KIND_FOLDER } from './entries.js';
import { MAX_DEPTH } from './limits.js';
import { isListed, openPart, openStack, presentEntries } from './manifest.js';
import { isInTree } from './tree.js';
import { vaultBefore } from './vault.js';

// The entries after a save that are not in the trash, by ascending id, and the vault to read them
// with; undefined where the save cannot be shown.
export async function entriesAfter(vault, sequence) {
  try {
    return await entriesOf(vault, sequence);
  } catch (error) {
    const damaged = error instanceof Failure && error.verdict === 'damaged';
    const before = damaged ? await vaultBefore(vault, sequence) : undefined;
    if (before === undefined) throw error;
    return entriesOf(before, sequence);
  }
}

async function entriesOf(vault, sequence) {
  const segments = await openStack(vault);
  const present = [...(await presentEntries(vault, segments)).values()];
  const past = await allOf(vault, segments, 'past');
  const lines = await allOf(vault, segments, 'lines');
  if (!canShow(vault, lines, sequence)) return undefined;
  const entries = [...present, ...past]
    .filter((entry) => isLiveAt(entry, sequence) && isListed(entry));
  return { vault, entries: withoutPurged(entries).sort((a, b) => compareBytes(a.id, b.id)) };
}

// What lay in a folder that was purged since is missing in every state: its folder is.
function withoutPurged(entries) {
  const folders = new Map();
  for (const entry of entries) {
    if (entry.kind === KIND_FOLDER) folders.set(toHex(entry.inner), entry);
  }
  return entries.filter((entry) => !isInTree(entry) || reachesTop(entry, folders));
}

function reachesTop(entry, folders) {
  let around = entry;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    if (around.parent === undefined) return true;
    around = folders.get(toHex(around.parent));
    if (around === undefined) return false;
  }
  return false;
}

async function allOf(vault, segments, part) {
  const items = [];
  for (const segment of segments) items.push(...await openPart(vault, segment, part));
  return items;
}

// The save is the newest, or one with a line whose offset is not 0.
function canShow(vault, lines, sequence) {
  const line = lines.find((candidate) => candidate.sequence === sequence);
  return sequence === vault.core.sequence || (line !== undefined && line.recordOffset !== 0n);
}

function isLiveAt({ first, last }, sequence) {
  return first <= sequence && (last === undefined || sequence <= last);
}
