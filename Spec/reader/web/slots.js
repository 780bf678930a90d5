// Key slots: from a secret to the master key (container.md, 2.3; keys.md, 2; reader.md, 3).

import { concat, decodeText, equalBytes, isZero, u32, u64 } from './bytes.js';
import { argon2id } from './argon2.js';
import { fail, ensure } from './classes.js';
import { gcmOpen, importGcmKey, pbkdf2 } from './crypto.js';
import { labelledHkdf } from './keys.js';
import * as limits from './limits.js';
import { KIND_DEVICE, KIND_RECIPIENT } from './secrets.js';
import { x25519 } from './x25519.js';

const SLOT_SIZE = 256;
const KDF_NONE = 0;
const KDF_PBKDF2 = 1;
const KDF_ARGON2ID = 2;

const LABEL_TEXT_AT = 9;
const MAX_LABEL = 55;
const MAX_RECIPIENT_LABEL = 23;
const RECIPIENT_KEY_AT = 32;

export function parseSlots(area) {
  const slots = [];
  for (let at = 0; at < area.length; at += SLOT_SIZE) {
    slots.push(parseSlot(area.subarray(at, at + SLOT_SIZE)));
  }
  return slots;
}

function parseSlot(bytes) {
  const [kind, kdf] = bytes;
  return {
    bytes,
    kind,
    kdf,
    empty: isZero(bytes),
    known: isKnown(kind, kdf),
    memoryLog: bytes[2],
    lanes: bytes[3],
    rounds: u32(bytes, 4),
    id: bytes.subarray(8, 24),
    salt: bytes.subarray(24, 56),
    nonce: bytes.subarray(56, 68),
    commitment: bytes.subarray(68, 100),
    wrapped: bytes.subarray(100, 148),
    labelNonce: bytes.subarray(148, 160),
    label: bytes.subarray(160, 240),
  };
}

function isKnown(kind, kdf) {
  if (kind >= 1 && kind <= 3) return kdf === KDF_PBKDF2 || kdf === KDF_ARGON2ID;
  return (kind === KIND_DEVICE || kind === KIND_RECIPIENT) && kdf === KDF_NONE;
}

// All costs are within the limits and the ceilings, before the first hash (limits.md).
function checkCosts(slots) {
  let iterations = 0;
  let memoryTimesPasses = 0;
  for (const slot of slots) {
    if (slot.kdf === KDF_PBKDF2) iterations += checkedIterations(slot);
    if (slot.kdf === KDF_ARGON2ID) memoryTimesPasses += checkedMemoryTimesPasses(slot);
  }
  const consented = iterations <= limits.ITERATIONS_CEILING
    && memoryTimesPasses <= limits.MEMORY_TIMES_PASSES_CEILING;
  ensure(consented, 'refused', 'the key slots together cost more than this program spends');
}

function checkedIterations(slot) {
  const fits = slot.rounds >= limits.MIN_ITERATIONS && slot.rounds <= limits.MAX_ITERATIONS;
  ensure(fits, 'refused', 'the iterations of a key slot are outside the limits');
  return slot.rounds;
}

function checkedMemoryTimesPasses({ memoryLog, rounds, lanes }) {
  const fits = memoryLog >= limits.MIN_MEMORY_LOG && memoryLog <= limits.MAX_MEMORY_LOG
    && rounds >= 1 && rounds <= limits.MAX_PASSES && lanes >= 1 && lanes <= limits.MAX_LANES;
  ensure(fits, 'refused', 'the Argon2id numbers of a key slot are outside the limits');
  const product = 2 ** memoryLog * rounds;
  const enough = product >= limits.MIN_MEMORY_TIMES_PASSES;
  ensure(enough, 'refused', 'the Argon2id cost of a key slot is below the floor');
  const consented = 2 ** memoryLog <= limits.MEMORY_CEILING;
  ensure(consented, 'refused', 'a key slot takes more memory than this program spends');
  return product;
}

// P of keys.md, 2.
async function stretch(password, slot) {
  if (slot.kdf === KDF_PBKDF2) return pbkdf2(password, slot.salt, slot.rounds);
  return argon2id(password, slot.salt, slot.rounds, 2 ** slot.memoryLog, slot.lanes, 32);
}

// Input key material, and R, the public key that a recipient's salt is followed by (keys.md, 2).
async function inputKey(secret, slot) {
  if (secret.kind === KIND_DEVICE) return { ikm: secret.key, suffix: new Uint8Array(0) };
  if (secret.kind === KIND_RECIPIENT) {
    const shared = x25519(secret.key, slot.salt);
    ensure(!isZero(shared), 'malformed', 'the public key of a key slot has a small order');
    return { ikm: shared, suffix: secret.publicKey };
  }
  const stretched = await stretch(secret.password, slot);
  const keyfileHash = secret.keyfileHash ?? new Uint8Array(0);
  return { ikm: concat(stretched, keyfileHash), suffix: new Uint8Array(0) };
}

// The master key, or undefined where the secret does not belong to the slot.
async function tryUnwrap(secret, slot, vaultId, epoch) {
  const { ikm, suffix } = await inputKey(secret, slot);
  const context = concat(slot.id, Uint8Array.of(slot.kind), epoch);
  const salt = concat(slot.salt, suffix);
  const derived = await labelledHkdf(ikm, salt, 'slot', vaultId, context, 64);
  if (!equalBytes(derived.subarray(32), slot.commitment)) return undefined;
  const wrapKey = await importGcmKey(derived.subarray(0, 32));
  const aad = concat(slot.bytes.subarray(0, 100), vaultId, epoch);
  const master = await gcmOpen(wrapKey, slot.nonce, slot.wrapped, aad);
  ensure(master !== undefined, 'tampered', 'the master key in its slot was altered');
  return master;
}

// reader.md, 3.2 and 3.3.
export async function unwrapMasterKey(slots, secret, vaultId, epoch) {
  const candidates = slots.filter((slot) => slot.known && slot.kind === secret.kind);
  checkCosts(candidates);
  for (const slot of candidates) {
    const master = await tryUnwrap(secret, slot, vaultId, epoch);
    if (master !== undefined) return master;
  }
  const newer = candidates.length === 0 && slots.some((slot) => !slot.known && !slot.empty);
  ensure(!newer, 'unsupported', 'the secret may belong to a key slot of a newer program');
  return fail('wrong-key', 'no key slot belongs to this secret');
}

// The label of a known slot: it opens and has the form of container.md, 2.3.
export async function checkLabel(slot, labelKey, vaultId) {
  const label = await gcmOpen(labelKey, slot.labelNonce, slot.label, concat(slot.id, vaultId));
  ensure(label !== undefined, 'malformed', 'the label of a key slot does not open');
  const recipient = slot.kind === KIND_RECIPIENT;
  const end = LABEL_TEXT_AT + label[8];
  const fits = label[8] <= (recipient ? MAX_RECIPIENT_LABEL : MAX_LABEL);
  ensure(fits, 'malformed', 'the label of a key slot is too long');
  const text = decodeText(label.subarray(LABEL_TEXT_AT, end));
  const padding = label.subarray(end, recipient ? RECIPIENT_KEY_AT : label.length);
  const sound = text !== undefined && isZero(padding) && limits.isTime(u64(label, 0));
  ensure(sound, 'malformed', 'the label of a key slot has another form');
}
