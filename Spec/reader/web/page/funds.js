// Funds: newest net values, what is held, and a chart of each (product/portfolio.md).

import { failureText } from './app.js';
import { byUse, cardDetail, rowsOf, valuesOf } from './cards.js';
import { chart } from './chart.js';
import { Decimal } from './decimal.js';
import { button, element } from './dom.js';
import { KIND, withoutCopies } from './kinds-of.js';
import { listAndDetail } from './list.js';
import { t } from './words.js';

const DAY = 86400000;
const SPANS = [['3 months', 92], ['1 year', 366], ['all', Infinity]];

// The points of all series whose names begin so, by key: [time, …values], sorted by time.
export function seriesOf(app, beginning) {
  const ids = app.entries.filter(({ kind, title }) => kind === KIND.series && title.startsWith(beginning));
  ids.sort((a, b) => (a.title < b.title ? -1 : 1));
  return app.remembered(`series ${beginning}`, async () => {
    const all = new Map();
    for (const { id, title } of ids) {
      try {
        for (const [key, points] of await app.client.call('series', { id })) {
          all.set(key, (all.get(key) ?? []).concat(points));
        }
      } catch (error) {
        // The others count; what is missing is said.
        (app.memory.damaged ??= new Map()).set(title, failureText(error));
      }
    }
    for (const points of all.values()) points.sort((a, b) => a[0] - b[0]);
    return all;
  }).value;
}

// What could not be read of the series and cards that a part shows.
export function problemsOf(app, values, names) {
  const series = [...app.memory.damaged ?? []].filter(([title]) => names.some((name) => title.startsWith(name)));
  const cards = app.entries.filter(({ id }) => values.get(id)?.card.error)
    .map(({ id, title }) => [title, values.get(id).card.error]);
  return [...series, ...cards].map(([title, text]) => t('{0}: {1}', title, text));
}

// Cards by the code of their fund.
export function byCode(cards) {
  const groups = new Map();
  for (const card of cards) {
    const code = card.fields.get('code');
    if (!groups.has(code)) groups.set(code, []);
    groups.get(code).push(card);
  }
  return groups;
}

// What is held of a fund: shares and costs of its card and of its holdings.
export function heldOf(sources) {
  let [shares, cost] = [Decimal.zero, Decimal.zero];
  for (const { fields } of sources) {
    const count = Decimal.parse(fields.get('shares'));
    const price = Decimal.parse(fields.get('cost'));
    if (count === undefined) continue;
    shares = shares.plus(count);
    if (price) cost = cost.plus(count.times(price));
  }
  return { shares, cost };
}

export function fundsPart(app) {
  const all = app.entries.filter(({ kind }) => kind === KIND.fund || kind === KIND.holding).sort(byUse);
  const { counted } = withoutCopies(all);
  const values = valuesOf(app, all);
  const navs = seriesOf(app, 'fund.nav.');
  const held = byCode(counted.map(({ id }) => values.get(id)).filter(Boolean));
  const funds = new Set(counted.filter(({ kind }) => kind === KIND.fund).map(({ id }) => id));
  // Of a fund all that is held; of a holding what it has itself.
  const facts = (id) => {
    const card = values.get(id);
    return figures(card?.fields, navs, funds.has(id) ? held.get(card?.fields.get('code')) ?? [] : [card].filter(Boolean));
  };
  const rows = rowsOf(app, all).map((row) => ({ ...row, under: facts(row.id) || row.under }));
  const [list, detail] = listAndDetail(app, 'Funds', () => rows, (
    (id) => fundDetail(app, id, values.get(id)?.fields, navs, facts(id))));
  for (const text of problemsOf(app, values, ['fund.nav.'])) {
    detail.prepend(element('p', { className: 'bad', role: 'alert' }, text));
  }
  return [list, detail];
}

function dayText(day) {
  const date = new Date(day * DAY);
  return Number.isNaN(date.getTime()) ? String(day) : date.toISOString().slice(0, 10);
}

// Net value, change and value of a fund, in words.
function figures(fields, navs, sources) {
  const code = fields?.get('code');
  const points = navs?.get(code);
  if (!points?.length) return code ? `${code} · ${t('no net value')}` : '';
  const [[day, text], before] = [points[points.length - 1], points[points.length - 2]];
  const value = Decimal.parse(text);
  const old = Decimal.parse(before?.[1]);
  const change = old && value?.minus(old).over(old);
  const { shares, cost } = heldOf(sources);
  const words = [code, `${t('net value')} ${text}`, dayText(day),
    change && `${change.sign > 0 ? '+' : ''}${change.times(new Decimal(100n, 0)).shown(2)} %`];
  if (shares.sign > 0 && value) {
    const worth = shares.times(value);
    const profit = worth.minus(cost);
    words.push(`${t('value')} ${worth.shown(2)}`);
    if (cost.sign > 0) words.push(`${t('profit')} ${profit.sign > 0 ? '+' : ''}${profit.shown(2)}`);
  }
  return words.filter(Boolean).join(' · ');
}

function fundDetail(app, id, fields, navs, facts) {
  const points = navs?.get(fields?.get('code')) ?? [];
  const span = app.memory.span ?? 366;
  const last = points[points.length - 1]?.[0];
  const shown = points.filter(([day]) => day >= last - span).map(([day, text]) => [day, Number(text)]);
  const spans = SPANS.map(([name, days]) => button(t(name), () => {
    app.memory.span = days;
    app.draw();
  }, { className: 'small', 'aria-pressed': String(span === days) }));
  const [head, ...rest] = cardDetail(app, id);
  return [head, facts && element('p', {}, facts),
    shown.length > 2 && [element('p', {}, spans), chart(shown, t('net value'))], rest];
}
