// Commit records and their cores (container.md, 3.1 and 3.2; reader.md, 3.5).

import { align4K, ceilDiv, equalBytes, isZero, u16, u32, u64 } from './bytes.js';
import { ensure } from './classes.js';
import { hmac, sha256 } from './crypto.js';
import * as limits from './limits.js';

export const CORE_SIZE = 512;
export const RECORD_SIZE = 1024;
export const BLOCK_SIZE = 65536n;
const MAGIC = Uint8Array.of(0x89, 0x51, 0x56, 0x43, 0x4D, 0x49, 0x54, 0x0A);
const FORMAT_VERSION = 1;
const TAGGED_SIZE = 416;

// The fields as they stand, and the places that follow from them. Judges nothing.
export function parseCore(bytes) {
  const core = {
    bytes,
    version: u16(bytes, 8),
    flags: u16(bytes, 10),
    writeFeatures: u32(bytes, 12),
    vaultId: bytes.subarray(16, 32),
    epoch: bytes.subarray(32, 48),
    sequence: u64(bytes, 48),
    salt: bytes.subarray(56, 88),
    start: u64(bytes, 88),
    payloadLength: u64(bytes, 96),
    restLength: u64(bytes, 104),
    previous: bytes.subarray(112, 144),
    tableHash: bytes.subarray(144, 176),
    slotHash: bytes.subarray(176, 208),
    sealedPrivate: bytes.subarray(208, 352),
    extensionStart: u64(bytes, 352),
    extensionLength: BigInt(u32(bytes, 360)),
    extensionHash: bytes.subarray(368, 400),
    auditTag: bytes.subarray(416, 448),
    ownerTag: bytes.subarray(448, 480),
    hash: bytes.subarray(480, 512),
  };
  core.blocks = ceilDiv(core.payloadLength, BLOCK_SIZE);
  core.recordStart = core.start + core.payloadLength;
  core.tableStart = core.recordStart + BigInt(RECORD_SIZE);
  core.tableLength = 32n * (core.blocks + 1n);
  core.restStart = core.tableStart + core.tableLength;
  core.end = core.recordStart + core.restLength;
  return core;
}

export function hasCoreMagic(bytes) {
  return equalBytes(bytes.subarray(0, 8), MAGIC);
}

// The rules that a core keeps whatever stands around it (reader.md, 3.5).
export async function checkCore(core) {
  ensure(hasCoreMagic(core.bytes), 'malformed', 'a commit record has no magic');
  const hash = await sha256(core.bytes.subarray(0, 480));
  ensure(equalBytes(hash, core.hash), 'malformed', 'a commit record has a wrong SHA-256');
  ensure(core.version === FORMAT_VERSION, 'unsupported', 'a commit of another version');
  ensure(core.flags === 0, 'unsupported', 'a commit with an unknown flag');
  ensure(limits.isCounter(core.sequence), 'malformed', 'a sequence is outside the limits');
  ensure(limits.isCounter(u64(core.epoch, 0)), 'malformed', 'an epoch is outside the limits');
  checkPlaces(core);
  checkExtensionPlaces(core);
}

function checkPlaces(core) {
  const { start, payloadLength, restLength } = core;
  const aligned = [start, payloadLength, restLength].every((number) => number % 4096n === 0n);
  ensure(aligned, 'malformed', 'a commit does not stand on multiples of 4,096');
  const room = BigInt(RECORD_SIZE) + core.tableLength;
  const large = payloadLength >= 4096n && restLength >= room;
  ensure(large, 'malformed', 'a commit has no room for what it holds');
  const bounded = payloadLength <= limits.MAX_AREA && restLength <= limits.MAX_AREA
    && core.end <= limits.MAX_OFFSET;
  ensure(bounded, 'malformed', 'a commit is larger than the limits');
}

// The starts of both copies of the extension area (container.md, 3.8).
export function extensionCopies(core) {
  return [core.extensionStart, align4K(core.extensionStart + core.extensionLength)];
}

function checkExtensionPlaces(core) {
  if (core.extensionLength === 0n) return;
  const [, second] = extensionCopies(core);
  const within = core.extensionLength <= limits.MAX_EXTENSION_AREA
    && second + core.extensionLength <= core.end;
  ensure(within, 'malformed', 'an extension area lies outside the log');
}

export async function fingerprintOf(core) {
  return sha256(core.bytes);
}

// Does this core follow the rules, and is it that of the commit before `next`
// (container.md, 3.2)? A Failure says no.
export async function checkIsBefore(core, next) {
  const named = equalBytes(await fingerprintOf(core), next.previous);
  ensure(named, 'malformed', 'another core than that of the commit before');
  await checkCore(core);
  const adjacent = core.end === next.start && core.sequence < next.sequence
    && equalBytes(core.vaultId, next.vaultId) && equalBytes(core.epoch, next.epoch);
  ensure(adjacent, 'malformed', 'the commit before does not fit to the one behind it');
}

// A record's copy of the previous core.
export function previousCopy(record) {
  return record.subarray(CORE_SIZE, RECORD_SIZE);
}

export function isFirst(core) {
  return core.start === 0n;
}

export function hasNoPrevious(record) {
  return isZero(previousCopy(record));
}

export async function hasOwnerTag(core, ownerTagKey) {
  const tag = await hmac(ownerTagKey, core.bytes.subarray(0, TAGGED_SIZE));
  return equalBytes(tag, core.ownerTag);
}

// The audit tag covers bytes 0 … 415 ‖ owner tag (container.md, 3.2).
export async function hasAuditTag(core, auditTagKey) {
  const covered = new Uint8Array(TAGGED_SIZE + 32);
  covered.set(core.bytes.subarray(0, TAGGED_SIZE));
  covered.set(core.ownerTag, TAGGED_SIZE);
  return equalBytes(await hmac(auditTagKey, covered), core.auditTag);
}
