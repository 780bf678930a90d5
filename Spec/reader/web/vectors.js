// Runs test vectors: node vectors.js FILE-OR-FOLDER…
// Prints each disagreement on a line and a count at the end; exit code 1 if anything differs.

import './node-platform.js';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
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

const SUFFIX = '.vector';

async function vectorPaths(path) {
  if (!(await stat(path)).isDirectory()) return [path];
  const paths = [];
  for (const name of (await readdir(path)).sort()) {
    const inside = join(path, name);
    if ((await stat(inside)).isDirectory()) paths.push(...await vectorPaths(inside));
    else if (name.endsWith(SUFFIX)) paths.push(inside);
  }
  return paths;
}

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

// Lines that tell where a vector and this reader differ.
async function runVector(path) {
  try {
    const vector = parseVector(await readFile(path, 'utf8'));
    const results = await outcomes(vector);
    return [...results]
      .filter(([key, value]) => vector.header.get(key) !== value)
      .map(([key, value]) => `${path}: ${key}: ${vector.header.get(key)} expected, got ${value}`);
  } catch (error) {
    return [`${path}: ${error.stack}`];
  }
}

let agreed = 0;
let differed = 0;
for (const argument of process.argv.slice(2)) {
  for (const path of await vectorPaths(argument)) {
    const lines = await runVector(path);
    for (const line of lines) console.log(line);
    if (lines.length === 0) agreed++;
    else differed++;
  }
}
console.log(`${agreed} of ${agreed + differed} vectors agree`);
process.exitCode = differed > 0 ? 1 : 0;
