// Verifying a file, with a map of what is damaged, and comparing fingerprints.

import { failureText } from './app.js';
import { announce, button, drawing, element } from './dom.js';
import { sizeText, t, timeText } from './words.js';

const WAYS = { none: 'Without a key', key: 'With the key', audit: 'With an audit key file' };
// Findings that are listed, at most.
const LISTED = 200;
// Places that the map has, at most.
const DRAWN = 5000;

// Buttons for the ways to verify, and room for what is found.
export function verifyBox(app, ways) {
  const result = app.kept(`check ${ways}`, () => element('div', { 'aria-live': 'polite' }));
  const run = (how, auditKey) => verify(app, how, auditKey, result);
  const buttons = ways.map((way) => {
    if (way !== 'audit') return button(t(WAYS[way]), () => run(way));
    const input = element('input', {
      type: 'file', className: 'hidden', tabIndex: -1, 'aria-label': t(WAYS.audit),
    });
    input.onchange = async () => {
      const [file] = input.files;
      if (file) run('audit', new Uint8Array(await file.arrayBuffer()));
      input.value = '';
    };
    return [input, button(t(WAYS.audit), () => input.click())];
  });
  return element('div', {}, element('p', {}, buttons.flat().flatMap((one) => [one, ' '])), result);
}

async function verify(app, how, auditKey, result) {
  const bar = element('progress', { max: 1, value: 0, 'aria-label': t('Checking …') });
  result.replaceChildren(element('p', {}, t('Checking …')), bar);
  const began = performance.now();
  try {
    const report = await app.client.call('verify', { how, auditKey }, (share) => {
      bar.value = share;
      app.used();
    });
    const seconds = (performance.now() - began) / 1000;
    result.replaceChildren(...outcome(app, report, seconds));
    announce(t(report.verdict));
  } catch (error) {
    result.replaceChildren(element('p', { className: 'bad', role: 'alert' }, failureText(error)));
  }
}

function outcome({ info }, { verdict, findings, notes }, seconds) {
  const colour = { ok: 'good', repairable: 'warn' }[verdict] ?? 'bad';
  const places = findings.filter(({ place }) => place).slice(0, DRAWN);
  return [
    element('p', { className: colour }, element('b', { id: 'verdict' }, t(verdict)),
      ` · ${sizeText(info.size)} · ${seconds.toFixed(1)} s`),
    places.length > 0 && [damageMap(info.size, places), element('p', { className: 'quiet' },
      t('Red: where the file is damaged'))],
    findings.length === 0 ? element('p', {}, t('Nothing was found')) : [
      element('h2', {}, t('{0}: {1}', t('Findings'), findings.length)),
      element('ul', {}, findings.slice(0, LISTED).map((one) => (
        element('li', {}, t('{0}: {1}', t(one.verdict), t(one.message)))))),
      findings.length > LISTED && element('p', {}, '…')],
    notes.map((note) => element('p', { className: 'quiet' }, note)),
  ].flat(2).filter(Boolean);
}

// The file from its first byte to its last, and what of it is wrong.
export function damageMap(size, findings) {
  const hits = findings.map(({ place: [start, length] }) => {
    const x = Math.min(998, 1000 * start / size);
    return drawing('rect', { class: 'hit', x, width: Math.max(2, 1000 * length / size), y: 0, height: 10 });
  });
  return drawing('svg', {
    class: 'map', viewBox: '0 0 1000 10', preserveAspectRatio: 'none', role: 'img',
    'aria-label': t('Red: where the file is damaged'),
  }, drawing('rect', { class: 'file', x: 0, y: 0, width: 1000, height: 10 }), hits);
}

// The words of the newest save, and a question for words that somebody wrote down.
export function wordsBox({ saves }) {
  const answer = element('p', { 'aria-live': 'polite' });
  const input = element('input', { autocomplete: 'off', spellcheck: false, id: 'words' });
  input.oninput = () => {
    const words = input.value.trim().toLowerCase().split(/[\s-]+/).join('-');
    const save = saves.find((one) => one.words === words);
    answer.textContent = words.length < 47 ? '' : save ? t('These are the words of save {0}', save.number)
      : t('No save of this vault has these words');
    answer.className = save ? 'good' : 'bad';
  };
  return [element('h2', {}, t('Fingerprint')),
    element('p', {}, element('b', {}, saves[0].words), ` · ${t('save {0}', saves[0].number)}, ${timeText(saves[0].time)}`),
    element('label', {}, element('span', {}, t('Fingerprint words to compare')), input), answer];
}

export function checkPart(app) {
  return element('div', { className: 'whole' }, element('h2', {}, t('Check')),
    verifyBox(app, ['key', 'none', 'audit']), wordsBox(app));
}
