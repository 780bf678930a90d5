// What this reader makes of a test vector (reader.md, 9): the same on Node and in a browser.

import { compareBytes, concat, encodeU32, encodeU64, toHex } from './bytes.js';
import { verdictOf } from './classes.js';
import { extract } from './extract.js';
import { verifyKeyless, verifyWithAuditKey } from './keyless.js';
import { listVault, readAll } from './reading.js';
import { entriesAfter } from './saves.js';
import { parseAuditKey } from './secrets.js';
import { Sha256 } from './sha256.js';
import { openVault } from './vault.js';
import { parseVector, secretOf, unescapeBytes } from './vector-file.js';
import { verifyWithKey } from './verify.js';

// The outcome of each key of the header that this program knows.
async function outcomes({ header, file }) {
  const opening = secretOf(header).then((secret) => openVault(file, secret));
  opening.catch(() => {});
  const results = new Map();
  const add = (values) => Object.entries(values).forEach(([key, value]) => results.set(key, value));
  add(await readOutcome(opening));
  add({ keyless: (await verifyKeyless(file)).verdict });
  add({ verify: (await verifyWithKey(opening)).verdict });
  if (header.has('audit-key')) add({ audited: await auditOutcome(file, header.get('audit-key')) });
  if (header.has('at')) add({ shown: await shownOutcome(opening, BigInt(header.get('at'))) });
  if (header.has('unpack')) add(await unpackOutcome(opening));
  return results;
}

async function readOutcome(opening) {
  const hash = new Sha256();
  const read = await verdictOf((async () => {
    const vault = await opening;
    const { entries } = await listVault(vault);
    await readAll(vault, entries, (piece) => { hash.update(piece); });
  })());
  return { read, released: toHex(hash.digest()) };
}

async function auditOutcome(file, text) {
  let report;
  const verdict = await verdictOf((async () => {
    report = await verifyWithAuditKey(file, await parseAuditKey(unescapeBytes(text)));
  })());
  return report?.verdict ?? verdict;
}

async function shownOutcome(opening, sequence) {
  const hash = new Sha256();
  let state;
  const verdict = await verdictOf((async () => {
    state = await entriesAfter(await opening, sequence);
    if (state) await readAll(state.vault, state.entries, (piece) => { hash.update(piece); });
  })());
  if (verdict !== 'ok') return verdict;
  return state ? toHex(hash.digest()) : 'not-there';
}

// Keeps what an extraction makes, in the form of reader.md, 9.
class MemoryTarget {
  constructor() {
    this.made = [];
  }

  add(letter, path, content) {
    const lengths = [encodeU32(path.length), encodeU64(BigInt(content.length))];
    const type = Uint8Array.of(letter.charCodeAt(0));
    this.made.push({ path, bytes: concat(type, lengths[0], path, lengths[1], content) });
  }

  folder(path) {
    this.add('d', path, new Uint8Array(0));
  }

  async file(path, content, isExecutable) {
    const pieces = [];
    await content((piece) => { pieces.push(piece); });
    this.add(isExecutable ? 'x' : 'f', path, concat(...pieces));
  }

  symlink(path, target) {
    this.add('l', path, target);
  }

  digest() {
    const hash = new Sha256();
    this.made.sort((a, b) => compareBytes(a.path, b.path));
    for (const { bytes } of this.made) hash.update(bytes);
    return toHex(hash.digest());
  }
}

async function unpackOutcome(opening) {
  const target = new MemoryTarget();
  let unpack;
  const verdict = await verdictOf((async () => {
    unpack = await extract(await opening, target);
  })());
  return { unpack: unpack ?? verdict, unpacked: target.digest() };
}

// Lines that tell where a vector and this reader differ; none where they agree.
export async function differences(text, name) {
  try {
    const vector = parseVector(text);
    const results = await outcomes(vector);
    return [...results]
      .filter(([key, value]) => vector.header.get(key) !== value)
      .map(([key, value]) => `${name}: ${key}: ${vector.header.get(key)} expected, got ${value}`);
  } catch (error) {
    return [`${name}: ${error.stack}`];
  }
}
