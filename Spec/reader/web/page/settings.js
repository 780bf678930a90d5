// Settings that a vault keeps (product/records.md, 7).

import { button, element } from './dom.js';
import { KIND } from './kinds-of.js';
import { t } from './words.js';


export function settingsPart(app) {
  const entries = app.entries.filter(({ kind }) => kind === KIND.setting).sort((a, b) => (a.title < b.title ? -1 : 1));
  const { value } = app.remembered('settings', async () => (
    new Map(await app.client.call('settings', { ids: entries.map(({ id }) => id) }))));
  const rows = entries.map(({ id, title }) => row(title, value?.get(id), app.settingActions?.(title, value?.get(id))));
  return element('div', { className: 'whole scroll' }, element('h2', {}, t('Settings')),
    rows.length === 0 ? element('p', {}, t('Nothing is here')) : element('table', {}, element('tbody', {}, rows)));
}

function row(title, setting, actions) {
  const isSecret = setting?.type === 'secret';
  const text = element('div', { className: 'value' }, setting === undefined ? '…' : isSecret ? '••••' : setting.value);
  const reveal = isSecret && button(t('show'), () => {
    const isHidden = text.textContent === '••••';
    text.textContent = isHidden ? setting.value : '••••';
    reveal.textContent = isHidden ? t('hide') : t('show');
  }, { className: 'small', 'aria-label': `${t('show')} ${title}` });
  return element('tr', {}, element('th', { scope: 'row' }, title), element('td', {}, text), element('td', {}, reveal, ' ', actions));
}
