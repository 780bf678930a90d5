// The engine answers what the page asks of a vault. It runs in a worker: nothing that takes long stops the page, and closing the
// vault ends the only place that has keys.

import { decodeText, toHex } from '../bytes.js';
import { decodeCbor } from '../cbor.js';
import { Failure, ensure } from '../classes.js';
import { fingerprintOf } from '../core.js';
import { verifyKeyless, verifyWithAuditKey } from '../keyless.js';
import { openPart, openStack, presentEntries } from '../manifest.js';
import { choosePage } from '../pages.js';
import { listVault } from '../reading.js';
import { readRecord, readWhole } from '../records.js';
import { entriesAfter } from '../saves.js';
import {
  identitySecret, keyfileSecret, parseAuditKey, passwordSecret, recoverySecret,
} from '../secrets.js';
import { Tree, hasDerivedId, isInTree } from '../tree.js';
import { openVault } from '../vault.js';
import { verifyWithKey } from '../verify.js';
import { blobSlices, countingReads } from './blob-file.js';
import { fingerprintWords } from './fingerprint.js';

const MAX_CARD = 1 << 24;
// Bytes of a card whose values are searched.
const MAX_SEARCHED = 1 << 16;
const MAX_TIME = 2 ** 53;
// Bytes that are gathered before they go into a Blob, which need not be in memory.
const BLOB_PART = 1 << 23;

let file;
let vault;
// The entries that the page has seen, by id, and the vault to read each with.
let shown = new Map();

// An entry as the page sees it: text, numbers, and the id in hexadecimal.
function plainEntry(entry, tree) {
  const { overview } = entry;
  const path = tree && isInTree(entry) ? tree.pathOf(entry) : undefined;
  return {
    id: toHex(entry.id),
    kind: Number(entry.kind),
    title: visible(entry.title),
    path: path && visible(path),
    length: Number(entry.length),
    revision: Number(entry.revision),
    created: milliseconds(entry.created),
    updated: milliseconds(entry.updated),
    parent: entry.parent && toHex(entry.parent),
    inner: toHex(entry.inner),
    first: Number(entry.first),
    modified: overview.has('mtime') ? Number(overview.get('mtime') / 1000000n) : undefined,
    group: overview.get('group'),
    tags: overview.get('tags') ?? [],
    pinned: overview.get('pinned') === true,
    type: overview.get('type'),
  };
}

function milliseconds(time) {
  return Number(time / 1000n);
}

