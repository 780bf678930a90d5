// The log: the walk back over its commits, check tables and blocks, and what a fault means
// (container.md, 3.1 to 3.3; reader.md, 2.4, 5 and 7.3).

import { LOG_START, concat, encodeText, encodeU64, equalBytes, readStored } from './bytes.js';
import { Report, fail, holds } from './classes.js';
import {
  BLOCK_SIZE, CORE_SIZE, RECORD_SIZE, checkIsBefore, hasCoreMagic, hasNoPrevious, isFirst,
  parseCore, previousCopy,
} from './core.js';
import { sha256, sha256OfRange } from './crypto.js';
import { MAX_SCAN } from './limits.js';
import { checkPage } from './page.js';

const ROW_SIZE = 32n;
// Blocks that are read and hashed at once, and how many such groups are read ahead.
const GROUP = 64n;
const READS_AHEAD = 3;
const SCAN_STEP = 4096n;
const SCAN_SLICE = 1n << 20n;
const BLOCK_LABEL = encodeText('quickvault/1/block\0');
// Bytes before those of a block in what its row is the SHA-256 of: the label, the salt, the number.
const PREFIX = BigInt(BLOCK_LABEL.length) + 32n + 8n;

export function readRecord(file, core) {
  return readStored(file, core.recordStart, RECORD_SIZE);
}

// The core of the commit before, by the copy in a record; undefined where the copy is not that.
async function previousByCopy(next, record) {
  const candidate = parseCore(previousCopy(record));
  return await holds(() => checkIsBefore(candidate, next)) ? candidate : undefined;
}

// The number of commits from that of one page back to that of an earlier one; 0 where the log does
// not lead there (reader.md, 2.4). The core of the earlier page is not looked up in the log: the
// page vouches for it.
export async function stepsBetween(file, from, to) {
  if (!await holds(() => checkPage(from)) || !await holds(() => checkPage(to))) return 0;
  const steps = await countSteps(file, from, to.core);
  return steps > 0 && await isWhole(file, from) ? steps : 0;
}

async function countSteps(file, from, target) {
  let [core, record] = [from.core, from.record];
  for (let steps = 1; core.start > target.start; steps++) {
    const previous = await previousByCopy(core, record);
    if (previous === undefined) return 0;
    if (equalBytes(previous.bytes, target.bytes)) return steps;
    const stored = await readRecord(file, previous);
    if (!beginsWith(stored, previous)) return 0;
    [core, record] = [previous, stored];
  }
  return 0;
}

function beginsWith(record, core) {
  return record !== undefined && equalBytes(record.subarray(0, CORE_SIZE), core.bytes);
}

// The log has the page's commit with its record, its check table and all of its rows.
async function isWhole(file, page) {
  const record = await readRecord(file, page.core);
  if (record === undefined || !equalBytes(record, page.record)) return false;
  const { tableSound, badBlocks, restSound } = await checkCommit(file, page.core);
  return tableSound && badBlocks.length === 0 && restSound;
}

async function isTableSound(file, core) {
  const start = LOG_START + core.tableStart;
  const hash = await sha256OfRange(file, new Uint8Array(0), start, core.tableLength);
  return hash !== undefined && equalBytes(hash, core.tableHash);
}

function blockRange(core, index) {
  const start = core.start + BLOCK_SIZE * index;
  const left = core.recordStart - start;
  return { start, length: left < BLOCK_SIZE ? left : BLOCK_SIZE };
}

function rowPrefix(core, index) {
  return concat(BLOCK_LABEL, core.salt, encodeU64(index));
}

async function isRow(file, core, index, hash) {
  const row = await readStored(file, core.tableStart + ROW_SIZE * index, ROW_SIZE);
  return hash !== undefined && row !== undefined && equalBytes(row, hash);
}

async function isBlockSound(file, core, index) {
  const { start, length } = blockRange(core, index);
  const block = await readStored(file, start, length);
  const hash = block && await sha256(concat(rowPrefix(core, index), block));
  return isRow(file, core, index, hash);
}

async function isRestSound(file, core) {
  const start = LOG_START + core.restStart;
  const prefix = rowPrefix(core, core.blocks);
  const hash = await sha256OfRange(file, prefix, start, core.end - core.restStart);
  return isRow(file, core, core.blocks, hash);
}

// Some blocks from one on, with room for a prefix before them, and their rows, by one read each; undefined where the file lacks some.
async function readGroup(file, core, first) {
  const end = first + GROUP < core.blocks ? first + GROUP : core.blocks;
  const { start } = blockRange(core, first);
  const last = blockRange(core, end - 1n);
  const [bytes, rows] = await Promise.all([
    readStored(file, start - PREFIX, last.start + last.length - start + PREFIX),
    readStored(file, core.tableStart + ROW_SIZE * first, ROW_SIZE * (end - first)),
  ]);
  return bytes && rows && { end, bytes, rows };
}

// The blocks of a group that are not as their rows say. Each prefix is written over the end of the block before, of which the
// digest has a copy by then (Web Cryptography, 14.3.5): copies of all blocks would take as long as the digests.
async function badOfGroup(file, core, first, group) {
  const end = group?.end ?? (first + GROUP < core.blocks ? first + GROUP : core.blocks);
  const indexes = Array.from({ length: Number(end - first) }, (_, place) => first + BigInt(place));
  const sound = await Promise.all(indexes.map(async (index, place) => {
    if (!group) return isBlockSound(file, core, index);
    const from = place * Number(BLOCK_SIZE);
    group.bytes.set(rowPrefix(core, index), from);
    const hash = await sha256(group.bytes.subarray(from, from + Number(PREFIX + BLOCK_SIZE)));
    return equalBytes(hash, group.rows.subarray(place * Number(ROW_SIZE), (place + 1) * Number(ROW_SIZE)));
  }));
  return indexes.filter((_, place) => !sound[place]);
}

