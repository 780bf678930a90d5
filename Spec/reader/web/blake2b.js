// BLAKE2b (RFC 7693) without a key, for Argon2. A word is two 32-bit halves, the low one first.

import { encodeU32, fromHex, u32 } from './bytes.js';

const BLOCK = 128;
const ROUNDS = 12;

// The same constants as SHA-512's initial state (RFC 7693, 2.6).
const IV = littleEndianWords([
  '6a09e667f3bcc908', 'bb67ae8584caa73b', '3c6ef372fe94f82b', 'a54ff53a5f1d36f1',
  '510e527fade682d1', '9b05688c2b3e6c1f', '1f83d9abfb41bd6b', '5be0cd19137e2179']);

const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

// The columns and diagonals of a round.
const MIXES = [
  [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
  [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14],
];

function littleEndianWords(hexWords) {
  const halves = hexWords.flatMap((hex) => [u32(fromHex(hex), 4), u32(fromHex(hex), 0)]);
  return Uint32Array.from(halves);
}

// v[a] += v[b]
function add(v, a, b) {
  addHalves(v, a, v[2 * b], v[2 * b + 1]);
}

function addHalves(v, a, low, high) {
  const sum = v[2 * a] + low;
  v[2 * a] = sum;
  v[2 * a + 1] += high + (sum > 0xffffffff ? 1 : 0);
}

// v[a] = (v[a] xor v[b]) rotated right by 1 to 31
function xorRotate(v, a, b, count) {
  const low = v[2 * a] ^ v[2 * b];
  const high = v[2 * a + 1] ^ v[2 * b + 1];
  v[2 * a] = (low >>> count) | (high << (32 - count));
  v[2 * a + 1] = (high >>> count) | (low << (32 - count));
}

// v[a] rotated by 32
function swapHalves(v, a) {
  [v[2 * a], v[2 * a + 1]] = [v[2 * a + 1], v[2 * a]];
}

// v[a] = (v[a] xor v[b]) rotated by 32
function xorSwap(v, a, b) {
  v[2 * a] ^= v[2 * b];
  v[2 * a + 1] ^= v[2 * b + 1];
  swapHalves(v, a);
}

// The function G of RFC 7693, 3.1. A rotation by 63 is one by 31 and one by 32.
function mix(v, [a, b, c, d], message, x, y) {
  add(v, a, b);
  addHalves(v, a, message[2 * x], message[2 * x + 1]);
  xorSwap(v, d, a);
  add(v, c, d);
  xorRotate(v, b, c, 24);
  add(v, a, b);
  addHalves(v, a, message[2 * y], message[2 * y + 1]);
  xorRotate(v, d, a, 16);
  add(v, c, d);
  xorRotate(v, b, c, 31);
  swapHalves(v, b);
}

function compress(state, block, count, last) {
  const v = new Uint32Array(32);
  v.set(state);
  v.set(IV, 16);
  v[24] ^= count % 2 ** 32;
  v[25] ^= Math.floor(count / 2 ** 32);
  if (last) {
    v[28] = ~v[28];
    v[29] = ~v[29];
  }
  const view = new DataView(block.buffer, block.byteOffset, BLOCK);
  const message = Uint32Array.from({ length: 32 }, (_, i) => view.getUint32(4 * i, true));
  for (let round = 0; round < ROUNDS; round++) {
    const order = SIGMA[round % 10];
    MIXES.forEach((words, i) => mix(v, words, message, order[2 * i], order[2 * i + 1]));
  }
  for (let i = 0; i < 16; i++) state[i] ^= v[i] ^ v[i + 16];
}

// The hash of 1 to 64 bytes.
export function blake2b(bytes, length) {
  const state = Uint32Array.from(IV);
  state[0] ^= 0x01010000 ^ length;
  let at = 0;
  for (; bytes.length - at > BLOCK; at += BLOCK) {
    compress(state, bytes.subarray(at, at + BLOCK), at + BLOCK, false);
  }
  const lastBlock = new Uint8Array(BLOCK);
  lastBlock.set(bytes.subarray(at));
  compress(state, lastBlock, bytes.length, true);
  const hash = new Uint8Array(64);
  state.forEach((word, i) => hash.set(encodeU32(word).reverse(), 4 * i));
  return hash.slice(0, length);
}
