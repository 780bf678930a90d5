// Finding cards as one types: words in titles, tags and values, also by pinyin (product/records.md, 5).

import { READINGS } from './pinyin-table.js';

let readings;

// The syllables of each character.
function table() {
  if (readings) return readings;
  readings = new Map();
  for (const line of READINGS.split(' ')) {
    const [syllable] = /^[a-z]+/.exec(line);
    for (const character of line.slice(syllable.length)) {
      if (readings.has(character)) readings.get(character).push(syllable);
      else readings.set(character, [syllable]);
    }
  }
  return readings;
}

export function fold(text) {
  return text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
}

// What of a word a character may stand for: its syllables, their first letters, or themselves for letters and digits.
function piecesOf(character) {
  const syllables = table().get(character);
  if (!syllables) return undefined;
  const pieces = syllables.flatMap((syllable) => (
    [syllable, syllable[0], /^[zcs]h/.test(syllable) ? syllable.slice(0, 2) : syllable]));
  return { syllables, pieces: [...new Set(pieces)] };
}

// Neighbouring characters of a text spell a word. `reached` has the numbers of letters that the characters before may
// have used, and whether one of them was spelled.
function spells(word, text) {
  if (!/^[a-z0-9]*[a-z][a-z0-9]*$/.test(word) || word.length > 63) return false;
  let reached = new Map();
  for (const character of text) {
    reached.set(0, reached.get(0) ?? false);
    const next = new Map();
    const known = piecesOf(character);
    for (const [at, spelled] of reached) {
      const rest = word.slice(at);
      if (known?.syllables.some((syllable) => syllable.startsWith(rest))) return true;
      for (const piece of known?.pieces ?? [character]) {
        if (!rest.startsWith(piece)) continue;
        const isSpelled = spelled || known !== undefined;
        if (at + piece.length === word.length && isSpelled) return true;
        next.set(at + piece.length, next.get(at + piece.length) || isSpelled);
      }
    }
    next.delete(word.length);
    reached = next;
  }
  return false;
}

// How near a word is to a text: 0 is, 1 begins, 2 stands in it, 3 spells it; undefined where it does none.
function level(word, text) {
  if (text === word) return 0;
  if (text.startsWith(word)) return 1;
  if (text.includes(word)) return 2;
  return spells(word, text) ? 3 : undefined;
}

// The items that have all words of a query, the nearest first. `textsOf` gives the texts of an item, folded, in
// the order in which they count.
export function search(items, query, textsOf) {
  const words = fold(query).split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return items;
  const ranked = [];
  for (const item of items) {
    const texts = textsOf(item);
    const ranks = words.map((word) => nearest(word, texts));
    if (ranks.every((rank) => rank !== undefined)) ranked.push({ item, rank: Math.max(...ranks) });
  }
  return ranked.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
}

function nearest(word, texts) {
  let best;
  texts.forEach((text, place) => {
    const found = level(word, text);
    const rank = found === undefined ? undefined : 4 * found + Math.min(place, 3);
    if (rank !== undefined && (best === undefined || rank < best)) best = rank;
  });
  return best;
}
