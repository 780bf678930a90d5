// The kinds of cards by number, with their fields.

import { KINDS } from './kinds.js';
import { label } from './words.js';

const BY_NUMBER = new Map(KINDS.map(([number, name, english, chinese, fields]) => [number, {
  number, name, english, chinese,
  fields: fields.map(([key, ...labels]) => ({ key, english: labels[0], chinese: labels[1], sensitive: labels[2] === 1 })),
}]));

// The numbers of kinds that the page treats by themselves (entries.cddl, "Kinds").
export const KIND = {
  file: 1, folder: 2, symlink: 3, attachment: 32, share: 35, setting: 40, series: 66,
  fund: numberOf('fund'), holding: numberOf('holding'), asset: numberOf('asset'), policy: numberOf('policy'), app: numberOf('app'),
};

function numberOf(name) {
  return KINDS.find((row) => row[1] === name)[0];
}

export function isCard({ kind }) {
  return BY_NUMBER.has(kind);
}

export function kindOf(number) {
  return BY_NUMBER.get(number);
}

export function kindLabel(number) {
  const kind = BY_NUMBER.get(number);
  return kind ? label(kind.english, kind.chinese) : `${number}`;
}

// The lines of a card as people see them: fields of its kind first, then others, then its own.
export function linesOf(number, { fields, own }) {
  const values = new Map(fields);
  const known = kindOf(number)?.fields ?? [];
  const lines = known.filter(({ key }) => values.has(key)).map((field) => ({
    ...field, label: label(field.english, field.chinese), value: values.get(field.key),
  }));
  const others = fields.filter(([key]) => !known.some((field) => field.key === key));
  return [...lines, ...others.map(([key, value]) => ({ key, label: key, value, sensitive: false })),
    ...own.map(([name, value, sensitive]) => ({ key: name, label: name, value, sensitive }))];
}

// Entries that count, and copies that a merge left beside the other one, which do not (product/assets.md, 2).
export function withoutCopies(entries) {
  const titles = new Set(entries.map(({ kind, title }) => `${kind} ${title}`));
  const isCopy = ({ kind, titleBefore }) => titleBefore !== undefined && titles.has(`${kind} ${titleBefore}`);
  return { counted: entries.filter((entry) => !isCopy(entry)), copies: entries.filter(isCopy) };
}
