// Verifying with a secret (reader.md, 8).

import { equalBytes } from './bytes.js';
import { Report, ensure } from './classes.js';
import { fingerprintOf } from './core.js';
import { checkKeyless } from './keyless.js';
import { fault } from './log.js';
import {
  PARTS, checkOrder, checkOwnLink, listedEntries, openChunk, openSegment, openStack,
  readHeadCopy, readHeadInPlace,
} from './manifest.js';
import { checkFeatures, hasPageTags, isSound } from './page.js';
import { checkLabel } from './slots.js';
import { Tree } from './tree.js';
import { checkCoreTags, openPrivate } from './vault.js';
import { checkStoredRecords } from './verify-records.js';

// `opening` is the promise of an opened vault.
export async function verifyWithKey(opening) {
  const report = new Report();
  const opened = await report.attempt(async () => {
    const vault = await opening;
    return { vault, stack: await openStack(vault) };
  });
  if (!opened) return report;
  const { vault, stack } = opened;
  const checks = await checkKeyless(vault.file, vault.choice, report);
  const cores = [...checks.keys()];
  await checkPages(vault, report);
  await checkLabels(vault, report);
  const links = await checkCores(vault, cores, report);
  const segments = await checkSegments(vault, links, checks, report);
  await report.attempt(() => checkNewestStack(vault, stack));
  await checkLines(segments, cores, report);
  await checkStoredRecords(vault, cores, segments, report);
  return report;
}

// 8.1, pages
async function checkPages(vault, report) {
  const { choice, keys, newerSaveBehind } = vault;
  for (const page of [choice.pageA, choice.pageB]) {
    if (isSound(page) && !await hasPageTags(page, keys)) {
      report.add('tampered', 'a tag of page A or B is wrong');
    }
  }
  if (newerSaveBehind) report.add('damaged', 'page T names a newer save that the log lacks');
}

async function checkLabels({ page, keys }, report) {
  for (const slot of page.slots.filter(({ known }) => known)) {
    await report.attempt(() => checkLabel(slot, keys.slotLabelKey, keys.vaultId));
  }
}

// 8.1, commits. Returns the link in the private part of each core that opens.
async function checkCores({ page, keys }, cores, report) {
  const links = new Map();
  for (const core of cores) {
    await report.attempt(() => checkCoreTags(core, keys));
    await report.attempt(() => checkFeatures(core, page));
    const opened = await report.attempt(() => openPrivate(core, keys));
    if (opened) links.set(core, opened.link);
  }
  return links;
}

// 8.2. Returns the segments that could be opened, with the items of their parts.
async function checkSegments(vault, links, checks, report) {
  const segments = [];
  const named = new Map([...links.values()].map((link) => [link.offset, link]));
  for (const [core, link] of links) {
    const segment = await report.attempt(async () => {
      checkOwnLink(link, core);
      await report.attempt(() => checkHead(vault, link));
      await report.attempt(() => checkHeadCopy(vault, link, checks.get(core)));
      return openSegment(vault, link);
    });
    if (!segment) continue;
    await report.attempt(() => checkIsNamed(segment.next, named));
    segments.push({ link, ...await readParts(vault, segment, report) });
  }
  return segments;
}

async function checkHead(vault, link) {
  if (await readHeadInPlace(vault, link)) return;
  await fault(vault, link.offset, link.headLength, 'the head of a segment is wrong');
}

// A copy behind a wrong table or in a wrong rest is damage that was reported already.
async function checkHeadCopy(vault, link, { tableSound, restSound }) {
  if (!tableSound || !restSound) return;
  const right = await readHeadCopy(vault, link) !== undefined;
  ensure(right, 'tampered', 'the copy of a head is not the head');
}

// Each link equals, in all six items, what some private part names.
function checkIsNamed(next, named) {
  if (next === undefined) return;
  const link = named.get(next.offset);
  const same = link !== undefined && link.length === next.length
    && link.headLength === next.headLength && link.copyOffset === next.copyOffset
    && equalBytes(link.salt, next.salt) && equalBytes(link.headHash, next.headHash);
  ensure(same, 'malformed', 'a link names no segment of a commit');
}

// The items of all chunks that can be read; one that fails ends nothing.
async function readParts(vault, segment, report) {
  const parts = {};
  for (const [name, part] of Object.entries(PARTS)) {
    const items = [];
    for (const chunk of segment[name]) {
      items.push(...await report.attempt(() => openChunk(vault, segment, chunk)) ?? []);
    }
    await report.attempt(() => checkOrder(part, items));
    parts[name] = items;
  }
  return parts;
}

// 4.4 to 4.6 for the newest stack
async function checkNewestStack(vault, stack) {
  return new Tree(await listedEntries(vault, stack));
}

// A line of a commit that was found has its place and fingerprint.
async function checkLines(segments, cores, report) {
  const bySequence = new Map();
  for (const core of cores) {
    const fingerprint = (await fingerprintOf(core)).subarray(0, 16);
    bySequence.set(core.sequence, { recordOffset: core.recordStart, fingerprint });
  }
  for (const line of segments.flatMap(({ lines }) => lines)) {
    const commit = bySequence.get(line.sequence);
    const same = commit === undefined || (line.recordOffset === commit.recordOffset
      && equalBytes(line.fingerprint, commit.fingerprint));
    if (!same) report.add('malformed', `the line of save ${line.sequence} is not true`);
  }
}
