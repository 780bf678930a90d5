// A household at a glance: the buckets, the position, and figures over time, as the command counts them.

import { chart } from '../../../Spec/reader/web/page/chart.js';
import { button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { isChinese, t } from '../../../Spec/reader/web/page/words.js';
import { attempt, openDialog, workForm } from './dialog.js';
import { amountText, changeText, requireNumber, typedNumber } from './money.js';
import { linesOf } from './server.js';

const DAY = 86400000;
const FIGURES = [['net', 'Net worth'], ['assets', 'Assets'], ['debts', 'Debts'], ['total', 'The four buckets'],
  ['liquid', 'liquid money'], ['stable', 'stable money'], ['growth', 'growth']];
const SPANS = [['3 months', 92], ['1 year', 366], ['all', Infinity]];

// The output of a verb in this language, remembered until the vault changes; undefined while it is asked.
function said(app, verb, options) {
  return app.remembered(`run ${verb} ${options} ${isChinese()}`, async () => {
    const outcome = await app.server.run(verb, options);
    return { ...outcome, lines: options.includes('--json') ? linesOf(outcome) : undefined };
  });
}

// The parts of the overview that the reader lacks.
export function dashboardBox(app) {
  const board = said(app, 'dashboard', ['--json']);
  const position = said(app, 'position', []);
  const words = said(app, 'dashboard', []);
  const snapshots = said(app, 'snapshot list', ['--json']);
  const errors = [board, position, words, snapshots].map(({ error }) => error).filter(Boolean);
  return [errors.map((error) => element('p', { className: 'bad', role: 'alert' }, error)),
    element('h2', {}, t('The four buckets')), board.value ? buckets(board.value.lines[0]) : element('p', { className: 'quiet' }, '…'),
    position.value && positionBox(app, position.value.output.trim()),
    words.value && element('details', {}, element('summary', {}, t('All of it in words')), element('pre', {}, words.value.output.trim())),
    snapshots.value && overTime(app, snapshots.value.lines)];
}

// The invested share of the budget. Where there is no budget the command names the verb that sets one, which is no help here.
function positionBox(app, text) {
  return [element('p', { className: 'lines' }, text.includes('qvault position set') ? t('There is no budget for funds yet') : text),
    element('p', {}, button(t('Set the budget'), attempt(() => setBudget(app)), { className: 'small', id: 'budget' }))];
}

async function setBudget(app) {
  const [plan] = linesOf(await app.server.run('position', ['--json']));
  const rows = [['budget', 'Budget for funds'], ['min', 'Invested at least, in percent'], ['max', 'Invested at most, in percent']]
    .map(([key, name]) => ({ key, name: t(name), ...field(t(name), { value: plan[key], inputMode: 'decimal', className: 'number', required: true }) }));
  const reason = field(t('Why'), {});
  openDialog(t('Set the budget'), (close) => workForm([rows.map(({ box }) => box), reason.box], t('Save'), async () => {
    for (const { input, name } of rows) requireNumber(input, name);
    const words = rows.filter(({ key, input }) => input.value !== plan[key]).map(({ key, input }) => `${key}=${typedNumber(input)}`);
    const options = reason.input.value ? [`--reason=${reason.input.value}`] : [];
    if (words.length > 0) await app.change('position set', options, words);
    close();
  }));
}

function buckets(board) {
  const { liquid, stable, growth, insurance } = board;
  const yearly = (bucket) => t('about {0} a year', amountText(bucket.estimated_return));
  const within = (name, days) => (days === null ? '' : t(name, days));
  const all = Number(board.total_assets);
  const assets = [
    ['liquid money', liquid.amount, [yearly(liquid)]],
    ['stable money', stable.amount, [yearly(stable), within('matures in {0} days', stable.nearest_maturity_days)]],
    ['growth', growth.total_amount, [t('profit {0} ({1} %)', changeText(growth.total_pnl), growth.pnl_percent)]],
  ];
  const tiles = assets.map(([name, amount, words]) => {
    const share = all > 0 ? 100 * Number(amount) / all : 0;
    return tile(t(name), amountText(amount), [element('progress', { max: 100, value: share, 'aria-label': t(name) }),
      element('small', {}, [`${share.toFixed(1)} %`, ...words].filter(Boolean).join(' · '))]);
  });
  const cover = [t('{0} active, for {1} persons', insurance.active_count, insurance.covered_persons),
    within('next payment in {0} days', insurance.nearest_renewal_days)];
  return element('div', { className: 'tiles' }, tile(t('In all'), amountText(board.total_assets), element('small', {},
    t('returns {0} ({1} %)', changeText(board.total_return), board.total_return_percent))), tiles, tile(t('insurance'), t('{0} a year', amountText(insurance.annual_premium)),
    element('small', {}, cover.filter(Boolean).join(' · '))));
}

function tile(name, amount, below) {
  return element('section', { 'aria-label': name }, element('h3', {}, name), element('b', {}, amount), below);
}

// A figure of all snapshots, and how far it moved.
function overTime(app, snapshots) {
  const figure = app.memory.figure ?? 'net';
  const span = app.memory.spanOfFigures ?? 366;
  const today = Date.now() / DAY;
  const points = snapshots.filter((one) => typeof one[figure] === 'string')
    .map((one) => [Date.parse(one.date) / DAY, one[figure]]).filter(([day]) => day >= today - span);
  const chosen = (key, value) => () => {
    app.memory[key] = value;
    app.draw();
  };
  const select = element('select', { id: 'figure', 'aria-label': t('Figure') }, FIGURES.map(([key, name]) => (
    element('option', { value: key }, t(name)))));
  select.value = figure;
  select.onchange = () => chosen('figure', select.value)();
  const spans = SPANS.map(([name, days]) => button(t(name), chosen('spanOfFigures', days), {
    className: 'small', id: `household-${days}`, 'aria-pressed': String(days === span),
  }));
  const dateOf = (day) => new Date(day * DAY).toISOString().slice(0, 10);
  const [first, last] = [points[0], points.at(-1)];
  return [element('h2', {}, t('Over time')), element('p', { className: 'actions' }, select, spans),
    points.length > 2 ? chart(points.map(([day, amount]) => [day, Number(amount)]), t('Over time'))
      : element('p', { className: 'quiet' }, t('A line needs three snapshots: each month makes one')),
    points.length > 1 && element('p', { className: 'quiet' },
      `${dateOf(first[0])}: ${amountText(first[1])} → ${dateOf(last[0])}: ${amountText(last[1])}`)];
}
