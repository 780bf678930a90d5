// Cards: their list, and one of them with its attachments and versions.

import { failureText } from './app.js';
import { codeAt, codeMaker, timeLeft } from './codes.js';
import { announce, button, element } from './dom.js';
import { contentBox } from './content.js';
import { KIND, kindLabel, linesOf, isCard } from './kinds-of.js';
import { listAndDetail } from './list.js';
import { label, sizeText, t, timeText, word } from './words.js';

// Cards that are asked for in one call.
const AT_ONCE = 500;
// Fields whose words are of a closed list.
const CLOSED = new Set(['category', 'bucket', 'type', 'status']);
// Funds, holdings, assets and policies have parts of their own.
const ELSEWHERE = [KIND.fund, KIND.holding, KIND.asset, KIND.policy];

export function cardsPart(app) {
  const cards = app.entries.filter((entry) => isCard(entry) && !ELSEWHERE.includes(entry.kind)).sort(byUse);
  const rows = rowsOf(app, cards);
  const [list, detail] = listAndDetail(app, 'Cards', () => rows, (id) => cardDetail(app, id));
  const { error } = app.memory.reading ?? {};
  if (error) list.prepend(element('p', { className: 'bad', role: 'alert' }, error));
  return [list, detail];
}

export function byUse(a, b) {
  return b.pinned - a.pinned || b.updated - a.updated || (a.id < b.id ? -1 : 1);
}

// The rows of a list of cards. Their values are read once, behind the first drawing, and are searched then.
export function rowsOf(app, cards) {
  const values = valuesOf(app, cards);
  return cards.map((entry) => {
    const { id, kind, title, tags, group, pinned } = entry;
    const words = [kindLabel(kind), group && `[${group}]`, ...tags.map((tag) => `#${tag}`), pinned && '★'];
    return {
      id, title, under: words.filter(Boolean).join('  '),
      texts: () => [...tags, group ?? '', ...(values.get(id)?.all ?? []), kindLabel(kind)],
    };
  });
}

// The fields of cards, by id; those that are not read yet are missing.
export function valuesOf(app, cards) {
  const known = app.memory.values ??= new Map();
  const asked = app.memory.asked ??= new Set();
  const ids = cards.map(({ id }) => id).filter((id) => !asked.has(id));
  ids.forEach((id) => asked.add(id));
  // Another part may have asked for these cards: who draws them waits too.
  const readings = app.memory.readings ??= [];
  if (ids.length > 0) {
    readings.push(`cards ${ids[0]} ${ids.length}`);
    const areCounted = cards.some(({ kind }) => ELSEWHERE.includes(kind));
    app.memory.reading = app.remembered(readings.at(-1), async () => {
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const given = { ids: ids.slice(at, at + AT_ONCE), areCounted };
        for (const [id, card] of await app.client.call('cards', given)) {
          const fields = new Map(card.fields);
          known.set(id, { card, fields, all: [...fields.values(), ...card.own.map(([, value]) => value)] });
        }
      }
      return known;
    });
  }
  readings.forEach((key) => app.wanted.add(key));
  return known;
}

// A card with all that belongs to it.
export function cardDetail(app, id) {
  const entry = app.entries.find((one) => one.id === id);
  if (!entry) return element('p', {}, t('Nothing is here'));
  const { value: card, error } = app.remembered(`card ${id}`, () => app.client.call('card', { id }));
  const facts = [kindLabel(entry.kind), entry.pinned && t('pinned'), entry.group && t('{0}: {1}', t('group'), entry.group),
    entry.tags.length > 0 && t('{0}: {1}', t('tags'), entry.tags.join(label(', ', '、')))];
  return [element('h2', { id: 'chosen', tabIndex: -1 }, entry.title),
    element('p', { className: 'quiet' }, facts.filter(Boolean).join(' · ')), app.cardActions?.(entry),
    error && element('p', { className: 'bad' }, error),
    card && fieldList(app, entry.kind, card), attachmentsOf(app, id), versionsOf(app, entry),
    element('p', { className: 'quiet' }, `${t('changed')} ${timeText(entry.updated)} · ${t('created')} ${timeText(entry.created)}`)];
}

