// Home: what is due, what is pinned, and what changed last.

import { byUse } from '../../../Spec/reader/web/page/cards.js';
import { button, element } from '../../../Spec/reader/web/page/dom.js';
import { isCard, kindLabel, KIND } from '../../../Spec/reader/web/page/kinds-of.js';
import { label, t, timeText } from '../../../Spec/reader/web/page/words.js';
import { addCard } from './card-form.js';
import { attempt } from './dialog.js';
import { linesOf } from './server.js';

const SHOWN = 8;
const PARTS_OF_KINDS = new Map([
  [KIND.fund, 'Funds'], [KIND.holding, 'Funds'], [KIND.asset, 'Household'], [KIND.policy, 'Household'], [KIND.share, 'Shares'],
  [KIND.app, 'Apps'],
]);

// Shows a record in the part that it belongs to.
function goTo(app, entry) {
  const name = PARTS_OF_KINDS.get(entry.kind) ?? 'Cards';
  app.part = app.parts.findIndex(([part]) => part === name);
  app.choose(entry.id);
}

export function homePart(app) {
  const cards = app.entries.filter((entry) => isCard(entry)).sort(byUse);
  const pinned = cards.filter((entry) => entry.pinned);
  const latest = [...cards].sort((a, b) => b.updated - a.updated).slice(0, SHOWN);
  return element('div', { className: 'whole' },
    app.isNewest && element('p', {}, button(`+ ${t('Add')}`, () => addCard(app), { id: 'add', className: 'main' })),
    app.isNewest && [element('h2', {}, t('Due')), dueBox(app)],
    pinned.length > 0 && [element('h2', {}, t('Pinned')), rows(app, pinned)],
    element('h2', {}, t('Changed last')), latest.length > 0 ? rows(app, latest) : element('p', { className: 'quiet' }, t('No cards yet')));
}

function rows(app, entries) {
  return element('div', { role: 'list' }, entries.map((entry) => element('div', { role: 'listitem' },
    button([entry.title, element('small', {}, [kindLabel(entry.kind), timeText(entry.updated)].join(' · '))],
      () => goTo(app, entry), { className: 'row', id: `home-${entry.id}` }))));
}

function dueBox(app) {
  const { value, error } = app.remembered('due', async () => linesOf(await app.server.run('due', ['--json', '--within=30d'])));
  if (error) return element('p', { className: 'bad', role: 'alert' }, error);
  if (!value) return element('p', { className: 'quiet' }, '…');
  if (value.length === 0) return element('p', { className: 'good' }, t('Nothing is due within 30 days'));
  return element('ul', { className: 'due' }, value.map((item) => dueLine(app, item)));
}

const TASKS = { backup: 'Make a backup', check: 'Check a backup', drill: 'Try to restore a backup' };

function dueLine(app, item) {
  const { level, days, date, id, kind, title, card, recipient, field } = item;
  const entry = app.entries.find((one) => one.id === id);
  const when = days < 0 ? t('{0} days ago', -days) : days === 0 ? t('today') : t('in {0} days', days);
  const what = id in TASKS ? t(TASKS[id])
    : [kind === 'share' && t('Copy given away'), card, title].filter(Boolean).join(label(': ', '：')) + (recipient ? ` → ${recipient}` : '');
  return element('li', { className: level === 'urgent' ? 'bad' : level === 'soon' ? 'warn' : '' },
    entry ? button(what, () => goTo(app, entry), { className: 'plain' }) : element('b', {}, what),
    ` ${[fieldName(app, item, field), date, when].filter(Boolean).join(' · ')} `,
    entry && kind !== 'share' && [['Put off 7 days', 'due snooze', [id, '7d']], ['Done', 'due done', [id]]].map(([name, verb, words]) => (
      [button(t(name), attempt(() => app.change(verb, [], words)), { className: 'small', 'aria-label': `${t(name)}: ${what}` }), ' '])));
}

// The label of the field whose day is due.
function fieldName(app, { kind }, key) {
  if (key === 'upkeep' || key === 'share') return undefined;
  const shape = app.shapes?.get(kind)?.fields.find((one) => one.key === key);
  return shape ? label(shape.label, shape.label_zh) : key;
}
