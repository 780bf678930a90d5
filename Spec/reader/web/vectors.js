// Runs test vectors: node vectors.js FILE-OR-FOLDER…
// Prints each disagreement on a line and a count at the end; exit code 1 if anything differs.

import './node-platform.js';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { differences } from './vector-outcomes.js';

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

let agreed = 0;
let differed = 0;
for (const argument of process.argv.slice(2)) {
  for (const path of await vectorPaths(argument)) {
    const lines = await differences(await readFile(path, 'utf8'), path);
    for (const line of lines) console.log(line);
    if (lines.length === 0) agreed++;
    else differed++;
  }
}
console.log(`${agreed} of ${agreed + differed} vectors agree`);
process.exitCode = differed > 0 ? 1 : 0;
