// A small program on the reader. The password is read from standard input.
//
//     node qvault-read.js ls FILE
//     node qvault-read.js cat FILE PATH
//     node qvault-read.js verify FILE

import { openFile } from './node-platform.js';
import { decodeText, toHex } from './bytes.js';
import { EXIT_CODES, Failure } from './classes.js';
import { openStack } from './manifest.js';
import { listVault } from './reading.js';
import { readRecord } from './records.js';
import { passwordSecret } from './secrets.js';
import { findPath, isInTree } from './tree.js';
import { openVault } from './vault.js';
import { verifyWithKey } from './verify.js';

const EXIT_OTHER = 1;
const EXIT_USAGE = 2;

// The bytes of standard input without one newline at the end.
async function readPassword() {
  const pieces = [];
  for await (const piece of process.stdin) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  return bytes.subarray(0, bytes.at(-1) === 0x0A ? bytes.length - 1 : bytes.length);
}

function warn(vault) {
  for (const warning of vault.choice.warnings) console.error(`warning: ${warning}`);
}

// A name for a terminal: control characters and bytes that are no UTF-8 are made visible.
function visible(bytes) {
  const text = decodeText(bytes) ?? `\\x${toHex(bytes)}`;
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

async function list(file, secret) {
  const vault = await openVault(file, secret);
  warn(vault);
  const { entries, tree } = await listVault(vault);
  const lines = entries.map((entry) => {
    const name = isInTree(entry) ? tree.pathOf(entry) : entry.title;
    return `${entry.kind}\t${entry.length}\t${visible(name)}`;
  });
  for (const line of lines) console.log(line);
}

async function print(file, secret, path) {
  const vault = await openVault(file, secret);
  warn(vault);
  const entry = await findPath(vault, await openStack(vault), path);
  await readRecord(vault, entry, (piece) => new Promise((resolve) => {
    process.stdout.write(piece, resolve);
  }));
}

async function verify(file, secret) {
  const report = await verifyWithKey(openVault(file, secret));
  for (const { verdict, message } of report.findings) console.log(`${verdict}: ${message}`);
  for (const note of report.notes) console.log(`note: ${note}`);
  console.log(report.verdict);
  process.exitCode = EXIT_CODES[report.verdict];
}

const COMMANDS = { ls: [list, 1], cat: [print, 2], verify: [verify, 1] };

async function main([name, path, ...rest]) {
  const [command, count] = COMMANDS[name] ?? [];
  if (rest.length + 1 !== count) {
    console.error('usage: qvault-read.js ls FILE | cat FILE PATH | verify FILE');
    process.exitCode = EXIT_USAGE;
    return;
  }
  const file = await openFile(path);
  try {
    await command(file, passwordSecret(await readPassword()), ...rest);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(`${error.verdict}: ${error.message}`);
    process.exitCode = EXIT_CODES[error.verdict];
  } finally {
    await file.close();
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = EXIT_OTHER;
}
