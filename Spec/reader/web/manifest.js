// The manifest: heads, chunks and the stack of segments (container.md, 3.5; reader.md, 4).

import { compareBytes, equalBytes, readStored, toHex } from './bytes.js';
import { ensure } from './classes.js';
import { decodeCbor } from './cbor.js';
import { ctrMask, gcmOpen, sha256 } from './crypto.js';
import {
  isBytes, isDigest, isId, isOffset, isSequence, isUint, readLine, readLiveEntry, readPastEntry,
} from './entries.js';
import * as limits from './limits.js';
import { fault } from './log.js';

const TAG_SIZE = 16n;
const DIGEST_SIZE = 16;
const HEAD_PART = 0;

function compareNumbers(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareVersions(a, b) {
  return compareBytes(a.id, b.id) || compareNumbers(a.first, b.first);
}

// The parts of a segment: their number in nonces, how an item is read and ordered, and what a
// descriptor's `first` is and how it goes on from the one before.
export const PARTS = {
  live: {
    number: 1, read: readLiveEntry, isKey: isId, keyOf: (entry) => entry.id,
    order: (a, b) => compareBytes(a.id, b.id),
    follows: (key, before) => compareBytes(before, key) < 0,
  },
  past: {
    number: 2, read: readPastEntry, isKey: isId, keyOf: (entry) => entry.id,
    order: compareVersions,
    follows: (key, before) => compareBytes(before, key) <= 0,
  },
  lines: {
    number: 3, read: readLine, isKey: isSequence, keyOf: (line) => line.sequence,
    order: (a, b) => compareNumbers(a.sequence, b.sequence),
    follows: (key, before) => before < key,
  },
};

function sameKey(a, b) {
  return isBytes(a) ? equalBytes(a, b) : a === b;
}

function nonceOf(part, index) {
  const nonce = new Uint8Array(12);
  nonce[0] = part;
  new DataView(nonce.buffer).setUint32(8, index);
  return nonce;
}

// The rules of every link (4.1).
function checkLink(link) {
  ensure(link.offset % 64n === 0n, 'malformed', 'a segment does not stand on a multiple of 64');
  const fits = link.headLength > TAG_SIZE && link.headLength <= link.length
    && link.headLength <= limits.MAX_HEAD && link.length <= limits.MAX_SEGMENT;
  ensure(fits, 'malformed', 'the length of a segment or its head breaks a rule');
  const end = link.offset + link.length;
  ensure(link.copyOffset >= end, 'malformed', 'the copy of a head stands before the segment ends');
}

// The rules of the link in a core's private part (4.1; 8.2).
export function checkOwnLink(link, core) {
  checkLink(link);
  const within = link.offset >= core.start && link.offset + link.length <= core.recordStart;
  ensure(within, 'malformed', 'a segment lies outside its commit');
  const copyEnd = link.copyOffset + link.headLength;
  ensure(copyEnd <= core.end, 'malformed', 'the copy of a head ends behind its commit');
}

async function hasHash(bytes, hash) {
  return bytes !== undefined && equalBytes(await sha256(bytes), hash);
}

// The stored bytes of a head at its place; undefined where they have not the link's hash.
export async function readHeadInPlace({ file }, link) {
  const head = await readStored(file, link.offset, link.headLength);
  return await hasHash(head, link.headHash) ? head : undefined;
}

// The same from the copy, whose mask is taken off (container.md, 3.5).
export async function readHeadCopy({ file, keys }, link) {
  const masked = await readStored(file, link.copyOffset, link.headLength);
  const head = masked && await ctrMask(await keys.restKey(link.salt), masked);
  return await hasHash(head, link.headHash) ? head : undefined;
}

// 4.2
async function readHead(vault, link) {
  return await readHeadInPlace(vault, link) ?? await readHeadCopy(vault, link)
    ?? fault(vault, link.offset, link.headLength, 'the head of a segment is wrong');
}

// Opens the head of a segment (4.2 and 4.3).
export async function openSegment(vault, link) {
  const stored = await readHead(vault, link);
  const key = await vault.keys.segmentKey(link.salt);
  const head = await gcmOpen(key, nonceOf(HEAD_PART, 0), stored)
    ?? await fault(vault, link.offset, link.headLength, 'the head of a segment does not open');
  const segment = { link, key, ...parseHead(decodeCbor(head)) };
  const end = placeChunks(segment);
  ensure(end === link.offset + link.length, 'malformed', 'the lengths of a segment do not add up');
  if (segment.next) {
    checkLink(segment.next);
    const below = segment.next.offset + segment.next.length <= link.offset;
    ensure(below, 'malformed', 'a segment does not stand below the one that links to it');
  }
  return segment;
}

function parseHead(item) {
  ensure(Array.isArray(item) && item.length === 5, 'malformed', 'a head is no array of five');
  const [live, past, lines, link, extensions] = item;
  const extensible = extensions instanceof Map && [...extensions.keys()].every(isUint);
  ensure(extensible, 'malformed', 'the extensions of a head are no map of numbers');
  return {
    live: parseDescriptors(live, PARTS.live),
    past: parseDescriptors(past, PARTS.past),
    lines: parseDescriptors(lines, PARTS.lines),
    next: link === null ? undefined : parseLink(link),
  };
}

function parseDescriptors(items, part) {
  ensure(Array.isArray(items), 'malformed', 'a part of a head is no array');
  let before;
  return items.map((item, index) => {
    const descriptor = parseDescriptor(item, part);
    const follows = before === undefined || part.follows(descriptor.first, before);
    ensure(follows, 'malformed', 'the chunks of a head do not ascend');
    before = descriptor.first;
    return { ...descriptor, part, index };
  });
}

function parseDescriptor(item, part) {
  ensure(Array.isArray(item) && item.length >= 4, 'malformed', 'a descriptor is too short');
  const [length, count, digest, first] = item;
  const typed = isUint(length) && isUint(count) && isDigest(digest) && part.isKey(first);
  ensure(typed, 'malformed', 'a descriptor has another type');
  const longest = count === 1n ? limits.MAX_CHUNK_OF_ONE : limits.MAX_CHUNK;
  const bounded = length > TAG_SIZE && length <= longest
    && count >= 1n && count <= limits.MAX_CHUNK_ITEMS;
  ensure(bounded, 'malformed', 'a descriptor is beyond the limits');
  return { length, count: Number(count), digest, first };
}

function parseLink(item) {
  ensure(Array.isArray(item) && item.length >= 6, 'malformed', 'a link is too short');
  const [offset, length, headLength, copyOffset, salt, headHash] = item;
  const typed = isOffset(offset) && isUint(length) && isUint(headLength) && isOffset(copyOffset)
    && isBytes(salt, 32) && isBytes(headHash, 32);
  ensure(typed, 'malformed', 'a link has another type');
  return { offset, length, headLength, copyOffset, salt, headHash };
}

// Gives each chunk its place; returns the end of the last.
function placeChunks(segment) {
  let at = segment.link.offset + segment.link.headLength;
  for (const chunk of [...segment.live, ...segment.past, ...segment.lines]) {
    chunk.offset = at;
    at += chunk.length;
  }
  return at;
}

// The segments of the newest stack, from the newest down (4.1 to 4.3).
export async function openStack(vault) {
  checkOwnLink(vault.private.link, vault.core);
  const segments = [];
  for (let link = vault.private.link; link !== undefined;) {
    ensure(segments.length < limits.MAX_SEGMENTS, 'malformed', 'too many segments in a stack');
    const segment = await openSegment(vault, link);
    segments.push(segment);
    link = segment.next;
  }
  return segments;
}

// The stored bytes of a chunk; their digest holds.
async function readChunk(vault, chunk) {
  const stored = await readStored(vault.file, chunk.offset, chunk.length);
  const digest = stored && (await sha256(stored)).subarray(0, DIGEST_SIZE);
  if (digest && equalBytes(digest, chunk.digest)) return stored;
  return fault(vault, chunk.offset, chunk.length, 'a chunk of the manifest is wrong');
}

// The items of a chunk (4.4).
export async function openChunk(vault, segment, chunk) {
  const { part, index, count, first } = chunk;
  const stored = await readChunk(vault, chunk);
  const plain = await gcmOpen(segment.key, nonceOf(part.number, index), stored)
    ?? await fault(vault, chunk.offset, chunk.length, 'a chunk of the manifest does not open');
  const items = decodeCbor(plain);
  const counted = Array.isArray(items) && items.length === count;
  ensure(counted, 'malformed', 'a chunk has another number of items');
  const read = items.map(part.read);
  ensure(sameKey(part.keyOf(read[0]), first), 'malformed', 'a chunk begins with another item');
  checkOrder(part, read);
  return read;
}

export function checkOrder(part, items) {
  for (let i = 1; i < items.length; i++) {
    ensure(part.order(items[i - 1], items[i]) < 0, 'malformed', 'items do not ascend');
  }
}

// All items of one part of a segment.
export async function openPart(vault, segment, name) {
  const items = [];
  for (const chunk of segment[name]) items.push(...await openChunk(vault, segment, chunk));
  checkOrder(PARTS[name], items);
  return items;
}

// The present entries by id in hexadecimal, tombstones too, in the order of ids (4.4).
export async function presentEntries(vault, segments) {
  const entries = new Map();
  for (const segment of segments) {
    for (const entry of await openPart(vault, segment, 'live')) {
      const id = toHex(entry.id);
      if (!entries.has(id)) entries.set(id, entry);
    }
  }
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function isListed(entry) {
  return !entry.tombstone && !entry.trashed;
}

// The entries of a listing: all present ones but trashed ones and tombstones.
export async function listedEntries(vault, segments) {
  return [...(await presentEntries(vault, segments)).values()].filter(isListed);
}
