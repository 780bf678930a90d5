// Funds in the window: all of them at a glance, the estimates of a day, and net values that are typed.

import { chart } from '../../../Spec/reader/web/page/chart.js';
import { Decimal } from '../../../Spec/reader/web/page/decimal.js';
import { announce, button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { KIND } from '../../../Spec/reader/web/page/kinds-of.js';
import { t } from '../../../Spec/reader/web/page/words.js';
import { attempt, openDialog, workForm } from './dialog.js';
import { amountText, changeText, requireNumber, typedNumber } from './money.js';
import { linesOf } from './server.js';

// Rows that are drawn at once.
const FIRST = 200;
// Columns: a name, the member that is sorted by, and what is shown.
const COLUMNS = [
  ['Fund', 'name', ({ code }) => code],
  ['Estimate', 'estimate', ({ estimate, no_estimate: why }) => (
    estimate === null ? element('small', {}, t(why ?? '')) : amountText(estimate, 4))],
  ['Day\'s change', 'change', ({ change }) => percent(change)],
  ['net value', 'nav', ({ nav, nav_date: day, dropped_values: dropped }) => [nav ?? t('no net value'), day !== null && element('small', {}, day),
    droppedText(dropped)]],
  ['value', 'value', ({ value }) => amountText(value)],
  ['profit', 'profit', ({ profit, return: rate }) => [changeText(profit), rate !== null && element('small', {}, percent(rate))]],
];

// Values that the command keeps and does not count, since they are too far from others: `KIND CODE VALUE DAY SOURCE`.
function droppedText(values) {
  const words = values.map((text) => text.split(' ')).map(([, , value, day]) => `${value} (${day})`);
  return words.length > 0 && element('small', { className: 'warn' }, t('left out, too far from what is usual: {0}', words.join(', ')));
}

function percent(rate) {
  const hundredth = Decimal.parse(rate)?.times(new Decimal(100n, 0));
  return hundredth ? `${hundredth.sign > 0 ? '+' : ''}${hundredth.shown(2)} %` : '';
}

// The reader's part with the table, and with the estimates of a fund's day.
export function withFundTable(part) {
  return (app) => {
    const [list, detail] = part(app);
    if (!app.isNewest) return [list, detail];
    const fund = app.entries.find(({ id, kind }) => id === app.chosen && kind === KIND.fund);
    list.prepend(element('p', { className: 'actions' },
      button(t('Ask for new prices'), attempt(() => app.change('fund update')), { id: 'prices' })));
    if (fund) detail.querySelector('#chosen')?.after(...ofTheDay(app, fund));
    else if (app.chosen === undefined) detail.append(...fundTable(app));
    return [list, detail];
  };
}

function fundTable(app) {
  const { value, error } = app.remembered('run fund', async () => linesOf(await app.server.run('fund', ['--json'])));
  if (error) return [element('p', { className: 'bad', role: 'alert' }, error)];
  if (!value || value.length === 0) return value ? [] : [element('p', { className: 'quiet' }, '…')];
  const [key, isTurned] = app.memory.orderOfFunds ?? [undefined, false];
  const groups = [...new Set(value.map(({ group }) => group).filter(Boolean))].sort();
  const group = groups.includes(app.memory.kindOfFunds) ? app.memory.kindOfFunds : '';
  const rows = sorted(value.filter((row) => group === '' || row.group === group), key, isTurned);
  const cards = new Map(app.entries.filter(({ kind }) => kind === KIND.fund)
    .map(({ id }) => [app.memory.values?.get(id)?.fields.get('code'), id]));
  const count = app.memory.countOfFunds ?? FIRST;
  const redraw = (changes) => {
    Object.assign(app.memory, changes);
    app.draw();
  };
  const select = element('select', { id: 'fund-group', 'aria-label': t('Group') }, [['', t('All groups')], ...groups.map((name) => [name, name])]
    .map(([name, text]) => element('option', { value: name }, text)));
  select.value = group;
  select.onchange = () => redraw({ kindOfFunds: select.value, countOfFunds: FIRST });
  // On a narrow screen there is no room for what no fund has.
  const hasReason = ({ no_estimate: why }) => why !== null && why !== 'no net value';
  const columns = COLUMNS.filter(([, member]) => member === 'name' || member === key
    || value.some((row) => row[member] !== null || (member === 'estimate' && hasReason(row))));
  const heads = columns.map(([name, member], place) => {
    const order = key !== member ? 'none' : isTurned ? 'descending' : 'ascending';
    const turn = () => redraw({ orderOfFunds: [member, key === member ? !isTurned : place > 0] });
    const arrow = { none: '', ascending: ' ↑', descending: ' ↓' }[order];
    return element('th', { scope: 'col', className: place > 0 ? 'number' : '', 'aria-sort': order },
      button(t(name) + arrow, turn, { className: 'plain', id: `sort-${member}` }));
  });
  return [groups.length > 0 && element('p', { className: 'actions' }, select),
    element('div', { className: 'scroll' }, element('table', { className: 'columns' }, element('thead', {}, element('tr', {}, heads)),
      element('tbody', {}, rows.slice(0, count).map((row) => tableRow(app, row, cards.get(row.code), columns)), total(rows, columns)))),
    rows.length > count && button(`${t('more')} (${rows.length - count})`, () => redraw({ countOfFunds: count + 1000 })),
    element('p', { className: 'quiet' }, t('An estimate is not the net value, and no advice.'))].filter(Boolean);
}

// Names as they are spoken, Chinese ones by their pinyin.
const SPOKEN = new Intl.Collator('zh');

// Rows without a value come last, whichever way the others are sorted.
function sorted(rows, key, isTurned) {
  if (key === undefined) return rows;
  const order = key === 'name' ? SPOKEN.compare : (one, other) => Number(one) - Number(other);
  return [...rows].sort(({ [key]: one }, { [key]: other }) => {
    if (one === null || other === null) return (one === null) - (other === null);
    return isTurned ? order(other, one) : order(one, other);
  });
}

function tableRow(app, row, id, columns) {
  const cells = columns.slice(1).map(([, , show]) => element('td', { className: 'number' }, show(row)));
  const name = id ? button(row.name, () => app.choose(id), { className: 'plain', id: `fund-${row.code}` }) : row.name;
  return element('tr', {}, element('th', { scope: 'row' }, name, element('small', { className: 'quiet' }, ` ${row.code}`)), cells);
}

function total(rows, columns) {
  const counted = rows.filter((row) => row.value !== null);
  if (counted.length === 0) return undefined;
  const sum = (member) => counted.map((row) => Decimal.parse(row[member])).filter(Boolean).reduce((all, one) => all.plus(one), Decimal.zero);
  const [value, cost, profit] = [sum('value'), sum('cost'), sum('profit')];
  const rate = profit.over(cost)?.times(new Decimal(100n, 0));
  const sign = profit.sign > 0 ? '+' : '';
  const left = rows.length - counted.length;
  return element('tr', {}, element('th', { scope: 'row', colSpan: columns.length - 2 }, t('In all'),
    left > 0 && element('div', {}, t('without shares or a price, not counted: {0}', left))), element('td', { className: 'number' }, value.shown(2)),
  element('td', { className: 'number' }, sign + profit.shown(2), rate && element('small', {}, `${sign}${rate.shown(2)} %`)));
}

// The estimates of the last day that has any, and a way to type a net value.
function ofTheDay(app, { id, title }) {
  const code = app.memory.values?.get(id)?.fields.get('code');
  if (!code) return [];
  const { value } = app.remembered(`run fund chart ${code}`, async () => {
    try {
      return linesOf(await app.server.run('fund chart', ['--today', '--days=30', '--json'], [code]));
    } catch (error) {
      if (error.exit === NOTHING) return [];
      throw error;
    }
  });
  // The points of the last day that has estimates.
  const day = value?.at(-1)?.time.slice(0, 10);
  const points = (value ?? []).filter(({ time }) => time.startsWith(day)).map(({ time, value: text }) => [Date.parse(`${time.replace(' ', 'T')}Z`) / 1000, Number(text), time, text]);
  const [first, last] = [points[0], points.at(-1)];
  const name = t('Estimates of {0}', day);
  const span = () => `${first[2].slice(11)}: ${first[3]} → ${last[2].slice(11)}: ${last[3]}`;
  return [points.length > 2 && [element('h2', {}, name), chart(points, name), element('p', { className: 'quiet' }, span())],
    element('p', { className: 'actions' }, button(t('Type a net value'), () => typeNetValue(app, id, code), {
      className: 'small', 'aria-label': `${t('Type a net value')} ${title}`,
    }))].flat().filter(Boolean);
}

const NOTHING = 10;

function typeNetValue(app, id, code) {
  const currency = app.memory.values.get(id).fields.get('currency') ?? 'CNY';
  const today = new Date().toLocaleDateString('sv');
  const day = field(t('Day'), { type: 'date', required: true, value: today, max: today });
  const amount = field(`${t('net value')} (${currency})`, { inputMode: 'decimal', required: true, className: 'number' });
  openDialog(t('Type a net value'), (close) => workForm([day.box, amount.box], t('Save'), async () => {
    requireNumber(amount.input, t('net value'), (number) => number.sign > 0);
    const value = typedNumber(amount.input);
    const line = new TextEncoder().encode(`P ${day.input.value} ${code} ${value} ${currency}\n`);
    const { exit, said } = await app.changed(() => app.server.runOn('fund import', ['--json'], line));
    if (exit !== 0) throw new Error(said.split('\n')[0].replace(/^-:1[:：] ?/, ''));
    const funds = linesOf(await app.server.run('fund', ['--json']));
    const dropped = funds.find((one) => one.code === code)?.dropped_values.filter((text) => text.startsWith(`nav ${code} ${value} `)) ?? [];
    close();
    announce(dropped.length > 0 ? t('Kept, and left out: {0} is too far from what is usual', value) : t('Saved'));
  }));
}
