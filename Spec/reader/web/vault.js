// Opening a vault with a secret (reader.md, 3).

import { decodeText, equalBytes, u32, u64 } from './bytes.js';
import { holds, ensure } from './classes.js';
import { checkIsBefore, hasAuditTag, hasOwnerTag } from './core.js';
import { gcmOpen } from './crypto.js';
import { Keys } from './keys.js';
import { isTime } from './limits.js';
import { readRecord } from './log.js';
import { checkPage, hasPageTags, isSound } from './page.js';
import { choosePage, withoutTail } from './pages.js';
import { unwrapMasterKey } from './slots.js';

const PRIVATE_AAD_SIZE = 208;
const PRIVATE_NONCE = new Uint8Array(12);
const WRITER_AT = 64;
const WRITER_END = 96;

export async function openVault(file, secret) {
  let choice = await choosePage(file);
  let keys = await openPage(choice.page, secret);
  if (choice.besideSound && !await hasPageTags(choice.page, keys)) {
    choice = withoutTail(choice);
    keys = await openPage(choice.page, secret);
  }
  ensure(await hasPageTags(choice.page, keys), 'tampered', 'a tag of the page is wrong');
  const vault = await vaultOfPage(file, choice, keys, choice.page);
  await warnOfLostSaves(vault);
  await warnOfDamagedCommit(vault);
  return vault;
}

// The keys that hang from the master key in a slot (3.1 to 3.3).
async function openPage(page, secret) {
  const master = secret.master
    ?? await unwrapMasterKey(page.slots, secret, page.vaultId, page.epoch);
  return Keys.fromMaster(master, page.vaultId);
}

// The vault as a page with right tags shows it (3.5 and 3.6).
async function vaultOfPage(file, choice, keys, page) {
  await checkPage(page);
  await checkCoreTags(page.core, keys);
  return {
    file, choice, keys, page, core: page.core, record: page.record,
    private: await openPrivate(page.core, keys),
    newerSaveBehind: false,
  };
}

export async function checkCoreTags(core, keys) {
  const right = await hasOwnerTag(core, keys.ownerTagKey)
    && await hasAuditTag(core, keys.auditTagKey);
  ensure(right, 'tampered', 'a tag of a commit is wrong');
}

// The private part of a core (container.md, 3.2), and the link that it makes (reader.md, 4.1).
export async function openPrivate(core, keys) {
  const key = await keys.privateKey(core.salt);
  const aad = core.bytes.subarray(0, PRIVATE_AAD_SIZE);
  const bytes = await gcmOpen(key, PRIVATE_NONCE, core.sealedPrivate, aad);
  ensure(bytes !== undefined, 'tampered', 'the private part of a commit was altered');
  ensure(isTime(u64(bytes, 56)), 'malformed', 'the time of a commit is outside the limits');
  ensure(isWriter(bytes), 'malformed', 'the writer of a commit is not UTF-8');
  return {
    time: u64(bytes, 56),
    link: {
      offset: u64(bytes, 0),
      length: u64(bytes, 8),
      headLength: BigInt(u32(bytes, 16)),
      copyOffset: core.restStart,
      salt: core.salt,
      headHash: bytes.slice(24, 56),
    },
  };
}

function isWriter(bytes) {
  let end = WRITER_END;
  while (end > WRITER_AT && bytes[end - 1] === 0) end--;
  return decodeText(bytes.subarray(WRITER_AT, end)) !== undefined;
}

// 3.7
async function warnOfLostSaves(vault) {
  const { tail, tailSteps, newer, warnings } = vault.choice;
  if (tail === undefined || tailSteps > 0 || tail.sequence <= newer.sequence) return;
  if (!await hasPageTags(tail, vault.keys)) return;
  vault.newerSaveBehind = true;
  warnings.push('newer saves may be lost: page T names one that the log does not lead to');
}

// 3.8
async function warnOfDamagedCommit(vault) {
  const record = await readRecord(vault.file, vault.core);
  if (record === undefined || !equalBytes(record, vault.record)) {
    vault.choice.warnings.push('the newest commit is damaged');
  }
}

// The vault as the other of pages A and B shows it, where that names the commit before the newest
// and the number asked for (4.7); else undefined.
export async function vaultBefore(vault, sequence) {
  const { file, choice, keys, page, core } = vault;
  for (const other of [choice.pageA, choice.pageB]) {
    if (other === page || !isSound(other) || other.sequence !== sequence) continue;
    const before = await holds(() => checkIsBefore(other.core, core));
    if (before && await hasPageTags(other, keys)) return vaultOfPage(file, choice, keys, other);
  }
  return undefined;
}