// Holds the bytes of a commit against its check table; behind a wrong table no row says anything.
export async function checkCommit(file, core) {
  const tableSound = await isTableSound(file, core);
  const badBlocks = [];
  if (!tableSound) return { tableSound, badBlocks, restSound: false };
  // Reads go ahead of what is hashed, and a group is hashed while the next one comes.
  const reads = [];
  const checks = [];
  let ahead = 0n;
  for (let first = 0n; first < core.blocks; first += GROUP) {
    for (; ahead < core.blocks && reads.length < READS_AHEAD; ahead += GROUP) {
      reads.push(readGroup(file, core, ahead));
    }
    checks.push(badOfGroup(file, core, first, await reads.shift()));
    if (checks.length > 1) badBlocks.push(...await checks.shift());
  }
  badBlocks.push(...(await Promise.all(checks)).flat());
  return { tableSound, badBlocks, restSound: await isRestSound(file, core) };
}

// The commits from the newest down to the first, by the copies of previous cores (7.3). What is
// wrong with the copies and the records goes into the report.
export async function walkLog(file, record, report) {
  const cores = [];
  let next = { core: parseCore(record.subarray(0, CORE_SIZE)), record };
  while (next !== undefined) {
    cores.push(next.core);
    next = await stepBack(file, next, report);
  }
  return cores;
}

async function stepBack(file, { core, record }, report) {
  if (isFirst(core)) {
    if (!hasNoPrevious(record)) report.add('repairable', 'the first commit has a commit before');
    return undefined;
  }
  let previous = await previousByCopy(core, record);
  if (previous === undefined) {
    previous = await searchBack(file, core);
    if (previous === undefined) {
      report.add('damaged', `no commit is found below ${core.start}`, [0, Number(LOG_START + core.start)]);
      return undefined;
    }
    report.add('repairable', `the copy of the core before ${core.start} is wrong`);
  }
  return { core: previous, record: await recordBehind(file, previous, report) };
}

// The record in the log of a core that is known by its copy. What the log lacks is taken as zero,
// so that the commit before it is searched for.
async function recordBehind(file, core, report) {
  const stored = await readRecord(file, core);
  if (!beginsWith(stored, core)) {
    const place = [Number(LOG_START + core.recordStart), RECORD_SIZE];
    report.add('repairable', `the commit record at ${core.recordStart} is wrong`, place);
  }
  return stored ?? new Uint8Array(RECORD_SIZE);
}

// Looks for the commit before at the places below (7.3).
async function searchBack(file, next) {
  const floor = next.start > MAX_SCAN ? next.start - MAX_SCAN : 0n;
  for (let high = next.start; high > floor;) {
    const low = high - floor > SCAN_SLICE ? high - SCAN_SLICE : floor;
    const found = await searchSlice(file, next, low, high);
    if (found !== undefined) return found;
    high = low;
  }
  return undefined;
}

async function searchSlice(file, next, low, high) {
  const fileEnd = BigInt(file.size) - LOG_START;
  const end = high < fileEnd ? high : fileEnd;
  const bytes = end > low ? await readStored(file, low, end - low) : undefined;
  if (bytes === undefined) return undefined;
  for (let place = high - SCAN_STEP; place >= low; place -= SCAN_STEP) {
    const at = Number(place - low);
    const candidate = bytes.subarray(at, at + CORE_SIZE);
    if (candidate.length < CORE_SIZE || !hasCoreMagic(candidate)) continue;
    const core = parseCore(candidate);
    if (core.recordStart === place && await holds(() => checkIsBefore(core, next))) return core;
  }
  return undefined;
}

// The commit of a walk that is around a place; undefined where none was found there.
export function coreAround(cores, place) {
  let [from, to] = [0, cores.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (cores[middle].start > place) from = middle + 1;
    else to = middle;
  }
  return from < cores.length && place < cores[from].end ? cores[from] : undefined;
}

// Wrong bytes in a range of the log: `damaged` by accident, or `tampered` with on purpose
// (reader.md, 5). Always fails. The walk is kept for the next fault.
export async function fault(vault, start, length, message) {
  const verdict = await isDamage(vault, start, length) ? 'damaged' : 'tampered';
  fail(verdict, message);
}

async function isDamage(vault, start, length) {
  const { file, record } = vault;
  const end = start + length;
  if (LOG_START + end > BigInt(file.size)) return true;
  vault.cores ??= await walkLog(file, record, new Report());
  const around = vault.cores.filter((core) => core.start < end && start < core.end);
  if (around.length === 0) return true;
  for (const core of around) {
    if (!await isTableSound(file, core)) return true;
    if (await hasBadBlock(file, core, start, end)) return true;
  }
  return false;
}

async function hasBadBlock(file, core, start, end) {
  const from = start > core.start ? start : core.start;
  const to = end < core.recordStart ? end : core.recordStart;
  for (let index = (from - core.start) / BLOCK_SIZE; from < to && index < core.blocks; index++) {
    if (blockRange(core, index).start >= to) return false;
    if (!await isBlockSound(file, core, index)) return true;
  }
  return false;
}