export function fieldList(app, kind, card) {
  return element('dl', { className: 'fields' }, linesOf(kind, card).map((line) => fieldRow(app, line)));
}

function fieldRow(app, { key, label: name, value, sensitive }) {
  const text = element('dd', {}, sensitive ? '••••' : CLOSED.has(key) ? word(value) : value);
  const reveal = sensitive && button(t('show'), () => {
    const isHidden = text.textContent === '••••';
    text.textContent = isHidden ? value : '••••';
    reveal.textContent = isHidden ? t('hide') : t('show');
  }, { className: 'small', 'aria-label': `${t('show')} ${name}` });
  const take = button(t('copy'), () => copy(value), { className: 'small', 'aria-label': `${t('copy')} ${name}` });
  const maker = key === 'totp' ? codeMaker(value) : undefined;
  return [element('dt', {}, name), text, element('div', {}, reveal, take), maker && codeRow(app, maker)];
}

// A one-time code that changes with the time.
function codeRow(app, maker) {
  const code = element('span', { className: 'code' }, '…');
  const left = element('span', { className: 'quiet' });
  let shown = '';
  app.everySecond(async () => {
    const now = Date.now();
    shown = await codeAt(maker, now);
    code.textContent = shown;
    left.textContent = ` ${Math.ceil(timeLeft(maker, now) / 1000)} ${t('seconds left')}`;
  });
  return [element('dt', {}, t('code')), element('dd', {}, code, left),
    element('div', {}, button(t('copy'), () => copy(shown), { className: 'small', 'aria-label': `${t('copy')} ${t('code')}` }))];
}

export async function copy(text) {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page that may not use the clipboard so can copy what is selected.
    const area = element('textarea', { value: text, className: 'hidden' });
    document.body.append(area);
    area.select();
    isCopied = document.execCommand('copy');
    area.remove();
  }
  announce(t(isCopied ? 'copied' : 'not copied: the browser does not allow it'));
}

function attachmentsOf(app, id) {
  const files = app.entries.filter(({ kind, parent }) => kind === KIND.attachment && parent === id)
    .sort((a, b) => a.created - b.created);
  const ids = new Set([id, ...files.map((file) => file.id)]);
  const shares = app.entries.filter(({ kind, parent }) => kind === KIND.share && ids.has(parent));
  return [files.length > 0 && [element('h2', {}, t('Attachments')),
    element('div', { className: 'pictures' }, files.map((file) => contentBox(app, file)))],
  shares.length > 0 && [element('h2', {}, t('Shares')), element('ul', {}, shares.map((share) => shareLine(app, share)))]];
}

function shareLine(app, { id, title, created }) {
  const { value, error } = app.remembered(`card ${id}`, () => app.client.call('card', { id }));
  const texts = new Map(value?.fields ?? []);
  const words = ['recipient', 'purpose', 'until'].map((key) => texts.get(key)).filter(Boolean);
  return element('li', { className: error && 'bad' }, [timeText(created), title, ...words, error].filter(Boolean).join(' · '));
}

// The same job; a failure is shown in a place.
function tried(place, job) {
  return async () => {
    try {
      await job();
    } catch (error) {
      place.replaceChildren(element('p', { className: 'bad', role: 'alert' }, failureText(error)));
    }
  };
}

function versionsOf(app, entry) {
  if (entry.revision === 1) return undefined;
  const box = element('div', {});
  const show = tried(box, async () => {
    const versions = await app.client.call('versions', { id: entry.id });
    box.replaceChildren(element('ul', {}, versions.map((version) => element('li', {},
      `${t('save {0}', version.first)} · ${timeText(version.updated)} · ${version.title} · ${sizeText(version.length)}`,
      version.isTrashed && ` · ${t('in the trash')}`, ' ',
      isCard(entry) && button(t('Look at it'), tried(box, async () => {
        const card = await app.client.call('version', { id: entry.id, first: version.first });
        shown.replaceChildren(element('h2', {}, `${version.title} · ${timeText(version.updated)}`), fieldList(app, entry.kind, card));
      }), { className: 'small' })))), shown);
  });
  const shown = element('div', {});
  return [element('p', {}, button(`${t('Versions')} (${entry.revision})`, show, { className: 'small' })), box];
}
