// XXH64 with seed 0, whose low 32 bits are the checksum of a Zstandard frame (RFC 8878, 3.1.1).

import { mulHigh } from './int64.js';

const P1 = 0x9E3779B185EBCA87n;
const P2 = 0xC2B2AE3D27D4EB4Fn;
const P3 = 0x165667B19E3779F9n;
const P4 = 0x85EBCA77C2B2AE63n;
const P5 = 0x27D4EB2F165667C5n;
const STRIPE = 32;

function low(value) {
  return Number(value & 0xffffffffn);
}

function high(value) {
  return Number(value >> 32n);
}

function wrap(value) {
  return BigInt.asUintN(64, value);
}

function rotate(value, count) {
  return wrap((value << count) | (value >> (64n - count)));
}

const [P1_LOW, P1_HIGH, P2_LOW, P2_HIGH] = [low(P1), high(P1), low(P2), high(P2)];

// Mixes a word into lane `i` of [low, high] halves: lane = rotl(lane + word · P2, 31) · P1.
function mixLane(lanes, i, wordLow, wordHigh) {
  const productLow = Math.imul(wordLow, P2_LOW) >>> 0;
  const productHigh = mulHigh(wordLow, P2_LOW) + Math.imul(wordHigh, P2_LOW)
    + Math.imul(wordLow, P2_HIGH);
  const sumLow = lanes[i] + productLow;
  const sumHigh = lanes[i + 1] + productHigh + (sumLow > 0xffffffff ? 1 : 0);
  const turnedHigh = ((sumHigh << 31) | (sumLow >>> 1)) >>> 0;
  const turnedLow = ((sumLow << 31) | (sumHigh >>> 1)) >>> 0;
  lanes[i] = Math.imul(turnedLow, P1_LOW);
  lanes[i + 1] = mulHigh(turnedLow, P1_LOW) + Math.imul(turnedHigh, P1_LOW)
    + Math.imul(turnedLow, P1_HIGH);
}

function round(accumulator, word) {
  return wrap(rotate(wrap(accumulator + word * P2), 31n) * P1);
}

// The four lanes over all whole stripes, merged.
function hashStripes(bytes, view) {
  const start = [P1 + P2, P2, 0n, -P1].map(wrap);
  const lanes = Uint32Array.from(start.flatMap((lane) => [low(lane), high(lane)]));
  for (let at = 0; at + STRIPE <= bytes.length; at += STRIPE) {
    for (let lane = 0; lane < 4; lane++) {
      const place = at + 8 * lane;
      mixLane(lanes, 2 * lane, view.getUint32(place, true), view.getUint32(place + 4, true));
    }
  }
  const words = [0, 2, 4, 6].map((i) => BigInt(lanes[i]) | (BigInt(lanes[i + 1]) << 32n));
  const shifts = [1n, 7n, 12n, 18n];
  const sum = wrap(words.reduce((total, word, i) => total + rotate(word, shifts[i]), 0n));
  return words.reduce((hash, word) => wrap((hash ^ round(0n, word)) * P1 + P4), sum);
}

// The bytes behind the last whole stripe.
function hashTail(hash, bytes, view) {
  let at = bytes.length - bytes.length % STRIPE;
  for (; at + 8 <= bytes.length; at += 8) {
    hash = wrap(rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
  }
  if (at + 4 <= bytes.length) {
    hash = wrap(rotate(wrap(hash ^ wrap(BigInt(view.getUint32(at, true)) * P1)), 23n) * P2 + P3);
    at += 4;
  }
  for (; at < bytes.length; at++) {
    hash = wrap(rotate(hash ^ wrap(BigInt(bytes[at]) * P5), 11n) * P1);
  }
  return hash;
}

export function xxh64(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hash = bytes.length >= STRIPE ? hashStripes(bytes, view) : P5;
  hash = hashTail(wrap(hash + BigInt(bytes.length)), bytes, view);
  hash = wrap((hash ^ (hash >> 33n)) * P2);
  hash = wrap((hash ^ (hash >> 29n)) * P3);
  return hash ^ (hash >> 32n);
}
