// Byte strings, big-endian numbers, and slices of a file (container.md, 1).

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

// Every stored offset counts from here (container.md, 1).
export const LOG_START = 131072n;
export const PAGE_SIZE = 4096;

export function encodeText(text) {
  return encoder.encode(text);
}

// The text of valid UTF-8, else undefined.
export function decodeText(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

// Takes as long for equal bytes as for different ones (keys.md, 5).
export function equalBytes(a, b) {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i] ^ b[i];
  return difference === 0;
}

// Bytewise order: negative, zero or positive.
export function compareBytes(a, b) {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    if (a[i] !== b[i]) return a[i] - b[i];
  }
  return a.length - b.length;
}

export function isZero(bytes) {
  return bytes.every((byte) => byte === 0);
}

export function toHex(bytes) {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

export function fromHex(text) {
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

function view(bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function u16(bytes, at) {
  return view(bytes).getUint16(at);
}

export function u32(bytes, at) {
  return view(bytes).getUint32(at);
}

export function u64(bytes, at) {
  return view(bytes).getBigUint64(at);
}

export function encodeU32(value) {
  const bytes = new Uint8Array(4);
  view(bytes).setUint32(0, value);
  return bytes;
}

export function encodeU64(value) {
  const bytes = new Uint8Array(8);
  view(bytes).setBigUint64(0, value);
  return bytes;
}

export function ceilDiv(dividend, divisor) {
  return (dividend + divisor - 1n) / divisor;
}

export function align4K(value) {
  return ceilDiv(value, 4096n) * 4096n;
}

// The bytes from a place in the file; undefined where the file does not hold all of them.
export async function readAt(file, offset, length) {
  if (BigInt(offset) + BigInt(length) > BigInt(file.size)) return undefined;
  const bytes = await file.read(Number(offset), Number(length));
  return bytes.length === Number(length) ? bytes : undefined;
}

// The same for a stored offset.
export function readStored(file, offset, length) {
  return readAt(file, LOG_START + offset, length);
}
