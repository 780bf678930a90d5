// What the page asks of a vault. It runs in a worker, so that nothing that takes long stops the page, and so that closing
// the vault ends the only place that has keys.

import { decodeText, fromHex, toHex } from '../bytes.js';
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
import { isInTree } from '../tree.js';
import { openVault } from '../vault.js';
import { verifyWithKey } from '../verify.js';
import { blobSlices, countingReads } from './blob-file.js';
import { fingerprintWords } from './fingerprint.js';

const MAX_CARD = 1 << 24;
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
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

function show(entries, from, tree) {
  shown = new Map(entries.map((entry) => [toHex(entry.id), { entry, vault: from }]));
  return entries.map((entry) => plainEntry(entry, tree));
}

async function secretOf({ kind, password, keyfile, text }) {
  if (kind === 'recovery') return recoverySecret(text);
  if (kind === 'identity') return identitySecret(text);
  return keyfile ? keyfileSecret(password, keyfile) : passwordSecret(password);
}

// The saves from the newest down, by the lines of the manifest.
async function listSaves() {
  const lines = [];
  for (const segment of await openStack(vault)) lines.push(...await openPart(vault, segment, 'lines'));
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
  return [newest, ...saves.filter(({ number }) => number !== newest.number)]
    .sort((a, b) => b.number - a.number);
}

// Each version of a record that the vault has, the newest first.
async function versionsOf(id) {
  const segments = await openStack(vault);
  const wanted = fromHex(id);
  const present = (await presentEntries(vault, segments)).get(id);
  const versions = present && !present.tombstone ? [present] : [];
  for (const segment of segments) {
    const past = await openPart(vault, segment, 'past');
    versions.push(...past.filter((entry) => toHex(entry.id) === toHex(wanted)));
  }
  versions.sort((a, b) => Number(b.first - a.first));
  return versions.map((entry) => ({ ...plainEntry(entry), isTrashed: entry.trashed === true }));
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
    .map(([label, value, sensitive]) => [label, value, sensitive === true]);
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

const calls = {
  // Takes a file, and says what can be said of it without a key.
  async load({ blob }) {
    [file, vault, shown] = [blobSlices(blob), undefined, new Map()];
    const { page } = await choosePage(file);
    return {
      size: file.size,
      sequence: Number(page.core.sequence),
      words: fingerprintWords((await fingerprintOf(page.core)).subarray(0, 16)),
      slots: page.slots.filter(({ known }) => known).map(({ kind, kdf }) => ({ kind, kdf })),
    };
  },

  async unlock(given) {
    vault = await openVault(file, await secretOf(given));
    const { entries, tree } = await listVault(vault);
    return {
      entries: show(entries, vault, tree),
      warnings: vault.choice.warnings,
      saves: await listSaves(),
    };
  },

  // The vault as it was after a save.
  async at({ save }) {
    if (save === Number(vault.core.sequence)) {
      const { entries, tree } = await listVault(vault);
      return show(entries, vault, tree);
    }
    const state = await entriesAfter(vault, BigInt(save));
    ensure(state !== undefined, 'invalid', 'this save is no longer kept');
    return show(state.entries, state.vault);
  },

  async card({ id }) { return plainCard(await readMap(found(id))); },

  async cards({ ids }, progress) {
    const cards = [];
    for (const id of ids) {
      try {
        cards.push([id, plainCard(await readMap(found(id)))]);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
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
      series.push([key, points.filter(Array.isArray).map(([distance, ...rest]) => {
        time += Number(distance);
        values = rest.map((value, place) => (value === null ? values[place] : value));
        return [time, ...values.map(String)];
      })]);
    }
    return series;
  },

  async setting({ id }) {
    const map = await readMap(found(id));
    const value = map.get('value');
    return {
      type: String(map.get('type')),
      value: value instanceof Uint8Array ? `${value.length} B` : [].concat(value ?? []).map(String).join('\n'),
    };
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

  versions: ({ id }) => versionsOf(id),

  // What a version of a record held.
  async version({ id, revision }) {
    const segments = await openStack(vault);
    for (const segment of segments) {
      const past = await openPart(vault, segment, 'past');
      const entry = past.find((one) => toHex(one.id) === id && Number(one.revision) === revision);
      if (entry) return plainCard(await readMap({ entry, vault }));
    }
    return plainCard(await readMap(found(id)));
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
