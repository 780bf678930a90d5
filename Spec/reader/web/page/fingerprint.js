// A fingerprint in words, for people to compare (store.md, 8).

const CONSONANTS = 'bdfghjklmnprstvz';
const VOWELS = 'aiou';

// Eight words of the first 16 bytes, each of two of them.
export function fingerprintWords(bytes) {
  const words = [];
  for (let at = 0; at < 16; at += 2) {
    const number = bytes[at] << 8 | bytes[at + 1];
    words.push(CONSONANTS[number >> 12] + VOWELS[number >> 10 & 3] + CONSONANTS[number >> 6 & 15]
      + VOWELS[number >> 4 & 3] + CONSONANTS[number & 15]);
  }
  return words.join('-');
}
