// The secrets of a person, as they are typed or stored in files. What is not acceptable is
// `invalid` (keys.md, 2 and 6 to 8).

import { concat, decodeText, encodeText, equalBytes, fromHex, toHex } from './bytes.js';
import { fail, ensure } from './classes.js';
import { sha256 } from './crypto.js';
import { MAX_KEYFILE, MAX_PASSWORD } from './limits.js';
import { publicKeyOf } from './x25519.js';

const KIND_PASSWORD = 1;
const KIND_PASSWORD_KEYFILE = 2;
const KIND_RECOVERY = 3;
export const KIND_DEVICE = 4;
export const KIND_RECIPIENT = 5;

// A password as the bytes that were typed (keys.md, 2).
function normalizePassword(bytes) {
  const text = decodeText(bytes);
  ensure(text !== undefined, 'invalid', 'the password is not UTF-8');
  ensure(!text.includes('\0'), 'invalid', 'the password has a NUL');
  const normalized = encodeText(text.normalize('NFC'));
  const fits = normalized.length >= 1 && normalized.length <= MAX_PASSWORD;
  ensure(fits, 'invalid', 'the password is empty or too long');
  return normalized;
}

export function passwordSecret(bytes) {
  return { kind: KIND_PASSWORD, password: normalizePassword(bytes) };
}

export async function keyfileSecret(passwordBytes, keyfile) {
  const password = normalizePassword(passwordBytes);
  const fits = keyfile.length >= 1 && keyfile.length <= MAX_KEYFILE;
  ensure(fits, 'invalid', 'the keyfile is empty or too long');
  return { kind: KIND_PASSWORD_KEYFILE, password, keyfileHash: await sha256(keyfile) };
}

export function deviceSecret(key) {
  ensure(key.length === 32, 'invalid', 'a device key has 32 bytes');
  return { kind: KIND_DEVICE, key };
}

// A master key in the place of a slot (reader.md, 9).
export function masterSecret(master) {
  return { master };
}

const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CHECK_SYMBOLS = `${BASE32}*~$=U`;
const RECOVERY_LINE = /^[ \t]*([1-4])[ \t.:)](.*)$/s;
const RECOVERY_SEPARATORS = /[ \t.:)\r-]/g;

// A sheet with the four lines of a recovery key, among others (keys.md, 6).
export function recoverySecret(bytes) {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const parts = [];
  for (const line of text.split('\n')) {
    const match = RECOVERY_LINE.exec(line);
    if (match) parts[match[1] - 1] = recoveryLine(Number(match[1]), match[2]);
  }
  for (let i = 0; i < 4; i++) {
    ensure(parts[i] !== undefined, 'invalid', `line ${i + 1} of the recovery key is missing`);
  }
  return { kind: KIND_RECOVERY, password: concat(...parts) };
}

// The five bytes of one line.
function recoveryLine(number, rest) {
  const characters = rest.replace(RECOVERY_SEPARATORS, '')
    .replace(/[a-z]/g, (letter) => letter.toUpperCase())
    .replace(/[IL]/g, '1').replace(/O/g, '0');
  const wrong = `line ${number} of the recovery key is mistyped`;
  ensure(characters.length === 9, 'invalid', wrong);
  const digits = Array.from(characters.slice(0, 8), (character) => BASE32.indexOf(character));
  ensure(!digits.includes(-1), 'invalid', wrong);
  const value = digits.reduce((sum, digit) => sum * 32 + digit, 0);
  const check = Number((5n * BigInt(value) + BigInt(number - 1)) % 37n);
  ensure(CHECK_SYMBOLS[check] === characters[8], 'invalid', wrong);
  return fromHex(value.toString(16).padStart(10, '0'));
}

const IDENTITY = new RegExp('^QuickVault identity 1\\n'
  + 'recipient qvr1([0-9a-f]{64})([0-9a-f]{8})\\n'
  + 'secret ([0-9a-f]{64})\\n?$');

// The file of an identity (keys.md, 8).
export async function identitySecret(bytes) {
  const match = IDENTITY.exec(decodeText(bytes) ?? '');
  if (!match) fail('invalid', 'no identity file');
  const [publicKey, check, key] = match.slice(1).map(fromHex);
  const hash = await sha256(concat(encodeText('quickvault/1/recipient\0'), publicKey));
  ensure(equalBytes(hash.subarray(0, 4), check), 'invalid', 'the recipient is mistyped');
  const belongs = equalBytes(publicKeyOf(key), publicKey);
  ensure(belongs, 'invalid', 'the recipient is not that of the secret key');
  return { kind: KIND_RECIPIENT, key, publicKey };
}

const AUDIT_KEY = new RegExp('^(QuickVault audit key 1\\n'
  + 'vault ([0-9a-f]{32})\\n'
  + 'epoch ([0-9a-f]{32})\\n'
  + 'key ([0-9a-f]{64})\\n)'
  + 'check ([0-9a-f]{16})\\n?$');

// An audit key file (keys.md, 7).
export async function parseAuditKey(bytes) {
  const match = AUDIT_KEY.exec(decodeText(bytes) ?? '');
  if (!match) fail('invalid', 'no audit key file');
  const [, lines, vaultId, epoch, key, check] = match;
  const hash = toHex((await sha256(encodeText(lines))).subarray(0, 8));
  ensure(hash === check, 'invalid', 'the audit key file is mistyped');
  return { vaultId: fromHex(vaultId), epoch: fromHex(epoch), auditRoot: fromHex(key) };
}
