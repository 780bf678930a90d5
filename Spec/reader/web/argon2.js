// Argon2id, version 1.3 (RFC 9106), without a secret and without associated data (keys.md, 2).
//
// A block is 256 32-bit halves of its 128 words, the low half first. Lanes are filled one after
// the other.

import { concat, encodeU32 } from './bytes.js';
import { blake2b } from './blake2b.js';
import { mulHigh } from './int64.js';

const BLOCK_HALVES = 256;
const BLOCK_BYTES = 1024;
const SLICES = 4;
const ADDRESSES = 128;
const VERSION = 0x13;
const TYPE_ID = 2;

function le32(value) {
  return encodeU32(value).reverse();
}

// The hash of any length (RFC 9106, 3.3).
function longHash(bytes, length) {
  const input = concat(le32(length), bytes);
  if (length <= 64) return blake2b(input, length);
  const result = new Uint8Array(length);
  let hash = blake2b(input, 64);
  let at = 0;
  for (; length - at > 64; at += 32) {
    result.set(hash.subarray(0, 32), at);
    hash = blake2b(hash, Math.min(64, length - at - 32));
  }
  result.set(hash, at);
  return result;
}

// word a = a + b + 2 · low(a) · low(b); word d = (d xor a) rotated by 32, 24, 16 or 63
// (RFC 9106, 3.6). `a` to `d` are the places of the low halves.
function mix(v, a, b, c, d) {
  let al = v[a], ah = v[a + 1], bl = v[b], bh = v[b + 1];
  let cl = v[c], ch = v[c + 1], dl = v[d], dh = v[d + 1];
  let low, high, sum;

  low = Math.imul(al, bl) >>> 0; high = mulHigh(al, bl);
  sum = al + bl + ((low << 1) >>> 0);
  ah = (ah + bh + ((high << 1) | (low >>> 31)) + (sum / 4294967296 | 0)) >>> 0; al = sum >>> 0;
  low = (dl ^ al) >>> 0; dl = (dh ^ ah) >>> 0; dh = low;

  low = Math.imul(cl, dl) >>> 0; high = mulHigh(cl, dl);
  sum = cl + dl + ((low << 1) >>> 0);
  ch = (ch + dh + ((high << 1) | (low >>> 31)) + (sum / 4294967296 | 0)) >>> 0; cl = sum >>> 0;
  low = bl ^ cl; high = bh ^ ch;
  bl = ((low >>> 24) | (high << 8)) >>> 0; bh = ((high >>> 24) | (low << 8)) >>> 0;

  low = Math.imul(al, bl) >>> 0; high = mulHigh(al, bl);
  sum = al + bl + ((low << 1) >>> 0);
  ah = (ah + bh + ((high << 1) | (low >>> 31)) + (sum / 4294967296 | 0)) >>> 0; al = sum >>> 0;
  low = dl ^ al; high = dh ^ ah;
  dl = ((low >>> 16) | (high << 16)) >>> 0; dh = ((high >>> 16) | (low << 16)) >>> 0;

  low = Math.imul(cl, dl) >>> 0; high = mulHigh(cl, dl);
  sum = cl + dl + ((low << 1) >>> 0);
  ch = (ch + dh + ((high << 1) | (low >>> 31)) + (sum / 4294967296 | 0)) >>> 0; cl = sum >>> 0;
  low = bl ^ cl; high = bh ^ ch;
  bl = ((high >>> 31) | (low << 1)) >>> 0; bh = ((low >>> 31) | (high << 1)) >>> 0;

  v[a] = al; v[a + 1] = ah; v[b] = bl; v[b + 1] = bh;
  v[c] = cl; v[c + 1] = ch; v[d] = dl; v[d + 1] = dh;
}

// The permutation P on 16 words: pairs that stand `stride` halves apart, from `start` on.
function permute(v, start, stride) {
  const at = (word) => start + (word >> 1) * stride + (word & 1) * 2;
  for (let i = 0; i < 4; i++) mix(v, at(i), at(i + 4), at(i + 8), at(i + 12));
  for (let i = 0; i < 4; i++) {
    mix(v, at(i), at(4 + (i + 1) % 4), at(8 + (i + 2) % 4), at(12 + (i + 3) % 4));
  }
}

// The compression function G (3.5) of two blocks, written to or XORed into a third.
function compress(scratch, left, right, target, overwrite) {
  for (let i = 0; i < BLOCK_HALVES; i++) scratch[i] = left[i] ^ right[i];
  for (let row = 0; row < 8; row++) permute(scratch, 32 * row, 4);
  for (let column = 0; column < 8; column++) permute(scratch, 4 * column, 32);
  for (let i = 0; i < BLOCK_HALVES; i++) {
    const value = scratch[i] ^ left[i] ^ right[i];
    target[i] = overwrite ? value : target[i] ^ value;
  }
}

