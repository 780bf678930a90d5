// Finite state entropy tables of Zstandard (RFC 8878, 4.1).

import { ensure } from './classes.js';
import { ForwardBits } from './bitstream.js';

// Reads a table description (4.1.1). Returns the probabilities, and where the description ends.
export function readDistribution(bytes, start, maxLog, maxSymbol) {
  const bits = new ForwardBits(bytes, start);
  const log = bits.read(4) + 5;
  ensure(log <= maxLog, 'malformed', 'an FSE table is too large');
  const probabilities = [];
  let left = (1 << log) + 1;
  while (left > 1) {
    ensure(probabilities.length <= maxSymbol, 'malformed', 'an FSE table has too many symbols');
    const probability = readProbability(bits, left);
    probabilities.push(probability);
    left -= Math.abs(probability);
    if (probability === 0) readZeroRun(bits, probabilities);
  }
  ensure(left === 1, 'malformed', 'FSE probabilities do not add up');
  ensure(probabilities.length <= maxSymbol + 1, 'malformed', 'an FSE table has too many symbols');
  return { log, probabilities, end: bits.nextByte };
}

// Values 0 … left in as many bits as needed, the low ones in one bit less; -1 is "less than one".
function readProbability(bits, left) {
  const width = 32 - Math.clz32(left);
  const shortValues = (1 << width) - 1 - left;
  const short = bits.peek(width - 1);
  if (short < shortValues) {
    bits.skip(width - 1);
    return short - 1;
  }
  let value = bits.read(width);
  if (value >= 1 << (width - 1)) value -= shortValues;
  return value - 1;
}

function readZeroRun(bits, probabilities) {
  let repeat;
  do {
    repeat = bits.read(2);
    for (let i = 0; i < repeat; i++) probabilities.push(0);
  } while (repeat === 3);
}

// Symbols in their places (4.1.1): those of probability -1 at the end, others in even steps.
function spreadSymbols(probabilities, size) {
  const symbols = new Uint8Array(size);
  let high = size;
  probabilities.forEach((probability, symbol) => {
    if (probability === -1) symbols[--high] = symbol;
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let place = 0;
  probabilities.forEach((probability, symbol) => {
    for (let i = 0; i < probability; i++) {
      symbols[place] = symbol;
      do place = (place + step) & (size - 1); while (place >= high);
    }
  });
  return symbols;
}

// The decoding table: of each state its symbol, the bits to read, and what they are added to.
export function buildTable({ log, probabilities }) {
  const size = 1 << log;
  const symbols = spreadSymbols(probabilities, size);
  const next = probabilities.map((probability) => Math.abs(probability));
  const widths = new Uint8Array(size);
  const bases = new Uint16Array(size);
  for (let state = 0; state < size; state++) {
    const count = next[symbols[state]]++;
    widths[state] = log - (31 - Math.clz32(count));
    bases[state] = (count << widths[state]) - size;
  }
  return { log, symbols, widths, bases };
}

// A table of one state, which always gives the same symbol.
export function singleSymbolTable(symbol) {
  return {
    log: 0, symbols: Uint8Array.of(symbol), widths: new Uint8Array(1), bases: new Uint16Array(1),
  };
}

// One decoder state on a table.
export class FseState {
  constructor(table, bits) {
    this.table = table;
    this.state = bits.read(table.log);
  }

  get symbol() {
    return this.table.symbols[this.state];
  }

  update(bits) {
    this.state = this.table.bases[this.state] + bits.read(this.table.widths[this.state]);
  }
}
