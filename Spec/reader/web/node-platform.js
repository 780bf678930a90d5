// The platform of the reader on Node: WebCrypto where it is no global (Node 18), and files as slices.

import { webcrypto } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { open } from 'node:fs/promises';

globalThis.crypto ??= webcrypto;

// A file on disk. It is `live`: a writer may be at work on it (store.md, 3).
export async function openFile(path) {
  const handle = await open(path, 'r');
  return {
    live: true,
    get size() { return fstatSync(handle.fd).size; },
    async read(offset, length) {
      const bytes = new Uint8Array(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    },
    close: () => handle.close(),
  };
}