class Argon2id {
  constructor(passes, memory, lanes) {
    this.passes = passes;
    this.lanes = lanes;
    this.segmentLength = Math.floor(memory / (SLICES * lanes));
    this.laneLength = SLICES * this.segmentLength;
    this.blocks = new Uint32Array(lanes * this.laneLength * BLOCK_HALVES);
    this.scratch = new Uint32Array(BLOCK_HALVES);
  }

  block(lane, index) {
    const at = (lane * this.laneLength + index) * BLOCK_HALVES;
    return this.blocks.subarray(at, at + BLOCK_HALVES);
  }

  // The first two blocks of each lane (3.2, steps 3 and 4).
  begin(seed) {
    for (let lane = 0; lane < this.lanes; lane++) {
      for (let index = 0; index < 2; index++) {
        const bytes = longHash(concat(seed, le32(index), le32(lane)), BLOCK_BYTES);
        const view = new DataView(bytes.buffer);
        const block = this.block(lane, index);
        for (let i = 0; i < BLOCK_HALVES; i++) block[i] = view.getUint32(4 * i, true);
      }
    }
  }

  fill() {
    for (let pass = 0; pass < this.passes; pass++) {
      for (let slice = 0; slice < SLICES; slice++) {
        for (let lane = 0; lane < this.lanes; lane++) this.fillSegment(pass, slice, lane);
      }
    }
  }

  fillSegment(pass, slice, lane) {
    const addresses = pass === 0 && slice < 2 ? this.addresses(pass, slice, lane) : undefined;
    for (let index = pass === 0 && slice === 0 ? 2 : 0; index < this.segmentLength; index++) {
      const place = slice * this.segmentLength + index;
      const previous = this.block(lane, (place || this.laneLength) - 1);
      const [j1, j2] = addresses ? addresses(index) : previous;
      const refLane = pass === 0 && slice === 0 ? lane : j2 % this.lanes;
      const reference = this.reference(pass, slice, index, refLane === lane, j1);
      const target = this.block(lane, place);
      compress(this.scratch, previous, this.block(refLane, reference), target, pass === 0);
    }
  }

  // Addresses that do not depend on the password (3.4.1.2), for the first half of the first pass.
  addresses(pass, slice, lane) {
    const zero = new Uint32Array(BLOCK_HALVES);
    const input = new Uint32Array(BLOCK_HALVES);
    const output = new Uint32Array(BLOCK_HALVES);
    const memory = this.lanes * this.laneLength;
    const words = [pass, lane, slice, memory, this.passes, TYPE_ID];
    words.forEach((word, i) => { input[2 * i] = word; });
    return (index) => {
      const counter = Math.floor(index / ADDRESSES) + 1;
      if (input[12] !== counter) {
        input[12] = counter;
        compress(this.scratch, zero, input, output, true);
        compress(this.scratch, zero, output, output, true);
      }
      const at = 2 * (index % ADDRESSES);
      return [output[at], output[at + 1]];
    };
  }

  // The index of the reference block in its lane (3.4.2).
  reference(pass, slice, index, sameLane, j1) {
    const finished = pass === 0 ? slice : SLICES - 1;
    const within = sameLane ? index - 1 : index === 0 ? -1 : 0;
    const area = finished * this.segmentLength + within;
    const x = mulHigh(j1, j1);
    const offset = area - 1 - mulHigh(area, x);
    const start = pass === 0 ? 0 : (slice + 1) * this.segmentLength;
    return (start + offset) % this.laneLength;
  }

  finish(length) {
    const last = this.block(0, this.laneLength - 1).slice();
    for (let lane = 1; lane < this.lanes; lane++) {
      const other = this.block(lane, this.laneLength - 1);
      for (let i = 0; i < BLOCK_HALVES; i++) last[i] ^= other[i];
    }
    return longHash(concat(...Array.from(last, le32)), length);
  }
}

// Memory is in KiB.
export function argon2id(password, salt, passes, memory, lanes, length) {
  const numbers = [lanes, length, memory, passes, VERSION, TYPE_ID].map(le32);
  const fields = [password, salt, new Uint8Array(0), new Uint8Array(0)];
  const inputs = fields.flatMap((field) => [le32(field.length), field]);
  const state = new Argon2id(passes, memory, lanes);
  state.begin(blake2b(concat(...numbers, ...inputs), 64));
  state.fill();
  return state.finish(length);
}
