// The ranges of limits.md.

export const MAX_OFFSET = 1n << 60n;
export const MAX_AREA = 1n << 48n;
const MAX_NUMBER = (1n << 63n) - 1n;
export const MAX_CONTENT = (1n << 48n) - 65536n;
export const PIECE_ROW = 24n;
export const MAX_PIECES = 1n << 20n;
export const MAX_EXTENSION_AREA = 1n << 20n;
export const MAX_HEAD = 1n << 27n;
export const MAX_SEGMENT = 1n << 35n;
export const MAX_SEGMENTS = 64;
export const MAX_CHUNK = 4096;
export const MAX_CHUNK_OF_ONE = 16384;
export const MAX_CHUNK_ITEMS = 4096n;
export const MAX_SCAN = 1n << 34n;
export const MAX_TITLE = 255;
export const MAX_SYMLINK_TARGET = 4095n;
export const MAX_PATH = 4095;
export const MAX_DEPTH = 1024;

export const MAX_PASSWORD = 1048576;
export const MAX_KEYFILE = 1 << 26;
export const MIN_ITERATIONS = 100000;
export const MAX_ITERATIONS = 2 ** 31 - 1;
export const MIN_MEMORY_LOG = 15;
export const MAX_MEMORY_LOG = 22;
export const MAX_PASSES = 65535;
export const MAX_LANES = 64;
export const MIN_MEMORY_TIMES_PASSES = 98304;

// Ceilings without consent: those of this program are those of limits.md.
export const ITERATIONS_CEILING = 10000000;
export const MEMORY_CEILING = 2 ** 20;
export const MEMORY_TIMES_PASSES_CEILING = 2 ** 24;

// Times, sequences, revisions and epoch counters fit 63 bits.
export function isTime(value) {
  return value <= MAX_NUMBER;
}

export function isCounter(value) {
  return value >= 1n && value <= MAX_NUMBER;
}
