// Stored records: sealed headers, chunks and frames (container.md, 3.6 and 3.7; reader.md, 5).

import { concat, equalBytes, readStored, toHex, u16, u32, u64 } from './bytes.js';
import { ensure } from './classes.js';
import { gcmOpen } from './crypto.js';
import { KIND_PIECE } from './entries.js';
import { PIECE_ROW } from './limits.js';
import { fault } from './log.js';
import { isListed, openStack, presentEntries } from './manifest.js';
import { decodeFrame } from './zstd.js';

const SALT_SIZE = 32;
const HEADER_NONCE_SIZE = 12;
const HEADER_SIZE = 192;
const MAX_SHORT_NAME = 63;
const CHUNK = 65536;
const TAG_SIZE = 16;
const FRAME_CONTENT = 1 << 20;
const FRAME_GROWTH = 4096;
const FRAME_ROW = 4;
const LIST_FLAG = 1;

// The length of what is stored for an entry, m of container.md, 3.6.
function storedLengthOf(entry) {
  return Number(entry.storedLength ?? entry.length);
}

function chunkCount(length) {
  return Math.max(1, Math.ceil(length / CHUNK));
}

// The bytes that the stored record of an entry takes.
export function recordLength(entry) {
  const length = storedLengthOf(entry);
  return BigInt(HEADER_SIZE + length + TAG_SIZE * chunkCount(length));
}

// 5.1
function checkPlace(vault, entry) {
  ensure(entry.offset % 64n === 0n, 'malformed', 'a record does not stand on a multiple of 64');
  const end = entry.offset + recordLength(entry);
  ensure(end <= vault.core.end, 'malformed', 'a record goes on behind the log end');
}

// Opens and judges the sealed header (5.1 and 5.2).
export async function checkHeader(vault, entry) {
  checkPlace(vault, entry);
  const bytes = await readStored(vault.file, entry.offset, HEADER_SIZE);
  const header = bytes && await openHeader(vault.keys, entry.salt, bytes);
  if (!header) await fault(vault, entry.offset, BigInt(HEADER_SIZE), 'a sealed header is wrong');
  const flags = u16(header, 18);
  ensure((flags & ~LIST_FLAG) === 0, 'unsupported', 'a record has an unknown flag');
  ensure(header[80] <= MAX_SHORT_NAME, 'malformed', 'a short name is too long');
  ensure(u64(header, 32) === entry.length, 'malformed', 'a header has another length');
  const stored = entry.storedLength ?? 0n;
  ensure(u64(header, 72) === stored, 'malformed', 'a header has another stored length');
  const list = entry.list === undefined ? 0 : LIST_FLAG;
  ensure(flags === list, 'malformed', 'a header and its entry differ in what is stored');
}

// The plaintext of a sealed header with the entry's salt; undefined where it is not that.
async function openHeader(keys, salt, bytes) {
  if (!equalBytes(bytes.subarray(0, SALT_SIZE), salt)) return undefined;
  const nonce = salt.subarray(0, HEADER_NONCE_SIZE);
  return gcmOpen(keys.headerKey, nonce, bytes.subarray(SALT_SIZE), concat(salt, keys.vaultId));
}

// The chunks of one stored record. The last opened chunk is kept, since frames cross the borders
// of chunks, and so is a pinned one, which has the end of the frames beside their table.
class Chunks {
  constructor(vault, entry, key) {
    this.vault = vault;
    this.entry = entry;
    this.key = key;
    this.length = storedLengthOf(entry);
    this.count = chunkCount(this.length);
    this.kept = new Map();
    this.pinned = undefined;
  }

  async open(index) {
    const kept = this.kept.get(index);
    if (kept) return kept;
    const last = index === this.count - 1;
    const length = (last ? this.length - index * CHUNK : CHUNK) + TAG_SIZE;
    const offset = this.entry.offset + BigInt(HEADER_SIZE + index * (CHUNK + TAG_SIZE));
    const sealed = await readStored(this.vault.file, offset, length);
    const plain = sealed && await gcmOpen(this.key, chunkNonce(index, last), sealed);
    if (!plain) await fault(this.vault, offset, BigInt(length), 'a chunk of a record is wrong');
    this.keep(index, plain);
    return plain;
  }

  keep(index, plain) {
    for (const other of this.kept.keys()) {
      if (other !== this.pinned) this.kept.delete(other);
    }
    this.kept.set(index, plain);
  }

