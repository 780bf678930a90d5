// Parity, as far as it matters to a reader (container.md, 3.9; reader.md, 7.4 and 10.1).

import { LOG_START, PAGE_SIZE, concat, equalBytes, readAt, u16, u32, u64 } from './bytes.js';

const MAGIC = Uint8Array.of(0x89, 0x51, 0x56, 0x50, 0x52, 0x54, 0x59, 0x0A);
const KIND_FILE = 2;
const BLOCK_SIZE = 1280;
const CHECKSUM_AT = 252;
const PARITY_AT = 256;
const DATA_SIZE = 1024n;
const GROUP_SIZE = 200n;
const STEP = 256;
const TAIL_WINDOW = 32768;
const MIN_ROWS = 8;
const MAX_ROWS = 55;
const MAX_LENGTH = 1n << 60n;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >>> 1 ^ 0x82F63B78 : crc >>> 1;
  return crc;
});

// CRC-32C (RFC 3720, B.4).
function crc32c(bytes) {
  let crc = 0xFFFFFFFF;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ crc >>> 8;
  return ~crc >>> 0;
}

function groupsOf(length) {
  return (length / DATA_SIZE + GROUP_SIZE - 1n) / GROUP_SIZE | 1n;
}

// The sound block of a tail in its place at `at`; undefined where there is none.
async function readTailBlock(file, at) {
  const bytes = await readAt(file, at, BLOCK_SIZE);
  if (bytes === undefined || !equalBytes(bytes.subarray(0, 8), MAGIC)) return undefined;
  const block = {
    rows: bytes[9], row: u16(bytes, 10), group: BigInt(u32(bytes, 12)), length: u64(bytes, 24),
    tag: bytes.subarray(32, 44),
  };
  const summed = concat(bytes.subarray(0, CHECKSUM_AT), bytes.subarray(PARITY_AT));
  const fits = bytes[8] === KIND_FILE && u64(bytes, 16) === 0n && isPossible(block)
    && at === block.length + BigInt(BLOCK_SIZE) * numberOf(block);
  return fits && crc32c(summed) === u32(bytes, CHECKSUM_AT) ? block : undefined;
}

function isPossible({ rows, row, group, length }) {
  return rows >= MIN_ROWS && rows <= MAX_ROWS && row < rows && length > 0n && length <= MAX_LENGTH
    && length % DATA_SIZE === 0n && group < groupsOf(length);
}

function numberOf({ row, group, length }) {
  return BigInt(row) * groupsOf(length) + group;
}

// Where a file with a tail ends without it, by the last block among its last 32,768 bytes;
// undefined where it has none (10.1).
export async function endBeforeTail(file) {
  const first = Math.ceil(Math.max(file.size - TAIL_WINDOW, 0) / STEP) * STEP;
  for (let at = Math.floor(file.size / STEP) * STEP; at >= first; at -= STEP) {
    const block = await readTailBlock(file, BigInt(at));
    if (block) return block.length;
  }
  return undefined;
}

// The tail of a backup: undefined where it has none, else whether all its blocks are there (7.4).
export async function isTailWhole(file, page) {
  if (!page.isCopy) return undefined;
  const start = LOG_START + page.logEnd + BigInt(PAGE_SIZE);
  const counts = new Map();
  for (let at = start; at + BigInt(BLOCK_SIZE) <= BigInt(file.size); at += BigInt(BLOCK_SIZE)) {
    const block = await readTailBlock(file, at);
    if (block?.length !== start) continue;
    const size = BigInt(BLOCK_SIZE * block.rows) * groupsOf(start);
    if (page.tailLength !== 0n && page.tailLength !== size) continue;
    const key = `${block.rows} ${block.tag}`;
    const known = counts.get(key) ?? { found: 0n, all: BigInt(block.rows) * groupsOf(start) };
    known.found += 1n;
    counts.set(key, known);
  }
  if (counts.size === 0 && page.tailLength === 0n) return undefined;
  return [...counts.values()].some(({ found, all }) => found === all);
}
