// Deterministic CBOR (entries.cddl, at the top; RFC 8949, 4.2.1). Anything else is malformed.
//
// Integers become BigInt, byte strings Uint8Array, text string, arrays Array, maps Map.

import { compareBytes, decodeText, u16, u32, u64 } from './bytes.js';
import { fail, ensure } from './classes.js';

const MAX_NESTING = 16;
const SIMPLE = new Map([[20, false], [21, true], [22, null]]);

class Decoder {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  take(length) {
    ensure(length <= this.bytes.length - this.at, 'malformed', 'CBOR is cut off');
    const taken = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return taken;
  }

  // The initial byte and its argument, in the shortest form.
  head() {
    const initial = this.take(1)[0];
    const major = initial >> 5;
    const short = initial & 31;
    if (major === 7) return { major, argument: short };
    if (short < 24) return { major, argument: BigInt(short) };
    ensure(short <= 27, 'malformed', 'CBOR has an indefinite length or a reserved form');
    const argument = this.argument(short - 24);
    const least = [24n, 0x100n, 0x10000n, 0x100000000n][short - 24];
    ensure(argument >= least, 'malformed', 'a CBOR number is not in its shortest form');
    return { major, argument };
  }

  argument(sizeLog) {
    const bytes = this.take(1 << sizeLog);
    if (sizeLog === 0) return BigInt(bytes[0]);
    if (sizeLog === 1) return BigInt(u16(bytes, 0));
    return sizeLog === 2 ? BigInt(u32(bytes, 0)) : u64(bytes, 0);
  }

  item(depth) {
    const { major, argument } = this.head();
    switch (major) {
      case 0: return argument;
      case 1: return -1n - argument;
      case 2: return Uint8Array.from(this.take(Number(argument)));
      case 3: return this.text(Number(argument));
      case 4: return this.array(Number(argument), depth + 1);
      case 5: return this.map(Number(argument), depth + 1);
      case 7: return this.simple(argument);
      default: return fail('malformed', 'CBOR has a tag');
    }
  }

  text(length) {
    const text = decodeText(this.take(length));
    ensure(text !== undefined, 'malformed', 'CBOR text is not UTF-8');
    return text;
  }

  simple(value) {
    ensure(SIMPLE.has(value), 'malformed', 'CBOR has a float or an unknown simple value');
    return SIMPLE.get(value);
  }

  // Every item takes a byte or more, so a count is bounded by what is left.
  enter(count, depth) {
    ensure(depth <= MAX_NESTING, 'malformed', 'CBOR nests too deep');
    ensure(count <= this.bytes.length - this.at, 'malformed', 'CBOR is cut off');
  }

  array(count, depth) {
    this.enter(count, depth);
    const items = [];
    for (let i = 0; i < count; i++) items.push(this.item(depth));
    return items;
  }

  map(count, depth) {
    this.enter(count, depth);
    const map = new Map();
    let previous;
    for (let i = 0; i < count; i++) {
      const start = this.at;
      const key = this.item(depth);
      const encoded = this.bytes.subarray(start, this.at);
      const ascends = previous === undefined || compareBytes(previous, encoded) < 0;
      ensure(ascends, 'malformed', 'CBOR map keys do not ascend');
      previous = encoded;
      map.set(key, this.item(depth));
    }
    return map;
  }
}

// Decodes one item that takes all the bytes.
export function decodeCbor(bytes) {
  const decoder = new Decoder(bytes);
  const item = decoder.item(0);
  ensure(decoder.at === bytes.length, 'malformed', 'bytes behind a CBOR item');
  return item;
}
