// The primitives of container.md, 1, by way of WebCrypto.

import { concat, readAt } from './bytes.js';
import { Sha256 } from './sha256.js';

// Bytes that are hashed whole, by WebCrypto, which takes a tenth of the time of a stream here.
const WHOLE = 1 << 24;
const STREAM_SLICE = 1 << 22;

// Looked up at each call: an old Node sets it only after this module was loaded.
function subtle() {
  return globalThis.crypto.subtle;
}

export async function sha256(bytes) {
  return new Uint8Array(await subtle().digest('SHA-256', bytes));
}

// SHA-256 of a prefix and a range of the file; undefined where the file does not hold the range.
export async function sha256OfRange(file, prefix, offset, length) {
  if (offset + length > BigInt(file.size)) return undefined;
  if (length <= BigInt(WHOLE)) {
    const bytes = await readAt(file, offset, length);
    return bytes && sha256(concat(prefix, bytes));
  }
  const hash = new Sha256().update(prefix);
  const end = offset + length;
  const read = (at) => {
    const left = end - at;
    return left > 0n ? readAt(file, at, left < STREAM_SLICE ? left : STREAM_SLICE) : undefined;
  };
  let next = read(offset);
  for (let at = offset; at < end; at += BigInt(STREAM_SLICE)) {
    const slice = await next;
    if (slice === undefined) return undefined;
    next = read(at + BigInt(STREAM_SLICE));
    hash.update(slice);
  }
  return hash.digest();
}

export async function hmac(key, bytes) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await subtle().importKey('raw', key, algorithm, false, ['sign']);
  return new Uint8Array(await subtle().sign('HMAC', imported, bytes));
}

export async function hkdf(ikm, salt, info, length) {
  const imported = await subtle().importKey('raw', ikm, 'HKDF', false, ['deriveBits']);
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt, info };
  return new Uint8Array(await subtle().deriveBits(algorithm, imported, 8 * length));
}

export async function pbkdf2(password, salt, iterations) {
  const imported = await subtle().importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
  const algorithm = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return new Uint8Array(await subtle().deriveBits(algorithm, imported, 256));
}

export function importGcmKey(key) {
  return subtle().importKey('raw', key, 'AES-GCM', false, ['decrypt']);
}

// Opens ciphertext ‖ tag with an imported key; undefined where GCM refuses it. Old versions of
// Node refuse with an error of their own in place of an OperationError.
export async function gcmOpen(key, nonce, sealed, aad = new Uint8Array(0)) {
  try {
    const algorithm = { name: 'AES-GCM', iv: nonce, additionalData: aad, tagLength: 128 };
    return new Uint8Array(await subtle().decrypt(algorithm, key, sealed));
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return undefined;
  }
}

// XORs with the CTR keystream whose counter block starts at zero.
export async function ctrMask(key, bytes) {
  const imported = await subtle().importKey('raw', key, 'AES-CTR', false, ['encrypt']);
  const algorithm = { name: 'AES-CTR', counter: new Uint8Array(16), length: 128 };
  return new Uint8Array(await subtle().encrypt(algorithm, imported, bytes));
}
