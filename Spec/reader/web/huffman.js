// Huffman-coded literals of Zstandard (RFC 8878, 4.2).

import { ensure } from './classes.js';
import { BackwardBits } from './bitstream.js';
import { FseState, buildTable, readDistribution } from './fse.js';

const MAX_BITS = 11;
const MAX_WEIGHT_LOG = 6;
const MAX_SYMBOLS = 256;

// Reads a tree description (4.2.1). Returns the table, and where the description ends.
export function readHuffmanTable(bytes, start) {
  ensure(start < bytes.length, 'malformed', 'a Huffman tree is missing');
  const header = bytes[start];
  const direct = header >= 128;
  const length = direct ? (header - 126) >> 1 : header;
  const end = start + 1 + length;
  ensure(end <= bytes.length, 'malformed', 'a Huffman tree is cut off');
  const description = bytes.subarray(start + 1, end);
  const weights = direct ? directWeights(description, header - 127) : fseWeights(description);
  return { table: buildHuffmanTable(weights), end };
}

function directWeights(description, count) {
  return Array.from({ length: count }, (_, i) => {
    const pair = description[i >> 1];
    return i % 2 === 0 ? pair >> 4 : pair & 15;
  });
}

// Two states take turns until the stream is used up; then the other one gives the last weight.
function fseWeights(description) {
  const distribution = readDistribution(description, 0, MAX_WEIGHT_LOG, MAX_BITS + 1);
  const table = buildTable(distribution);
  const bits = new BackwardBits(description.subarray(distribution.end));
  let [current, other] = [new FseState(table, bits), new FseState(table, bits)];
  ensure(bits.left >= 0, 'malformed', 'Huffman weights are cut off');
  const weights = [];
  while (weights.length < MAX_SYMBOLS) {
    weights.push(current.symbol);
    current.update(bits);
    if (bits.left < 0) {
      weights.push(other.symbol);
      return weights;
    }
    [current, other] = [other, current];
  }
  return weights;
}

// The last weight makes the sum a power of two (4.2.1.1).
function completeWeights(weights) {
  const sum = weights.reduce((total, weight) => total + (weight > 0 ? 2 ** (weight - 1) : 0), 0);
  ensure(sum > 0 && weights.length < MAX_SYMBOLS, 'malformed', 'Huffman weights make no tree');
  const maxBits = 32 - Math.clz32(sum);
  const left = 2 ** maxBits - sum;
  ensure(maxBits <= MAX_BITS, 'malformed', 'a Huffman code is too long');
  ensure((left & (left - 1)) === 0, 'malformed', 'Huffman weights make no tree');
  return { maxBits, weights: [...weights, 32 - Math.clz32(left)] };
}

// All codes, filled up to the longest: of each its symbol and its length.
function buildHuffmanTable(given) {
  const { maxBits, weights } = completeWeights(given);
  const symbols = new Uint8Array(1 << maxBits);
  const widths = new Uint8Array(1 << maxBits);
  let place = 0;
  for (let weight = 1; weight <= maxBits; weight++) {
    weights.forEach((ofSymbol, symbol) => {
      if (ofSymbol !== weight) return;
      const end = place + (1 << (weight - 1));
      symbols.fill(symbol, place, end);
      widths.fill(maxBits + 1 - weight, place, end);
      place = end;
    });
  }
  return { maxBits, symbols, widths };
}

// Decodes one stream (4.2.2) that fills `output`.
function decodeStream(table, stream, output) {
  ensure(stream.length > 0, 'malformed', 'a Huffman stream is empty');
  const bits = new BackwardBits(stream);
  for (let i = 0; i < output.length; i++) {
    const code = bits.peek(table.maxBits);
    output[i] = table.symbols[code];
    bits.left -= table.widths[code];
  }
  bits.requireEnd();
}

// Decodes one stream, or four behind a table of the lengths of three (4.2.2).
export function decodeHuffman(table, bytes, length, streams) {
  const output = new Uint8Array(length);
  if (streams === 1) {
    decodeStream(table, bytes, output);
    return output;
  }
  ensure(bytes.length >= 6, 'malformed', 'a Huffman jump table is cut off');
  const part = (length + 3) >> 2;
  let at = 6;
  for (let i = 0; i < 4; i++) {
    const size = i < 3 ? bytes[2 * i] | (bytes[2 * i + 1] << 8) : bytes.length - at;
    ensure(size <= bytes.length - at, 'malformed', 'a Huffman stream is cut off');
    ensure(i * part <= length, 'malformed', 'four Huffman streams for too few literals');
    const slice = output.subarray(i * part, i < 3 ? (i + 1) * part : length);
    decodeStream(table, bytes.subarray(at, at + size), slice);
    at += size;
  }
  return output;
}
