// A file that the server has, as the reader wants files: slices of it, never all.

import { concat, LOG_START } from '../../../Spec/reader/web/bytes.js';
import { Failure } from '../../../Spec/reader/web/classes.js';

// Bytes of a block; shorter reads take whole blocks, of which some are kept.
const BLOCK = 1 << 18;
const KEPT = 64;
// Milliseconds for which a block is what it was: a writer may be at work at the end of the file (store.md, 3).
const FRESH = 50;
// Bytes that the server gives at once.
const MOST = 1 << 22;

// `origin` and `key` are the server's; `file` says which file it is: another one that has taken its place is refused.
export function remoteSlices({ origin, key, file, size: sizeBefore }) {
  const blocks = new Map();
  let size = sizeBefore;

  async function fetched(offset, length) {
    const parts = [];
    for (let done = 0; done < length; done += MOST) {
      const piece = Math.min(MOST, length - done);
      const query = new URLSearchParams({ file, offset: offset + done, length: piece });
      const answer = await fetch(`${origin}/vault?${query}`, { headers: { 'X-Window': key } });
      if (!answer.ok) throw new Failure('io', await answer.text());
      size = Number(answer.headers.get('X-Size'));
      parts.push(new Uint8Array(await answer.arrayBuffer()));
    }
    return parts.length === 1 ? parts[0] : concat(...parts);
  }

  function block(number) {
    const known = blocks.get(number);
    blocks.delete(number);
    const isFresh = known && performance.now() - known.time < FRESH;
    const made = isFresh ? known
      : { time: performance.now(), bytes: fetched(number * BLOCK, Math.min(BLOCK, size - number * BLOCK)) };
    // The newest is the last.
    blocks.set(number, made);
    if (blocks.size > KEPT) blocks.delete(blocks.keys().next().value);
    return made.bytes;
  }

  return {
    live: true,
    get size() { return size; },
    async read(offset, length) {
      const wanted = Math.max(0, Math.min(length, size - offset));
      if (wanted === 0) return new Uint8Array(0);
      // The pages stand before the log: a writer changes them, and they are read anew each time (container.md, 2).
      if (wanted >= BLOCK || offset < Number(LOG_START)) return fetched(offset, wanted);
      const first = Math.floor(offset / BLOCK);
      const last = Math.floor((offset + wanted - 1) / BLOCK);
      const parts = await Promise.all(Array.from({ length: last - first + 1 }, (_, index) => block(first + index)));
      const start = offset - first * BLOCK;
      return concat(...parts).slice(start, start + wanted);
    },
    close() {},
  };
}
