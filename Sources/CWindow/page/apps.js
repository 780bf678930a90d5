// The wish list of apps: all at a glance, choices that have a name, the prices that one had.

import { cardDetail, copy, rowsOf } from '../../../Spec/reader/web/page/cards.js';
import { chart } from '../../../Spec/reader/web/page/chart.js';
import { button, element } from '../../../Spec/reader/web/page/dom.js';
import { KIND } from '../../../Spec/reader/web/page/kinds-of.js';
import { listAndDetail } from '../../../Spec/reader/web/page/list.js';
import { label, t, timeText } from '../../../Spec/reader/web/page/words.js';
import { attempt } from './dialog.js';
import { linesOf } from './server.js';

// Rows that are drawn at once.
const FIRST = 200;
// The orders that the command knows, and what they go by.
const ORDERS = [['found', 'found last'], ['value', 'what one saves'], ['rating', 'rating'], ['price', 'price'], ['until', 'free until']];
// The exit code of a choice that has no app.
const NOTHING = 10;

export function appsPart(app) {
  const apps = app.entries.filter(({ kind }) => kind === KIND.app);
  const sorted = apps.sort((a, b) => b.pinned - a.pinned || (a.title < b.title ? -1 : 1));
  const rows = rowsOf(app, sorted);
  const [list, detail] = listAndDetail(app, 'Apps', () => rows, (id) => appDetail(app, id));
  if (app.isNewest && app.chosen === undefined && apps.length > 0) detail.append(...appTable(app));
  return [list, detail];
}

function appTable(app) {
  const { memory } = app;
  const [preset, order] = [memory.kindOfApps ?? '', memory.orderOfApps ?? 'found'];
  const presets = app.remembered('run app presets', async () => linesOf(await app.server.run('app presets', ['--json']))).value ?? [];
  const { value, error } = app.remembered(`run app list ${preset} ${order}`, () => appsOf(app, preset, order));
  const redraw = (changes) => {
    Object.assign(memory, { countOfApps: FIRST }, changes);
    app.draw();
  };
  const choice = select('app-choice', t('Choice'), preset, [['', t('All apps')],
    ...presets.map((one) => [one.preset, `${label(one.preset, one.label_zh)} (${one.apps})`])], (kindOfApps) => redraw({ kindOfApps }));
  const sorting = select('app-order', t('Order'), order, ORDERS.map(([key, name]) => [key, t(name)]), (orderOfApps) => redraw({ orderOfApps }));
  const head = [element('p', { className: 'actions' }, choice, sorting)];
  if (error) return [...head, element('p', { className: 'bad', role: 'alert' }, error)];
  if (!value) return [...head, element('p', { className: 'quiet' }, '…')];
  if (value.length === 0) return [...head, element('p', { className: 'quiet' }, t('Nothing is found'))];
  const count = memory.countOfApps ?? FIRST;
  const names = ['App', 'price', 'what one saves', 'rating', 'free until'];
  const heads = names.map((name, place) => element('th', { scope: 'col', className: place > 0 ? 'number' : '' }, t(name)));
  return [...head, element('div', { className: 'scroll' }, element('table', { className: 'columns' }, element('thead', {}, element('tr', {}, heads)),
    element('tbody', {}, value.slice(0, count).map((one) => tableRow(app, one))))),
  value.length > count && button(`${t('more')} (${value.length - count})`, () => redraw({ countOfApps: count + 1000 }))].filter(Boolean);
}

async function appsOf(app, preset, order) {
  try {
    return linesOf(await app.server.run('app list', [preset && `--preset=${preset}`, `--sort=${order}`, '--json'].filter(Boolean)));
  } catch (error) {
    if (error.exit === NOTHING) return [];
    throw error;
  }
}

function select(id, name, value, options, choose) {
  const made = element('select', { id, 'aria-label': name }, options.map(([key, text]) => element('option', { value: key }, text)));
  made.value = value;
  made.onchange = () => choose(made.value);
  return made;
}

function tableRow(app, { id, title, fields, saving, marks, seconds_left: left }) {
  const { developer, price, current_price: current, currency, rating, free_until: until } = fields;
  const now = current ?? price;
  const cells = [
    [now && `${now} ${currency ?? ''}`, price && price !== now && element('small', {}, element('s', {}, price))],
    [saving ?? ''], [rating ?? ''], [left !== null && until ? timeText(Date.parse(until)) : ''],
  ];
  return element('tr', {}, element('th', { scope: 'row' }, button(title, () => app.choose(id), { className: 'plain', id: `app-${id}` }),
    element('small', { className: 'quiet' }, [developer, ...marks.map((mark) => t(mark))].filter(Boolean).join(' · '))),
  cells.map((content) => element('td', { className: 'number' }, content)));
}

// The card, the prices that the app had, and a text to send.
function appDetail(app, id) {
  const parts = [cardDetail(app, id)];
  if (!app.isNewest || !app.entries.some((entry) => entry.id === id)) return parts;
  const { value } = app.remembered(`run app show ${id}`, async () => linesOf(await app.server.run('app show', ['--json'], [id]))[0].prices);
  const prices = value ?? [];
  const points = prices.map(({ time, price }) => [Date.parse(time) / 1000, Number(price)]);
  const line = ({ time, price, currency }) => element('li', {}, `${timeText(Date.parse(time))}: ${price} ${currency}`);
  return [...parts, element('p', { className: 'actions' }, button(t('Copy a text to send'), attempt(async () => {
    const { output } = await app.server.run('app text', [], [id]);
    await copy(output);
  }), { className: 'small' })),
  prices.length > 0 && [element('h2', {}, t('Prices')), points.length > 2 && chart(points, t('Prices')),
    element('ul', {}, [...prices].reverse().map(line))]];
}
