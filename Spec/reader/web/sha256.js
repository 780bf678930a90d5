// SHA-256 (FIPS 180-4) over a stream: WebCrypto hashes whole buffers only, and the rest of a
// commit is one block of any length (container.md, 3.3).

const BLOCK = 64;

const ROUND_CONSTANTS = fractions(64, 1 / 3);

// The first 32 bits of the fractional parts of a root of the first primes.
function fractions(count, exponent) {
  const words = [];
  for (let n = 2; words.length < count; n++) {
    if (isPrime(n)) words.push(((n ** exponent) % 1) * 2 ** 32 | 0);
  }
  return Int32Array.from(words);
}

function isPrime(n) {
  for (let divisor = 2; divisor * divisor <= n; divisor++) {
    if (n % divisor === 0) return false;
  }
  return true;
}

function rotate(word, count) {
  return (word >>> count) | (word << (32 - count));
}

export class Sha256 {
  constructor() {
    this.state = fractions(8, 1 / 2);
    this.schedule = new Int32Array(64);
    this.pending = new Uint8Array(BLOCK);
    this.filled = 0;
    this.length = 0;
  }

  update(bytes) {
    this.length += bytes.length;
    let at = 0;
    if (this.filled > 0) {
      at = Math.min(BLOCK - this.filled, bytes.length);
      this.pending.set(bytes.subarray(0, at), this.filled);
      this.filled += at;
      if (this.filled < BLOCK) return this;
      compress(this.state, this.schedule, this.pending, 0);
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) compress(this.state, this.schedule, bytes, at);
    this.pending.set(bytes.subarray(at));
    this.filled = bytes.length - at;
    return this;
  }

  digest() {
    const bits = BigInt(this.length) * 8n;
    const zeros = (2 * BLOCK - 9 - this.filled) % BLOCK;
    const tail = new Uint8Array(1 + zeros + 8);
    tail[0] = 0x80;
    new DataView(tail.buffer).setBigUint64(1 + zeros, bits);
    this.update(tail);
    const result = new Uint8Array(32);
    const view = new DataView(result.buffer);
    this.state.forEach((word, i) => view.setInt32(4 * i, word));
    return result;
  }
}

// Takes one block of 64 bytes at a place into the state.
function compress(state, words, bytes, at) {
  for (let i = 0; i < 16; i++, at += 4) {
    words[i] = bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3];
  }
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15];
    const y = words[i - 2];
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    words[i] = (words[i - 16] + s0 + words[i - 7] + s1) | 0;
  }
  let a = state[0], b = state[1], c = state[2], d = state[3];
  let e = state[4], f = state[5], g = state[6], h = state[7];
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i] + words[i]) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g; g = f; f = e; e = (d + t1) | 0;
    d = c; c = b; b = a; a = (t1 + t2) | 0;
  }
  state[0] += a; state[1] += b; state[2] += c; state[3] += d;
  state[4] += e; state[5] += f; state[6] += g; state[7] += h;
}