// A name whose control characters and bytes that are no UTF-8 can be seen.
function visible(bytes) {
  const text = decodeText(bytes) ?? `\\x${toHex(bytes)}`;
  return text.replace(/(?!\u200D)\p{C}/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

async function show(entries, from, tree) {
  shown = new Map(entries.map((entry) => [toHex(entry.id), { entry, vault: from }]));
  const plain = [];
  for (const entry of entries) {
    plain.push({ ...plainEntry(entry, tree), titleBefore: await titleBefore(entry) });
  }
  return plain;
}

const CONFLICT = /^(.*) \(conflict \d+(?:-[0-9a-f]{4})?(?:-\d+)?\)(\.[^.]{0,15})?$/s;

// The title that a copy had before a merge kept it beside the other one (store.md, 13.3).
async function titleBefore(entry) {
  const match = CONFLICT.exec(decodeText(entry.title) ?? '');
  return match && await hasDerivedId(entry) ? match[1] + (match[2] ?? '') : undefined;
}

async function secretOf({ kind, password, keyfile, text }) {
  if (kind === 'recovery') return recoverySecret(text);
  if (kind === 'identity') return identitySecret(text);
  return keyfile ? keyfileSecret(password, keyfile) : passwordSecret(password);
}

// The saves from the newest down, by the lines of the manifest.
async function listSaves() {
  const lines = [];
  for (const segment of await openStack(vault)) {
    for (const line of await openPart(vault, segment, 'lines')) lines.push(line);
  }
  const saves = lines.map(({ sequence, time, recordOffset, fingerprint }) => ({
    number: Number(sequence),
    time: milliseconds(time),
    isKept: recordOffset !== 0n,
    words: fingerprintWords(fingerprint),
  }));
  const { core } = vault;
  const newest = {
    number: Number(core.sequence),
    time: milliseconds(vault.private.time),
    isKept: true,
    words: fingerprintWords((await fingerprintOf(core)).subarray(0, 16)),
  };
  // A line about the newest save or a later one is none that a writer makes.
  return [newest, ...saves.filter(({ number }) => number < newest.number)]
    .sort((a, b) => b.number - a.number);
}

// Each version of a record that the vault has, the newest first.
async function versionsOf(id) {
  const segments = await openStack(vault);
  const present = (await presentEntries(vault, segments)).get(id);
  const versions = present && !present.tombstone ? [present] : [];
  for (const segment of segments) {
    const past = await openPart(vault, segment, 'past');
    for (const entry of past) if (toHex(entry.id) === id) versions.push(entry);
  }
  return versions.sort((a, b) => Number(b.first - a.first));
}

function found(id) {
  const item = shown.get(id);
  ensure(item !== undefined, 'invalid', 'no such record');
  return item;
}

// The content of a card, a mark or a setting: a map with text keys (product/records.md, 3).
async function readMap({ entry, vault: from }) {
  ensure(entry.length <= MAX_CARD, 'malformed', 'a content is longer than a card may be');
  const map = decodeCbor(await readWhole(from, entry));
  ensure(map instanceof Map, 'malformed', 'a content is no map');
  return map;
}

function plainCard(map) {
  const fields = [];
  for (const [key, value] of map) {
    if (typeof key === 'string' && typeof value === 'string') fields.push([key, value]);
  }
  const own = map.get('own');
  const custom = !Array.isArray(own) ? [] : own
    .filter((item) => Array.isArray(item) && typeof item[0] === 'string' && typeof item[1] === 'string')
    .map(([label, value, sensitive]) => [label, value, sensitive !== undefined]);
  return { fields, own: custom };
}

function report({ verdict, findings, notes }) {
  return {
    verdict,
    findings: findings.map(({ verdict: kind, message, place }) => (
      { verdict: kind, message, place: place?.map(Number) })),
    notes,
  };
}

// Takes a file, and says what can be said of it without a key.
export async function take(slices) {
  [file, vault, shown] = [slices, undefined, new Map()];
  const { page } = await choosePage(file);
  return {
    size: file.size,
    sequence: Number(page.core.sequence),
    words: fingerprintWords((await fingerprintOf(page.core)).subarray(0, 16)),
    slots: page.slots.filter(({ known }) => known).map(({ kind, kdf }) => ({ kind, kdf })),
  };
}

async function openWith(secret) {
  vault = await openVault(file, secret);
  const { entries, tree } = await listVault(vault);
  return {
    entries: await show(entries, vault, tree),
    warnings: vault.choice.warnings,
    saves: await listSaves(),
  };
}

// Reads a file that has changed, with the keys at hand.
export function reopen(slices) {
  file = slices;
  return openWith({ master: vault.keys.master });
}

export const calls = {
  load: ({ blob }) => take(blobSlices(blob)),

  unlock: async (given) => openWith(await secretOf(given)),

  // The vault as it was after a save.
  async at({ save }) {
    if (save === Number(vault.core.sequence)) {
      const { entries, tree } = await listVault(vault);
      return show(entries, vault, tree);
    }
    const state = await entriesAfter(vault, BigInt(save));
    ensure(state !== undefined, 'invalid', 'this save is no longer kept');
    return show(state.entries, state.vault, new Tree(state.entries));
  },

  async card({ id }) { return plainCard(await readMap(found(id))); },

  // Many cards at once; of one that cannot be read, why. Long ones are left out of a search; of those that are counted none is.
  async cards({ ids, areCounted }, progress) {
    const cards = [];
    for (const id of ids) {
      const item = found(id);
      try {
        const isLong = !areCounted && item.entry.length > MAX_SEARCHED;
        cards.push([id, isLong ? { fields: [], own: [] } : plainCard(await readMap(item))]);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        cards.push([id, { fields: [], own: [], error: `${error.verdict}: ${error.message}` }]);
      }
      progress(cards.length / ids.length);
    }
    return cards;
  },

  // A content of a series: points by key, times and values as they stand (product/portfolio.md, 3).
  async series({ id }) {
    const map = await readMap(found(id));
    const series = [];
    for (const [key, points] of map) {
      if (typeof key !== 'string' || !Array.isArray(points)) continue;
      let [time, values] = [0, []];
      series.push([key, points.map((point) => {
        const sound = Array.isArray(point) && point.length > 1 && typeof point[0] === 'bigint'
          && point[0] >= 0n && time + Number(point[0]) <= MAX_TIME;
        ensure(sound, 'malformed', 'a point of a series breaks a rule');
        time += Number(point[0]);
        values = point.slice(1).map((value, place) => (value === null ? values[place] : value));
        ensure(values.every((value) => typeof value === 'string'), 'malformed', 'a value of a series is no text');
        return [time, ...values];
      })]);
    }
    return series;
  },

  // All settings: of each its type and value, or why it cannot be read.
  async settings({ ids }) {
    const settings = [];
    for (const id of ids) {
      try {
        const map = await readMap(found(id));
        const value = map.get('value');
        const text = value instanceof Uint8Array ? `${value.length} B` : [].concat(value ?? []).map(String).join('\n');
        settings.push([id, { type: String(map.get('type')), value: text }]);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        settings.push([id, { type: '', value: `${error.verdict}: ${error.message}` }]);
      }
    }
    return settings;
  },

  // The content as a Blob of no type: what it may be shown as is the page's to say.
  async content({ id }, progress) {
    const { entry, vault: from } = found(id);
    let [whole, parts, gathered, done] = [new Blob([]), [], 0, 0];
    await readRecord(from, entry, (part) => {
      parts.push(part.slice());
      gathered += part.length;
      done += part.length;
      if (gathered < BLOB_PART) return;
      whole = new Blob([whole, ...parts]);
      [parts, gathered] = [[], 0];
      progress(done / Math.max(1, Number(entry.length)));
    });
    return new Blob([whole, ...parts]);
  },

  async versions({ id }) {
    return (await versionsOf(id)).map((entry) => (
      { ...plainEntry(entry), isTrashed: entry.trashed === true }));
  },

  // The fields of the version of a card that came with a save.
  async version({ id, first }) {
    const entry = (await versionsOf(id)).find((one) => Number(one.first) === first);
    ensure(entry !== undefined, 'invalid', 'no such version');
    return plainCard(await readMap({ entry, vault }));
  },

  // Verifies the file: with the key of the open vault, with an audit key, or without any.
  async verify({ how, auditKey }, progress) {
    const counted = countingReads(file, progress);
    if (how === 'audit') return report(await verifyWithAuditKey(counted, await parseAuditKey(auditKey)));
    if (how === 'key') return report(await verifyWithKey(Promise.resolve({ ...vault, file: counted })));
    return report(await verifyKeyless(counted));
  },
};

self.onmessage = async ({ data: { call, name, given } }) => {
  let last = 0;
  const progress = (share) => {
    if (performance.now() - last < 100) return;
    last = performance.now();
    self.postMessage({ call, share });
  };
  try {
    self.postMessage({ call, result: await calls[name](given ?? {}, progress) });
  } catch (error) {
    const verdict = error instanceof Failure ? error.verdict : 'io';
    self.postMessage({ call, error: { verdict, message: String(error.message) } });
  }
};
