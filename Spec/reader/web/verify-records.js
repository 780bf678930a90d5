// Every entry of every segment, and every stored record once (reader.md, 8.3).

import { toHex } from './bytes.js';
import { ensure } from './classes.js';
import { KIND_ATTACHMENT, KIND_FILE, KIND_FOLDER, KIND_SYMLINK } from './entries.js';
import { MAX_SYMLINK_TARGET } from './limits.js';
import { coreAround } from './log.js';
import {
  checkHeader, findPieces, readList, readRecord, readWhole, recordLength,
} from './records.js';
import { hasDerivedId, isInTree } from './tree.js';

export async function checkStoredRecords(vault, cores, segments, report) {
  const entries = segments.flatMap(({ live, past }) => [...live, ...past]);
  const sound = [];
  for (const entry of entries.filter(({ tombstone }) => !tombstone)) {
    const checked = await report.attempt(async () => {
      await checkEntry(entry, cores);
      return true;
    });
    if (checked) sound.push(entry);
  }
  const records = distinctRecords(sound);
  findOverlaps(records, segments.map(({ link }) => link), report);
  const lists = [];
  for (const record of records) {
    const read = await report.attempt(async () => {
      await checkRecord(vault, record);
      return true;
    });
    if (read && record.entry.list !== undefined && !record.overlaps) lists.push(record.entry);
  }
  for (const entry of lists) await report.attempt(() => findPieces(vault, entry));
}

// The rules that an entry breaks without its stored record being read.
async function checkEntry(entry, cores) {
  const end = entry.offset + recordLength(entry);
  const core = coreAround(cores, entry.offset);
  const within = core !== undefined && end <= core.recordStart;
  ensure(within, 'malformed', 'a record does not lie in the payload area of one commit');
  ensure(entry.kind !== 0n, 'malformed', 'an entry has the kind 0');
  const whole = entry.list === undefined || mayBeInPieces(entry);
  ensure(whole, 'malformed', 'an entry of this kind is in pieces');
  if (!isInTree(entry)) return;
  ensure(await hasDerivedId(entry), 'malformed', 'the id of an entry is not that of its name');
  if (entry.kind === KIND_FOLDER) checkFolder(entry);
  if (entry.kind === KIND_SYMLINK) checkSymlink(entry);
}

function mayBeInPieces({ kind }) {
  return kind === KIND_FILE || kind === KIND_ATTACHMENT;
}

export function checkFolder(entry) {
  ensure(entry.length === 0n, 'malformed', 'a folder has content');
}

export function checkSymlink(entry) {
  const fits = entry.length >= 1n && entry.length <= MAX_SYMLINK_TARGET;
  ensure(fits, 'malformed', 'the target of a symlink is empty or too long');
  ensure(entry.storedLength === undefined, 'malformed', 'the target of a symlink is compressed');
}

// The target of a symlink that keeps the rules of `checkSymlink`.
export async function readTarget(vault, entry) {
  const target = await readWhole(vault, entry);
  ensure(!target.includes(0), 'malformed', 'the target of a symlink has a NUL');
  return target;
}

// The stored records that entries name, each once, by ascending place. `shared` holds those that
// several entries may name.
function distinctRecords(entries) {
  const records = new Map();
  for (const entry of entries) {
    const { offset, kind, salt, length, storedLength, list } = entry;
    const key = [offset, kind, toHex(salt), length, storedLength, list].join(' ');
    if (!records.has(key)) records.set(key, { entry, overlaps: false });
  }
  return [...records.values()].sort((a, b) => Number(a.entry.offset - b.entry.offset));
}

// Marks the records that overlap another or a segment. Two at one place that differ overlap too.
function findOverlaps(records, links, report) {
  const ranges = [
    ...records.map((record) => ({
      record, start: record.entry.offset, end: record.entry.offset + recordLength(record.entry),
    })),
    ...links.map(({ offset, length }) => ({ record: {}, start: offset, end: offset + length })),
  ].sort((a, b) => Number(a.start - b.start));
  let furthest;
  for (const range of ranges) {
    if (furthest && range.start < furthest.end) {
      range.record.overlaps = true;
      furthest.record.overlaps = true;
      report.add('malformed', `what stands at ${range.start} overlaps something before it`);
    }
    if (!furthest || range.end > furthest.end) furthest = range;
  }
}

async function checkRecord(vault, { entry, overlaps }) {
  if (overlaps) return checkHeader(vault, entry);
  if (entry.kind === KIND_SYMLINK) return readTarget(vault, entry);
  if (entry.list !== undefined) return readList(vault, entry);
  return readRecord(vault, entry, () => {});
}
