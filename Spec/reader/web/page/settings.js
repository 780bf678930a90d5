// Settings that a vault keeps (product/records.md, 7).

import { button, element } from './dom.js';
import { t } from './words.js';

const KIND_SETTING = 40;

export function settingsPart(app) {
  const entries = app.entries.filter(({ kind }) => kind === KIND_SETTING);
  const rows = entries.sort((a, b) => (a.title < b.title ? -1 : 1)).map((entry) => row(app, entry));
  return element('div', { className: 'whole scroll' }, element('h2', {}, t('Settings')),
    rows.length === 0 ? element('p', {}, t('Nothing is here')) : element('table', {}, element('tbody', {}, rows)));
}

function row(app, entry) {
  const key = `setting ${entry.id}`;
  const { value, error } = app.remembered(key, () => app.client.call('setting', { id: entry.id }));
  const isHidden = value?.type === 'secret' && !app.memory[`${key} shown`];
  const text = error ?? (value === undefined ? '…' : isHidden ? '••••' : value.value);
  const reveal = isHidden && button(t('show'), () => {
    app.memory[`${key} shown`] = true;
    app.draw();
  }, { className: 'small', 'aria-label': `${t('show')} ${entry.title}` });
  return element('tr', {}, element('th', { scope: 'row' }, entry.title), element('td', {}, text), element('td', {}, reveal));
}
