// The sequences of a compressed Zstandard block (RFC 8878, 3.1.1.3.2).

import { ensure } from './classes.js';
import { BackwardBits } from './bitstream.js';
import { FseState, buildTable, readDistribution, singleSymbolTable } from './fse.js';

// Baselines that follow each other: `direct` codes without extra bits, then by `extraBits`.
function codes(first, direct, extraBits) {
  const baselines = Array.from({ length: direct }, (_, i) => first + i);
  const extra = new Array(direct).fill(0);
  let next = first + direct;
  for (const bits of extraBits) {
    baselines.push(next);
    extra.push(bits);
    next += 2 ** bits;
  }
  return { baselines, extra };
}

const LITERAL_LENGTHS = codes(0, 16,
  [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
const MATCH_LENGTHS = codes(3, 32,
  [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

// The three kinds of codes with their limits and default distributions (3.1.1.3.2.2).
const KINDS = [
  {
    name: 'literalLengths', maxLog: 9, maxSymbol: 35, log: 6,
    probabilities: [
      4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1,
      1, -1, -1, -1, -1],
  },
  {
    name: 'offsets', maxLog: 8, maxSymbol: 31, log: 5,
    probabilities: [
      1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
  },
  {
    name: 'matchLengths', maxLog: 9, maxSymbol: 52, log: 6,
    probabilities: [
      1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1],
  },
];

// Returns the table for one kind of codes, and where its description ends (3.1.1.3.2.1).
function readTable(kind, mode, bytes, at, previous) {
  if (mode === 0) return { table: buildTable(kind), end: at };
  if (mode === 1) {
    ensure(at < bytes.length, 'malformed', 'a sequence table is cut off');
    ensure(bytes[at] <= kind.maxSymbol, 'malformed', 'a sequence code is unknown');
    return { table: singleSymbolTable(bytes[at]), end: at + 1 };
  }
  if (mode === 2) {
    const distribution = readDistribution(bytes, at, kind.maxLog, kind.maxSymbol);
    return { table: buildTable(distribution), end: distribution.end };
  }
  ensure(previous !== undefined, 'malformed', 'a sequence table to repeat is missing');
  return { table: previous, end: at };
}

// The number of sequences, and where it ends.
function readCount(bytes, at) {
  ensure(at < bytes.length, 'malformed', 'the number of sequences is missing');
  const first = bytes[at];
  const length = first < 128 ? 1 : first < 255 ? 2 : 3;
  ensure(at + length <= bytes.length, 'malformed', 'the number of sequences is cut off');
  if (length === 1) return { count: first, end: at + 1 };
  if (length === 2) return { count: ((first - 128) << 8) + bytes[at + 1], end: at + 2 };
  return { count: bytes[at + 1] + (bytes[at + 2] << 8) + 0x7f00, end: at + 3 };
}

// Reads the section from `start` to the end of the block. `tables` has those of the blocks before,
// and gets those of this one.
export function readSequences(bytes, start, tables) {
  const { count, end } = readCount(bytes, start);
  if (count === 0) {
    ensure(end === bytes.length, 'malformed', 'bytes behind the literals of a block');
    return [];
  }
  ensure(end < bytes.length, 'malformed', 'the modes of sequence tables are missing');
  const modes = bytes[end];
  ensure((modes & 3) === 0, 'malformed', 'reserved bits of the sequence tables are set');
  let at = end + 1;
  KINDS.forEach((kind, i) => {
    const mode = (modes >> (6 - 2 * i)) & 3;
    const read = readTable(kind, mode, bytes, at, tables[kind.name]);
    tables[kind.name] = read.table;
    at = read.end;
  });
  ensure(at < bytes.length, 'malformed', 'the sequences are missing');
  return decodeSequences(new BackwardBits(bytes.subarray(at)), count, tables);
}

function decodeSequences(bits, count, tables) {
  const literals = new FseState(tables.literalLengths, bits);
  const offsets = new FseState(tables.offsets, bits);
  const matches = new FseState(tables.matchLengths, bits);
  const sequences = [];
  for (let i = 0; i < count; i++) {
    if (i > 0) {
      literals.update(bits);
      matches.update(bits);
      offsets.update(bits);
    }
    const offset = 2 ** offsets.symbol + bits.read(offsets.symbol);
    const match = readLength(MATCH_LENGTHS, matches.symbol, bits);
    const literal = readLength(LITERAL_LENGTHS, literals.symbol, bits);
    sequences.push({ literal, match, offset });
    ensure(bits.left >= 0, 'malformed', 'the sequences are cut off');
  }
  bits.requireEnd();
  return sequences;
}

function readLength({ baselines, extra }, code, bits) {
  return baselines[code] + bits.read(extra[code]);
}

// The distance that an offset value means, with the three last ones (3.1.1.5). `recent` changes.
export function resolveOffset(value, literalLength, recent) {
  if (value > 3) {
    recent.unshift(value - 3);
    recent.pop();
    return recent[0];
  }
  const which = value - 1 + (literalLength === 0 ? 1 : 0);
  const distance = which < 3 ? recent[which] : recent[0] - 1;
  recent.splice(Math.min(which, 2), 1);
  recent.unshift(distance);
  return distance;
}
