// Choosing the page that counts (reader.md, 2).

import { LOG_START, PAGE_SIZE, equalBytes, readAt, readStored } from './bytes.js';
import { fail } from './classes.js';
import { stepsBetween } from './log.js';
import { endBeforeTail } from './parity.js';
import { isSound, readPage, samePage, showsPageMagic } from './page.js';

const PAGE_A_AT = 0;
const PAGE_B_AT = 65536;
const MAGIC_LENGTH = 8;
const REREADS = 10;
const FIRST_PAUSE = 20;

// The choice: `page` counts. `pageA` and `pageB` as read; `tail`, a page T that was looked at;
// `besideSound`, whether page T was taken though A and B are sound; `newer`, that of A and B which
// counts then; `tailSteps`, the commits from page T back to `newer`, 0 where the log does not lead
// there; `mayBeLost`, whether a newer save may be lost; `warnings` for a person.
export async function choosePage(file) {
  const [pageA, pageB] = await readSettledPages(file);
  const choice = {
    pageA, pageB, besideSound: false, tailSteps: 0, mayBeLost: false, warnings: [],
  };
  await refuseForeign(file, pageA, pageB);
  if (isSound(pageA) && isSound(pageB)) return chooseOfTwo(file, choice);
  choice.warnings.push('page A or B is unsound');
  if (isSound(pageA) || isSound(pageB)) return chooseBesideUnsound(file, choice);
  return chooseTail(file, choice);
}

async function readPages(file) {
  return [
    await readPage(await readAt(file, PAGE_A_AT, PAGE_SIZE)),
    await readPage(await readAt(file, PAGE_B_AT, PAGE_SIZE)),
  ];
}

// A writer may be at work on a `live` file: pages in doubt are read again (store.md, 3).
async function readSettledPages(file) {
  let pages = await readPages(file);
  for (let i = 0; file.live && i < REREADS && await areInDoubt(file, pages); i++) {
    await new Promise((resolve) => { setTimeout(resolve, FIRST_PAUSE << i); });
    pages = await readPages(file);
  }
  return pages;
}

async function areInDoubt(file, [pageA, pageB]) {
  if (!isSound(pageA) || !isSound(pageB)) return true;
  if (!equalBytes(pageA.slotArea, pageB.slotArea)) return true;
  if (!samePage(pageA, await readAt(file, PAGE_A_AT, PAGE_SIZE))) return true;
  const newer = newerOf(pageA, pageB);
  return endsBehind(file, newer) && !await standsAtLogEnd(file, newer);
}

function newerOf(pageA, pageB) {
  return pageB.sequence > pageA.sequence ? pageB : pageA;
}

function endOfPageT(page) {
  return LOG_START + page.logEnd + BigInt(PAGE_SIZE);
}

function endsBehind(file, page) {
  return BigInt(file.size) === endOfPageT(page);
}

// Does the file go on behind the place of page T?
export function goesOnBehind(file, page) {
  return BigInt(file.size) > endOfPageT(page);
}

// Are the 4,096 bytes at the page's log end its own?
export async function standsAtLogEnd(file, page) {
  return samePage(page, await readStored(file, page.logEnd, PAGE_SIZE));
}

// Every writer writes page T first, so only a forger leaves a foreign page beside a sound one whose
// own bytes stand at its log end (2.2).
async function refuseForeign(file, pageA, pageB) {
  for (const [page, other] of [[pageA, pageB], [pageB, pageA]]) {
    if (page.state !== 'foreign') continue;
    if (isSound(other) && await standsAtLogEnd(file, other)) continue;
    fail('unsupported', 'a page of a newer format');
  }
}

// The page at the highest multiple of 4,096 before the tail of parity, and its place; undefined
// where the log has no room.
async function readTail(file) {
  const size = await endBeforeTail(file) ?? BigInt(file.size);
  const place = size / BigInt(PAGE_SIZE) * BigInt(PAGE_SIZE) - BigInt(PAGE_SIZE);
  if (place < LOG_START) return undefined;
  const bytes = await readAt(file, place, PAGE_SIZE);
  return { bytes, page: await readPage(bytes), stored: place - LOG_START };
}

function isPageT(tail) {
  return tail !== undefined && isSound(tail.page) && tail.page.logEnd === tail.stored;
}

// 2.3
async function chooseOfTwo(file, choice) {
  const { pageA, pageB } = choice;
  if (pageA.sequence === pageB.sequence && !equalBytes(pageA.bytes, pageB.bytes)) {
    fail('damaged', 'pages A and B name one save and differ');
  }
  choice.page = newerOf(pageA, pageB);
  choice.newer = choice.page;
  if (!goesOnBehind(file, choice.page)) return choice;
  const tail = await readTail(file);
  if (!isPageT(tail)) return choice;
  choice.tail = tail.page;
  choice.tailSteps = await stepsBetween(file, tail.page, choice.page);
  if (choice.tailSteps >= 2) {
    choice.besideSound = true;
    choice.page = tail.page;
    choice.warnings.push('pages A and B are older than page T');
  }
  return choice;
}

// Page T is looked at because A or B is unsound (2.4).
async function readTailBesideUnsound(file) {
  const tail = await readTail(file);
  if (tail?.page.state === 'foreign') fail('unsupported', 'page T is of a newer format');
  return tail;
}

// 2.4, one sound
async function chooseBesideUnsound(file, choice) {
  const sound = isSound(choice.pageA) ? choice.pageA : choice.pageB;
  const tail = await readTailBesideUnsound(file);
  const leads = isPageT(tail) && await stepsBetween(file, tail.page, sound) > 0;
  choice.page = leads ? tail.page : sound;
  if (!leads && !await standsAtLogEnd(file, sound)) {
    choice.mayBeLost = true;
    choice.warnings.push('a newer save may be lost');
  }
  return choice;
}

// 2.4, none sound
async function chooseTail(file, choice) {
  const tail = await readTailBesideUnsound(file);
  if (isPageT(tail)) {
    choice.page = tail.page;
    return choice;
  }
  const places = [PAGE_A_AT, PAGE_B_AT, ...(tail ? [LOG_START + tail.stored] : [])];
  for (const place of places) {
    const bytes = await readAt(file, place, MAGIC_LENGTH);
    if (bytes !== undefined && showsPageMagic(bytes)) fail('damaged', 'no page is sound');
  }
  if (await endBeforeTail(file) !== undefined) fail('damaged', 'no page is sound');
  return fail('not-a-vault', 'no page');
}

// Page T was taken beside two sound pages and has wrong tags: it is none (3.4).
export function withoutTail(choice) {
  const { newer } = choice;
  return { ...choice, page: newer, tail: undefined, tailSteps: 0, besideSound: false };
}
