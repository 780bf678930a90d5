// One page (container.md, 2.1 and 2.2; reader.md, 2.2 and 3.5).

import { PAGE_SIZE, concat, equalBytes, isZero, u16, u32, u64 } from './bytes.js';
import { ensure } from './classes.js';
import { CORE_SIZE, RECORD_SIZE, checkCore, parseCore } from './core.js';
import { hmac, sha256 } from './crypto.js';
import { parseSlots } from './slots.js';

const MAGIC = Uint8Array.of(0x89, 0x51, 0x56, 0x50, 0x41, 0x47, 0x45, 0x0A);
const FORMAT_VERSION = 1;
const FLAG_COPY = 1;
const SLOTS_AT = 256;
const RECORD_AT = 2304;
const TAGGED_SIZE = 4000;
const HASHED_SIZE = 4064;

export function showsPageMagic(bytes) {
  return equalBytes(bytes.subarray(0, 8), MAGIC);
}

// A page with its `state`: sound, foreign or unsound (reader.md, 2.2). `bytes` is undefined where
// the file is too short.
export async function readPage(bytes) {
  if (bytes === undefined || !showsPageMagic(bytes)) return { state: 'unsound' };
  const hash = await sha256(bytes.subarray(0, HASHED_SIZE));
  if (!equalBytes(hash, bytes.subarray(HASHED_SIZE))) return { state: 'unsound' };
  const page = parsePage(bytes);
  page.state = isSupported(page) ? 'sound' : 'foreign';
  return page;
}

function parsePage(bytes) {
  const record = bytes.subarray(RECORD_AT, RECORD_AT + RECORD_SIZE);
  const slotArea = bytes.subarray(SLOTS_AT, RECORD_AT);
  return {
    bytes,
    version: u16(bytes, 8),
    flags: u16(bytes, 10),
    requiredFeatures: u32(bytes, 12),
    writeFeatures: u32(bytes, 16),
    vaultId: bytes.subarray(32, 48),
    epoch: bytes.subarray(48, 64),
    sequence: u64(bytes, 64),
    logEnd: u64(bytes, 72),
    originSequence: u64(bytes, 80),
    originFingerprint: bytes.subarray(88, 120),
    isCopy: (u16(bytes, 10) & FLAG_COPY) !== 0,
    tailLength: u64(bytes, 120),
    slotArea,
    slots: parseSlots(slotArea),
    record,
    core: parseCore(record.subarray(0, CORE_SIZE)),
    auditTag: bytes.subarray(TAGGED_SIZE, TAGGED_SIZE + 32),
    ownerTag: bytes.subarray(TAGGED_SIZE + 32, HASHED_SIZE),
  };
}

function isSupported(page) {
  return page.version === FORMAT_VERSION && (page.flags & ~FLAG_COPY) === 0
    && page.requiredFeatures === 0;
}

export function isSound(page) {
  return page.state === 'sound';
}

// The rules between the parts of a page (reader.md, 3.5).
export async function checkPage(page) {
  const { core } = page;
  await checkCore(core);
  checkFeatures(core, page);
  const agree = equalBytes(page.vaultId, core.vaultId) && equalBytes(page.epoch, core.epoch)
    && page.sequence === core.sequence;
  ensure(agree, 'malformed', 'the header of a page and its commit record differ');
  const slotHash = await sha256(page.slotArea);
  ensure(equalBytes(slotHash, core.slotHash), 'malformed', 'a page has other key slots');
  ensure(page.logEnd === core.end, 'malformed', 'a page names another log end');
  const originless = page.originSequence === 0n && isZero(page.originFingerprint);
  const copy = (page.flags & FLAG_COPY) !== 0;
  ensure(copy || originless, 'malformed', 'a page that is no copy has an origin');
}

// Each write feature of a core is one of the header.
export function checkFeatures(core, page) {
  const known = (core.writeFeatures & ~page.writeFeatures) === 0;
  ensure(known, 'malformed', 'a commit has a write feature that its page does not name');
}

async function hasPageOwnerTag(page, ownerTagKey) {
  return equalBytes(await hmac(ownerTagKey, page.bytes.subarray(0, TAGGED_SIZE)), page.ownerTag);
}

export async function hasPageAuditTag(page, auditTagKey) {
  const covered = concat(page.bytes.subarray(0, TAGGED_SIZE), page.ownerTag);
  return equalBytes(await hmac(auditTagKey, covered), page.auditTag);
}

export async function hasPageTags(page, keys) {
  return await hasPageOwnerTag(page, keys.ownerTagKey)
    && hasPageAuditTag(page, keys.auditTagKey);
}

export function samePage(page, bytes) {
  return bytes !== undefined && bytes.length === PAGE_SIZE && equalBytes(page.bytes, bytes);
}
