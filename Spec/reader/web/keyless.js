// Verifying without a key (reader.md, 7), and with an audit key (8.4).

import { LOG_START, PAGE_SIZE, equalBytes, isZero, readAt, readStored } from './bytes.js';
import { Failure, Report, holds, ensure } from './classes.js';
import { BLOCK_SIZE, extensionCopies, hasAuditTag } from './core.js';
import { sha256 } from './crypto.js';
import { deriveAuditTagKey } from './keys.js';
import { checkCommit, readRecord, walkLog } from './log.js';
import { checkPage, hasPageAuditTag, isSound } from './page.js';
import { isTailWhole } from './parity.js';
import { choosePage, goesOnBehind, standsAtLogEnd, withoutTail } from './pages.js';

const GAPS = [[PAGE_SIZE, 65536], [65536 + PAGE_SIZE, 131072]];

// All of 7 for a chosen page. Returns the commits that the walk found, and of each the outcome of
// its check table; none where the newest record copy is broken.
export async function checkKeyless(file, choice, report) {
  await checkSize(file, choice.page, report);
  await checkGaps(file, choice.page, report);
  await checkTail(file, choice, report);
  const checks = new Map();
  const walked = await isNewestSound(file, choice.page, report)
    ? await walkLog(file, choice.page.record, report) : [];
  for (const core of walked) checks.set(core, await checkBlocks(file, core, report));
  for (const page of [choice.pageA, choice.pageB]) {
    await checkOtherPage(page, choice.page, walked, report);
  }
  if (walked.length > 0) await checkExtensionArea(file, walked[0], report);
  return checks;
}

async function checkSize(file, page, report) {
  if (BigInt(file.size) < LOG_START + page.logEnd) {
    report.add('damaged', 'the file is cut off', [file.size - 1, 1]);
  }
  if (goesOnBehind(file, page)) report.note('bytes stand behind page T');
}

// 7.1, the last two points and the first
async function checkTail(file, choice, report) {
  if (choice.mayBeLost) report.add('damaged', 'a newer save may be lost');
  const whole = await isTailWhole(file, choice.page);
  if (whole === false) report.add('repairable', 'a block of parity is damaged or missing');
  if (goesOnBehind(file, choice.page) && whole === undefined) return;
  if (!await standsAtLogEnd(file, choice.page)) report.add('repairable', 'page T is another');
}

async function checkGaps(file, page, report) {
  if (page.writeFeatures !== 0) return;
  for (const [start, end] of GAPS) {
    const length = Math.min(end, file.size) - start;
    const gap = length > 0 ? await readAt(file, start, length) : undefined;
    if (gap && !isZero(gap)) {
      report.add('repairable', 'a gap between pages is not zero', [start, length]);
    }
  }
}

// 7.1, the pages A and B beside the one that was taken
async function checkOtherPage(page, taken, walked, report) {
  if (!isSound(page)) {
    report.add('repairable', 'page A or B is unsound, or of a newer format');
    return;
  }
  if (page === taken) return;
  const found = walked.slice(0, 2).some((core) => equalBytes(core.bytes, page.core.bytes));
  const sameSlots = equalBytes(page.slotArea, taken.slotArea);
  if (!found || !sameSlots || !await holds(() => checkPage(page))) {
    report.add('repairable', 'page A or B is not that of one of the two newest commits');
  }
}

// 7.2. Damage where 3.5 says malformed: nobody knows yet who wrote the page.
async function isNewestSound(file, page, report) {
  try {
    await checkPage(page);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    report.add(error.verdict === 'malformed' ? 'damaged' : error.verdict, error.message);
    return false;
  }
  const record = await readRecord(file, page.core);
  const same = record !== undefined && equalBytes(record, page.record);
  if (!same) report.add('repairable', 'the newest commit record is wrong');
  return true;
}

// 7.3, the check table
async function checkBlocks(file, core, report) {
  const check = await checkCommit(file, core);
  const add = (verdict, message, start, length) => {
    report.add(verdict, message, [Number(LOG_START + start), Number(length)]);
  };
  const { start, tableStart, tableLength, restStart, end } = core;
  if (!check.tableSound) {
    add('damaged', `the check table at ${tableStart} is wrong`, tableStart, tableLength);
  }
  for (const index of check.badBlocks) {
    const block = start + BLOCK_SIZE * index;
    add('damaged', `block ${index} of the commit at ${start} is wrong`, block, BLOCK_SIZE);
  }
  if (check.tableSound && !check.restSound) {
    add('repairable', `the rest of the commit at ${start} is wrong`, restStart, end - restStart);
  }
  return check;
}

// 7.4
async function checkExtensionArea(file, core, report) {
  if (core.extensionLength === 0n) return;
  for (const start of extensionCopies(core)) {
    const copy = await readStored(file, start, core.extensionLength);
    if (copy && equalBytes(await sha256(copy), core.extensionHash)) return;
  }
  report.add('damaged', 'both copies of the extension area are wrong');
}

// The class of a file that is verified without a key, with all findings.
export async function verifyKeyless(file) {
  const report = new Report();
  const choice = await report.attempt(() => choosePage(file));
  if (choice) await checkKeyless(file, choice, report);
  return report;
}

// 8.4. `auditKey` is a parsed file (keys.md, 7).
export async function verifyWithAuditKey(file, auditKey) {
  const report = new Report();
  const opened = await report.attempt(() => openForAudit(file, auditKey));
  if (!opened) return report;
  const { choice, tagKey } = opened;
  const checks = await checkKeyless(file, choice, report);
  for (const page of new Set([choice.page, choice.pageA, choice.pageB])) {
    if (isSound(page) && !await hasPageAuditTag(page, tagKey)) {
      report.add('tampered', 'the audit tag of a page is wrong');
    }
  }
  for (const core of checks.keys()) {
    const right = await hasAuditTag(core, tagKey);
    if (!right) report.add('tampered', `the audit tag of the commit at ${core.start} is wrong`);
  }
  return report;
}

async function openForAudit(file, auditKey) {
  let choice = await choosePage(file);
  const { vaultId, epoch } = choice.page;
  const same = equalBytes(vaultId, auditKey.vaultId) && equalBytes(epoch, auditKey.epoch);
  ensure(same, 'wrong-key', 'the audit key belongs to another vault or epoch');
  const tagKey = await deriveAuditTagKey(auditKey.auditRoot, vaultId);
  if (choice.besideSound && !await hasPageAuditTag(choice.page, tagKey)) {
    choice = withoutTail(choice);
  }
  return { choice, tagKey };
}
