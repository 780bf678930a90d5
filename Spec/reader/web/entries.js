// Entries and lines of the manifest, held against entries.cddl and limits.md. Whatever breaks a
// rule is malformed.

import { decodeText, encodeText } from './bytes.js';
import { ensure } from './classes.js';
import {
  MAX_CONTENT, MAX_OFFSET, MAX_PIECES, PIECE_ROW, isCounter, isTime,
} from './limits.js';

export const KIND_FILE = 1n;
export const KIND_FOLDER = 2n;
export const KIND_SYMLINK = 3n;
export const KIND_ATTACHMENT = 32n;
export const KIND_PIECE = 38n;
export const KIND_SETTING = 40n;

const MAX_KIND = 65535n;
const MTIME_LIMIT = 1n << 63n;
const STATE_BITS = 3n;
const TRASHED = 1n;

export function isUint(value) {
  return typeof value === 'bigint' && value >= 0n;
}

export function isBytes(value, length) {
  return value instanceof Uint8Array && (length === undefined || value.length === length);
}

export function isId(value) {
  return isBytes(value, 16);
}

export function isDigest(value) {
  return isBytes(value, 16);
}

export function isSequence(value) {
  return isUint(value) && isCounter(value);
}

export function isOffset(value) {
  return isUint(value) && value <= MAX_OFFSET;
}

function isTimeItem(value) {
  return isUint(value) && isTime(value);
}

function isText(value) {
  return typeof value === 'string';
}

function isTrue(value) {
  return value === true;
}

function isOrigin(value) {
  return Array.isArray(value) && value.length === 2 && isSequence(value[0]) && isDigest(value[1]);
}

function isStoredLength(value) {
  return isUint(value) && value >= 1n && value <= MAX_CONTENT;
}

// The integer keys of an entry, each with its name here and its rule.
const KEYS = new Map([
  [0n, { name: 'id', holds: isId }],
  [1n, { name: 'kind', holds: (value) => isUint(value) && value <= MAX_KIND }],
  [2n, { name: 'revision', holds: isSequence }],
  [3n, { name: 'salt', holds: (value) => isBytes(value, 32) }],
  [4n, { name: 'offset', holds: isOffset }],
  [5n, { name: 'length', holds: (value) => isUint(value) && value <= MAX_CONTENT }],
  [6n, { name: 'created', holds: isTimeItem }],
  [7n, { name: 'updated', holds: isTimeItem }],
  [8n, { name: 'parent', holds: isId }],
  [9n, { name: 'first', holds: isSequence }],
  [10n, { name: 'last', holds: isSequence }],
  [11n, { name: 'flags', holds: (value) => isUint(value) && value >= 1n }],
  [12n, { name: 'overview', holds: (value) => value instanceof Map }],
  [13n, { name: 'storedLength', holds: isStoredLength }],
  [14n, { name: 'hint', holds: isUint }],
  [15n, { name: 'list', holds: (value) => value === 1n }],
  [20n, { name: 'inner', holds: isId }],
  [21n, { name: 'former', holds: isId }],
  [22n, { name: 'origin', holds: isOrigin }],
]);

// Which of these keys an entry of each form must have, and which it may have besides.
const LIVE = { needed: [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 9n, 12n] };
const PAST = { needed: [...LIVE.needed, 10n] };
const TOMBSTONE = { needed: [0n, 2n, 7n, 9n, 11n], optional: [] };
LIVE.optional = [8n, 11n, 13n, 14n, 15n, 20n, 21n, 22n];
PAST.optional = LIVE.optional;

const OVERVIEW = new Map([
  ['mtime', (value) => typeof value === 'bigint' && value >= -MTIME_LIMIT && value < MTIME_LIMIT],
  ['exec', isTrue],
  ['tags', (value) => Array.isArray(value) && value.length > 0 && value.every(isText)],
  ['group', isText],
  ['pinned', isTrue],
  ['type', isText],
]);

// The fields of a map by name, and its keys held against a form.
function readKeys(map, form) {
  ensure(map instanceof Map, 'malformed', 'an entry is no map');
  const fields = {};
  for (const [key, value] of map) {
    ensure(isUint(key), 'malformed', 'an entry has a key of another type');
    if (!KEYS.has(key)) {
      ensure(key > 15n, 'malformed', `an entry has the key ${key}`);
      continue;
    }
    const fits = form.needed.includes(key) || form.optional.includes(key);
    ensure(fits, 'malformed', `an entry must not have the key ${key}`);
    const { name, holds } = KEYS.get(key);
    ensure(holds(value), 'malformed', `the ${name} of an entry breaks its rule`);
    fields[name] = value;
  }
  const complete = form.needed.every((key) => map.has(key));
  ensure(complete, 'malformed', 'an entry lacks a key');
  return fields;
}

// The title as bytes: text, or a byte string that is no UTF-8.
function readTitle(value) {
  if (isText(value)) return encodeText(value);
  const odd = isBytes(value) && decodeText(value) === undefined;
  ensure(odd, 'malformed', 'a title is missing or of another type');
  return value;
}

function readOverview(map) {
  for (const [key, value] of map) {
    ensure(isText(key), 'malformed', 'an overview has a key that is no text');
    const holds = OVERVIEW.get(key);
    ensure(!holds || holds(value), 'malformed', `the ${key} of an overview breaks its rule`);
  }
  return readTitle(map.get('title'));
}

// The rules between the keys of an entry that is no tombstone.
function finishEntry(fields) {
  const packed = fields.storedLength !== undefined;
  const empty = fields.length === 0n;
  ensure(!(packed && empty), 'malformed', 'an empty content is compressed or in pieces');
  const fits = packed && fields.storedLength % PIECE_ROW === 0n
    && fields.storedLength <= PIECE_ROW * MAX_PIECES;
  ensure(fields.list === undefined || fits, 'malformed', 'a list of pieces has an odd length');
  const inner = fields.inner !== undefined;
  ensure(!inner || fields.kind === KIND_FOLDER, 'malformed', 'no folder, and an inner id');
  return {
    ...fields,
    title: readOverview(fields.overview),
    isExecutable: fields.overview.get('exec') === true,
    tombstone: false,
    trashed: ((fields.flags ?? 0n) & STATE_BITS) === TRASHED,
    inner: fields.inner ?? fields.id,
  };
}

function state(map) {
  const flags = map instanceof Map ? map.get(11n) : undefined;
  return isUint(flags) ? flags & STATE_BITS : 0n;
}

export function readLiveEntry(map) {
  if (state(map) > TRASHED) return { ...readKeys(map, TOMBSTONE), tombstone: true };
  return finishEntry(readKeys(map, LIVE));
}

export function readPastEntry(map) {
  ensure(state(map) <= TRASHED, 'malformed', 'a past entry is a tombstone');
  const entry = finishEntry(readKeys(map, PAST));
  ensure(entry.first <= entry.last, 'malformed', 'a past entry ends before it begins');
  return entry;
}

// A line: what the manifest says of an earlier commit (container.md, 3.5).
export function readLine(item) {
  ensure(Array.isArray(item) && item.length >= 4, 'malformed', 'a line is no array of four');
  const [sequence, time, recordOffset, fingerprint] = item;
  const sound = isSequence(sequence) && isTimeItem(time) && isOffset(recordOffset)
    && isDigest(fingerprint);
  ensure(sound, 'malformed', 'a line breaks a rule');
  return { sequence, time, recordOffset, fingerprint };
}
