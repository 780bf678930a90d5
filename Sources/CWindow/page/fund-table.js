// Funds in the window: all of them at a glance, the estimates of a day, and net values that are typed.

import { chart } from '../../../Spec/reader/web/page/chart.js';
import { Decimal } from '../../../Spec/reader/web/page/decimal.js';
import { announce, button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { KIND } from '../../../Spec/reader/web/page/kinds-of.js';
import { t } from '../../../Spec/reader/web/page/words.js';
import { attempt, openDialog, workForm } from './dialog.js';
import { amountText, changeText } from './money.js';
import { linesOf } from './server.js';

// Rows that are drawn at once.
const FIRST = 200;
// Columns: a name, the member that is sorted by, and what is shown.
const COLUMNS = [
  ['Fund', 'name', ({ code }) => code],
  ['Estimate', 'estimate', ({ estimate }) => amountText(estimate, 4)],
  ['Day\'s change', 'change', ({ change }) => percent(change)],
  ['net value', 'nav', ({ nav, nav_date: day }) => [nav ?? t('no net value'), day !== null && element('small', {}, day)]],
  ['value', 'value', ({ value }) => amountText(value)],
  ['profit', 'profit', ({ profit, return: rate }) => [changeText(profit), rate !== null && element('small', {}, percent(rate))]],
];

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
  const heads = COLUMNS.map(([name, member], place) => {
    const order = key !== member ? 'none' : isTurned ? 'descending' : 'ascending';
    const turn = () => redraw({ orderOfFunds: [member, key === member ? !isTurned : place > 0] });
    const arrow = { none: '', ascending: ' ↑', descending: ' ↓' }[order];
    return element('th', { scope: 'col', className: place > 0 ? 'number' : '', 'aria-sort': order },
      button(t(name) + arrow, turn, { className: 'plain', id: `sort-${member}` }));
  });
  return [groups.length > 0 && element('p', { className: 'actions' }, select),
    element('div', { className: 'scroll' }, element('table', { className: 'columns' }, element('thead', {}, element('tr', {}, heads)),
      element('tbody', {}, rows.slice(0, count).map((row) => tableRow(app, row, cards.get(row.code))), total(rows)))),
    rows.length > count && button(`${t('more')} (${rows.length - count})`, () => redraw({ countOfFunds: count + 1000 })),
    element('p', { className: 'quiet' }, t('An estimate is not the net value, and no advice.'))].filter(Boolean);
}

// Names as they are spoken, Chinese ones by their pinyin.
const SPOKEN = new Intl.Collator('zh');

// What has no value comes last, whichever way the others are sorted.
function sorted(rows, key, isTurned) {
  if (key === undefined) return rows;
  const order = key === 'name' ? SPOKEN.compare : (one, other) => Number(one) - Number(other);
  return [...rows].sort(({ [key]: one }, { [key]: other }) => {
    if (one === null || other === null) return (one === null) - (other === null);
    return isTurned ? order(other, one) : order(one, other);
  });
}

function tableRow(app, row, id) {
  const cells = COLUMNS.slice(1).map(([, , show]) => element('td', { className: 'number' }, show(row)));
  const name = id ? button(row.name, () => app.choose(id), { className: 'plain', id: `fund-${row.code}` }) : row.name;
  return element('tr', {}, element('th', { scope: 'row' }, name, element('small', { className: 'quiet' }, ` ${row.code}`)), cells);
}

function total(rows) {
  const sum = (member) => rows.map((row) => Decimal.parse(row[member])).filter(Boolean).reduce((all, one) => all.plus(one), Decimal.zero);
  const [value, profit] = [sum('value'), sum('profit')];
  if (value.sign === 0) return undefined;
  return element('tr', {}, element('th', { scope: 'row', colSpan: 4 }, t('In all')), element('td', { className: 'number' }, value.shown(2)),
    element('td', { className: 'number' }, `${profit.sign > 0 ? '+' : ''}${profit.shown(2)}`));
}

// The estimates of the last day that has any, and a way to type a net value.
function ofTheDay(app, { id, title }) {
  const code = app.memory.values?.get(id)?.fields.get('code');
  if (!code) return [];
  const { value } = app.remembered(`run fund chart ${code}`, async () => {
    try {
      return linesOf(await app.server.run('fund chart', ['--today', '--json'], [code]));
    } catch (error) {
      if (error.exit === NOTHING) return [];
      throw error;
    }
  });
  // Seconds of the last day that has estimates.
  const points = (value ?? []).map(({ time, value: text }) => [Date.parse(`1970-01-01T${time}Z`) / 1000, Number(text)]);
  const [first, last] = [value?.[0], value?.at(-1)];
  return [points.length > 2 && [element('h2', {}, t('Estimates of the day')), chart(points, t('Estimates of the day')),
    element('p', { className: 'quiet' }, `${first.time}: ${first.value} → ${last.time}: ${last.value}`)],
    element('p', { className: 'actions' }, button(t('Type a net value'), () => typeNetValue(app, id, code), {
      className: 'small', 'aria-label': `${t('Type a net value')} ${title}`,
    }))].flat().filter(Boolean);
}

const NOTHING = 10;

function typeNetValue(app, id, code) {
  const currency = app.memory.values.get(id).fields.get('currency') ?? 'CNY';
  const day = field(t('Day'), { type: 'date', required: true, value: new Date().toLocaleDateString('sv') });
  const amount = field(`${t('net value')} (${currency})`, { inputMode: 'decimal', required: true, className: 'number' });
  openDialog(t('Type a net value'), (close) => workForm([day.box, amount.box], t('Save'), async () => {
    const text = amount.input.value.trim();
    if (Decimal.parse(text)?.sign !== 1) throw new Error(t('{0}: is no amount', text));
    const line = new TextEncoder().encode(`P ${day.input.value} ${code} ${text} ${currency}\n`);
    const { exit, said } = await app.changed(() => app.server.runOn('fund import', ['--json'], line));
    if (exit !== 0) throw new Error(said);
    close();
    announce(t('Saved'));
  }));
}
