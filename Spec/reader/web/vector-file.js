// The form of test vectors (reader.md, 9).

import { encodeText, fromHex } from './bytes.js';
import {
  deviceSecret, identitySecret, keyfileSecret, masterSecret, passwordSecret, recoverySecret,
} from './secrets.js';

// The header as a Map, and the file that the vector describes.
export function parseVector(text) {
  const headEnd = text.indexOf('\n\n');
  const header = new Map(text.slice(0, headEnd).split('\n').map(parseHeaderLine));
  const bytes = new Uint8Array(Number(header.get('size')));
  for (const line of text.slice(headEnd + 2).split('\n')) {
    if (line === '') continue;
    const [offset, hex] = line.split(' ');
    bytes.set(fromHex(hex), parseInt(offset, 16));
  }
  return { header, file: memoryFile(bytes) };
}

function parseHeaderLine(line) {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 2)];
}

function memoryFile(bytes) {
  return {
    size: bytes.length,
    read: async (offset, length) => bytes.slice(offset, offset + length),
  };
}

// UTF-8 with `\xNN` for a byte and `\\` for a backslash.
export function unescapeBytes(text) {
  const bytes = [];
  for (const part of text.match(/\\x[0-9a-f]{2}|\\\\|[^\\]+/g) ?? []) {
    if (part.startsWith('\\x')) bytes.push(parseInt(part.slice(2), 16));
    else bytes.push(...encodeText(part === '\\\\' ? '\\' : part));
  }
  return Uint8Array.from(bytes);
}

// The secret that a header gives. What is not acceptable fails as `invalid`.
export async function secretOf(header) {
  const escaped = (key) => unescapeBytes(header.get(key));
  const hex = (key) => fromHex(header.get(key));
  if (header.has('keyfile')) return keyfileSecret(escaped('password'), hex('keyfile'));
  if (header.has('password')) return passwordSecret(escaped('password'));
  if (header.has('recovery-key')) return recoverySecret(escaped('recovery-key'));
  if (header.has('device-key')) return deviceSecret(hex('device-key'));
  if (header.has('identity')) return identitySecret(escaped('identity'));
  return masterSecret(hex('master-key'));
}