  // Bytes `from` to `to` of what is stored.
  async slice(from, to) {
    const parts = [];
    for (let index = Math.floor(from / CHUNK); index * CHUNK < to; index++) {
      const start = index * CHUNK;
      const plain = await this.open(index);
      parts.push(plain.subarray(Math.max(from - start, 0), to - start));
    }
    return concat(...parts);
  }
}

// i as 11 bytes ‖ 1 for the last chunk (container.md, 3.6).
function chunkNonce(index, last) {
  const nonce = new Uint8Array(12);
  new DataView(nonce.buffer).setUint32(7, index);
  nonce[11] = last ? 1 : 0;
  return nonce;
}

// Reads the content of an entry; `release` gets each part that may be handed out (5).
export async function readRecord(vault, entry, release) {
  const pieces = entry.list === undefined ? [entry] : await findPieces(vault, entry);
  for (const piece of pieces) await readStoredContent(vault, piece, release);
}

// The entries of the pieces of a content (container.md, 3.10; reader.md, 5.5).
export async function findPieces(vault, entry) {
  const rows = pieceRows(await readList(vault, entry));
  const sum = rows.reduce((total, { length }) => total + length, 0n);
  const sound = sum === entry.length && rows.every(({ length }) => length > 0n);
  ensure(sound, 'malformed', 'the lengths of pieces are wrong');
  vault.present ??= openStack(vault).then((stack) => presentEntries(vault, stack));
  const present = await vault.present;
  return rows.map(({ id, length }) => {
    const piece = present.get(toHex(id));
    const there = piece !== undefined && isListed(piece) && piece.kind === KIND_PIECE
      && piece.parent === undefined && piece.revision === 1n
      && piece.length === length && piece.list === undefined;
    ensure(there, 'malformed', 'a piece is not there');
    return piece;
  });
}

function pieceRows(bytes) {
  const rows = [];
  for (let at = 0; at < bytes.length; at += Number(PIECE_ROW)) {
    rows.push({ id: bytes.subarray(at, at + 16), length: u64(bytes, at + 16) });
  }
  return rows;
}

// What is stored for a content in pieces.
export async function readList(vault, entry) {
  const parts = [];
  await readChunks(vault, entry, (part) => { parts.push(part); });
  return concat(...parts);
}

// Opens what is stored for an entry, as it stands.
async function readChunks(vault, entry, release) {
  await checkHeader(vault, entry);
  const chunks = new Chunks(vault, entry, await vault.keys.recordKey(entry.salt));
  for (let index = 0; index < chunks.count; index++) await release(await chunks.open(index));
}

async function readStoredContent(vault, entry, release) {
  if (entry.storedLength === undefined) {
    await readChunks(vault, entry, release);
    return;
  }
  await checkHeader(vault, entry);
  const chunks = new Chunks(vault, entry, await vault.keys.recordKey(entry.salt));
  await readFrames(chunks, Number(entry.length), release);
}

// The content as a whole, for what is known to be short.
export async function readWhole(vault, entry) {
  const pieces = [];
  await readRecord(vault, entry, (piece) => { pieces.push(piece); });
  return concat(...pieces);
}

// 5.4
async function readFrames(chunks, contentLength, release) {
  const count = Math.ceil(contentLength / FRAME_CONTENT);
  const lengths = await frameLengths(chunks, contentLength, count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const frame = await chunks.slice(at, at + lengths(i));
    await release(decodeFrame(frame, frameContent(contentLength, i)));
    at += lengths(i);
  }
}

function frameContent(contentLength, index) {
  return Math.min(FRAME_CONTENT, contentLength - index * FRAME_CONTENT);
}

// The stored length of each frame, by its number: a single one takes all, more have a table.
async function frameLengths(chunks, contentLength, count) {
  const tableStart = count === 1 ? chunks.length : chunks.length - FRAME_ROW * count;
  ensure(tableStart > 0, 'malformed', 'a frame table is longer than what is stored');
  let lengths = () => tableStart;
  if (count > 1) {
    chunks.pinned = Math.floor(tableStart / CHUNK);
    const table = await chunks.slice(tableStart, chunks.length);
    lengths = (index) => u32(table, FRAME_ROW * index);
  }
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const longest = frameContent(contentLength, i) + FRAME_GROWTH;
    const fits = lengths(i) >= 1 && lengths(i) <= longest;
    ensure(fits, 'malformed', 'the length of a frame is outside the limits');
    sum += lengths(i);
  }
  ensure(sum === tableStart, 'malformed', 'the lengths of the frames do not add up');
  return lengths;
}
