// The two ways in which Zstandard reads bits (RFC 8878, 4.1 and 4.2).

import { ensure } from './classes.js';

// Forward, from the lowest bit of the first byte: the tables of FSE.
export class ForwardBits {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at * 8;
  }

  // Up to 16 bits without moving on; bits behind the end are zero.
  peek(count) {
    const byte = this.at >> 3;
    const window = (this.bytes[byte] ?? 0) | ((this.bytes[byte + 1] ?? 0) << 8)
      | ((this.bytes[byte + 2] ?? 0) << 16);
    return (window >> (this.at & 7)) & ((1 << count) - 1);
  }

  skip(count) {
    this.at += count;
    ensure(this.at <= this.bytes.length * 8, 'malformed', 'a Zstandard table is cut off');
  }

  read(count) {
    const value = this.peek(count);
    this.skip(count);
    return value;
  }

  // The place of the next whole byte.
  get nextByte() {
    return (this.at + 7) >> 3;
  }
}

// Backward, from the bit below the highest set bit of the last byte.
export class BackwardBits {
  constructor(bytes) {
    const last = bytes[bytes.length - 1];
    ensure(last > 0, 'malformed', 'a Zstandard bit stream has no end mark');
    this.bytes = bytes;
    this.left = 8 * bytes.length - 8 + (31 - Math.clz32(last));
  }

  // Up to 16 bits without moving on; bits before the start of the stream are zero.
  peek(count) {
    const low = this.left - count;
    const byte = low >> 3;
    const window = (this.bytes[byte] ?? 0) | ((this.bytes[byte + 1] ?? 0) << 8)
      | ((this.bytes[byte + 2] ?? 0) << 16);
    return (window >> (low & 7)) & ((1 << count) - 1);
  }

  // Moving before the start is judged by `left`: FSE weights end by it (RFC 8878, 4.2.1.2).
  read(count) {
    if (count > 16) return this.read(count - 16) * 65536 + this.read(16);
    const value = this.peek(count);
    this.left -= count;
    return value;
  }

  requireEnd() {
    ensure(this.left === 0, 'malformed', 'a Zstandard bit stream does not end where it should');
  }
}
