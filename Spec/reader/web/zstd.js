// One Zstandard frame of a compressed content (container.md, 3.7; RFC 8878, 3.1.1).

import { ensure } from './classes.js';
import { decodeHuffman, readHuffmanTable } from './huffman.js';
import { readSequences, resolveOffset } from './sequences.js';
import { xxh64 } from './xxh64.js';

const MAGIC = 0xFD2FB528;
const SINGLE_SEGMENT_AND_CHECKSUM = 0x24;
const CONTENT_SIZE_BITS = 0xC0;
const MAX_BLOCK = 1 << 17;

function littleEndian(bytes, at, length) {
  let value = 0n;
  for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i]);
  return value;
}

// Decodes a frame that must give exactly `length` bytes; whatever breaks the form is malformed.
export function decodeFrame(bytes, length) {
  const blocks = checkHeader(bytes, length);
  const frame = {
    output: new Uint8Array(length), filled: 0, tables: {}, huffman: undefined, recent: [1, 4, 8],
  };
  const end = decodeBlocks(frame, bytes, blocks);
  ensure(frame.filled === length, 'malformed', 'a frame gives less than its length');
  ensure(end + 4 === bytes.length, 'malformed', 'a frame does not end behind its checksum');
  const checksum = xxh64(frame.output) & 0xffffffffn;
  ensure(littleEndian(bytes, end, 4) === checksum, 'malformed', 'a frame has a wrong checksum');
  return frame.output;
}

// Returns where the blocks begin.
function checkHeader(bytes, length) {
  ensure(bytes.length >= 6, 'malformed', 'a frame is cut off');
  ensure(littleEndian(bytes, 0, 4) === BigInt(MAGIC), 'malformed', 'no magic of a frame');
  const descriptor = bytes[4];
  const others = descriptor & ~CONTENT_SIZE_BITS;
  ensure(others === SINGLE_SEGMENT_AND_CHECKSUM, 'malformed', 'a frame has another descriptor');
  const sizeLog = descriptor >> 6;
  const end = 5 + (1 << sizeLog);
  ensure(end <= bytes.length, 'malformed', 'a frame is cut off');
  const stored = littleEndian(bytes, 5, 1 << sizeLog) + (sizeLog === 1 ? 256n : 0n);
  ensure(stored === BigInt(length), 'malformed', 'a frame says another length of its content');
  return end;
}

// Returns where the last block ends.
function decodeBlocks(frame, bytes, start) {
  let at = start;
  for (;;) {
    ensure(at + 3 <= bytes.length, 'malformed', 'a block header is cut off');
    const header = Number(littleEndian(bytes, at, 3));
    at = decodeBlock(frame, bytes, at + 3, (header >> 1) & 3, header >> 3);
    if (header & 1) return at;
  }
}

// Returns where the block ends.
function decodeBlock(frame, bytes, at, type, size) {
  ensure(type !== 3, 'malformed', 'a block has the reserved type');
  ensure(size <= MAX_BLOCK, 'malformed', 'a block is too large');
  const stored = type === 1 ? 1 : size;
  ensure(at + stored <= bytes.length, 'malformed', 'a block is cut off');
  if (type === 0) append(frame, bytes.subarray(at, at + size));
  if (type === 1) frame.output.fill(bytes[at], frame.filled, advance(frame, size));
  if (type === 2) decodeCompressed(frame, bytes.subarray(at, at + size));
  return at + stored;
}

// Makes room for `count` bytes, never more than the frame may give; returns the new end.
function advance(frame, count) {
  const end = frame.filled + count;
  ensure(end <= frame.output.length, 'malformed', 'a frame gives more than its length');
  frame.filled = end;
  return end;
}

function append(frame, bytes) {
  const at = frame.filled;
  advance(frame, bytes.length);
  frame.output.set(bytes, at);
}

function decodeCompressed(frame, block) {
  const { literals, end } = readLiterals(frame, block);
  const sequences = readSequences(block, end, frame.tables);
  let at = 0;
  for (const { literal, match, offset } of sequences) {
    ensure(at + literal <= literals.length, 'malformed', 'a block has too few literals');
    append(frame, literals.subarray(at, at + literal));
    at += literal;
    copyMatch(frame, resolveOffset(offset, literal, frame.recent), match);
  }
  append(frame, literals.subarray(at));
}

// A match may overlap what it makes, so it is copied byte by byte.
function copyMatch(frame, distance, count) {
  const from = frame.filled - distance;
  ensure(distance > 0 && from >= 0, 'malformed', 'a match begins before the frame');
  const at = frame.filled;
  advance(frame, count);
  for (let i = 0; i < count; i++) frame.output[at + i] = frame.output[from + i];
}

// The literals section (3.1.1.3.1): raw, one byte repeated, or coded by a new or the last tree.
function readLiterals(frame, block) {
  ensure(block.length > 0, 'malformed', 'a compressed block is empty');
  const type = block[0] & 3;
  const sizeFormat = (block[0] >> 2) & 3;
  return type < 2
    ? plainLiterals(block, type, sizeFormat)
    : codedLiterals(frame, block, type, sizeFormat);
}

function plainLiterals(block, type, sizeFormat) {
  const headerLength = [1, 2, 1, 3][sizeFormat];
  ensure(block.length >= headerLength, 'malformed', 'a literals header is cut off');
  const shift = headerLength === 1 ? 3n : 4n;
  const size = Number(littleEndian(block, 0, headerLength) >> shift);
  ensure(size <= MAX_BLOCK, 'malformed', 'a block has too many literals');
  const end = headerLength + (type === 0 ? size : 1);
  ensure(end <= block.length, 'malformed', 'literals are cut off');
  const literals = type === 0
    ? block.subarray(headerLength, end)
    : new Uint8Array(size).fill(block[headerLength]);
  return { literals, end };
}

function codedLiterals(frame, block, type, sizeFormat) {
  const headerLength = [3, 3, 4, 5][sizeFormat];
  ensure(block.length >= headerLength, 'malformed', 'a literals header is cut off');
  const width = [10n, 10n, 14n, 18n][sizeFormat];
  const sizes = littleEndian(block, 0, headerLength) >> 4n;
  const size = Number(sizes & ((1n << width) - 1n));
  const end = headerLength + Number(sizes >> width);
  ensure(size <= MAX_BLOCK, 'malformed', 'a block has too many literals');
  ensure(end <= block.length, 'malformed', 'literals are cut off');
  const section = block.subarray(headerLength, end);
  let start = 0;
  if (type === 2) {
    const tree = readHuffmanTable(section, 0);
    frame.huffman = tree.table;
    start = tree.end;
  }
  ensure(frame.huffman !== undefined, 'malformed', 'a Huffman tree to use again is missing');
  const streams = sizeFormat === 0 ? 1 : 4;
  return { literals: decodeHuffman(frame.huffman, section.subarray(start), size, streams), end };
}
