// What a household owns and owes, its policies, and its snapshots (product/assets.md).

import { byUse, cardDetail, rowsOf, valuesOf } from './cards.js';
import { chart } from './chart.js';
import { Decimal } from './decimal.js';
import { element } from './dom.js';
import { byCode, heldOf, problemsOf, seriesOf } from './funds.js';
import { KIND, withoutCopies } from './kinds-of.js';
import { listAndDetail } from './list.js';
import { t, word } from './words.js';

const BUCKETS = ['liquid', 'stable', 'growth'];
const CATEGORIES = ['liquid', 'fixed', 'investment', 'receivable', 'debt'];
const BUCKET_NAMES = { liquid: 'liquid money', stable: 'stable money', growth: 'growth' };
// The place of the net worth in a snapshot's point, behind its time.
const NET = 8;

// The sums of assets and debts, in yuan; what has no rate, and what is no amount, is named.
export function totalsOf(assets, funds, holdings, rates, navs) {
  const totals = new Map(CATEGORIES.map((name) => [name, Decimal.zero]));
  const buckets = new Map(BUCKETS.map((name) => [name, Decimal.zero]));
  const [withoutRate, unread] = [new Map(), []];
  const rateOf = (currency) => (
    currency === 'CNY' ? new Decimal(1n, 0) : Decimal.parse(rates.get(currency)?.at(-1)?.[1]));
  // Into the sum of a name, if the currency has a rate.
  const into = (sums, name, amount, currency) => {
    const rate = rateOf(currency);
    if (rate) sums.set(name, sums.get(name).plus(amount.times(rate)));
    return rate !== undefined;
  };
  const add = (category, amount, currency) => {
    if (into(totals, category, amount, currency)) return;
    withoutRate.set(currency, (withoutRate.get(currency) ?? Decimal.zero).plus(amount));
  };
  for (const { title, fields } of assets) {
    const amount = Decimal.parse(fields.get('amount'));
    const category = fields.get('category');
    if (amount && totals.has(category)) {
      add(category, amount, fields.get('currency') ?? 'CNY');
      if (buckets.has(fields.get('bucket'))) into(buckets, fields.get('bucket'), amount, fields.get('currency') ?? 'CNY');
    } else unread.push(title);
  }
  const watched = byCode(funds);
  for (const [code, sources] of byCode([...funds, ...holdings])) {
    const price = Decimal.parse(navs.get(code)?.at(-1)?.[1]);
    const { shares } = heldOf(sources);
    const currency = watched.get(code)?.[0].fields.get('currency') ?? 'CNY';
    if (!price) continue;
    add('investment', shares.times(price), currency);
    into(buckets, 'growth', shares.times(price), currency);
  }
  const owned = CATEGORIES.slice(0, 4).reduce((sum, name) => sum.plus(totals.get(name)), Decimal.zero);
  return { totals, buckets, owned, debts: totals.get('debt'), net: owned.minus(totals.get('debt')), withoutRate, unread };
}

export function householdPart(app) {
  const all = app.entries.filter(({ kind }) => [KIND.fund, KIND.holding, KIND.asset, KIND.policy].includes(kind));
  const { counted, copies } = withoutCopies(all);
  const ofKind = (wanted) => counted.filter(({ kind }) => kind === wanted).sort(byUse);
  const [assets, funds, holdings] = [KIND.asset, KIND.fund, KIND.holding].map(ofKind);
  const values = valuesOf(app, all);
  const known = (list) => list.filter(({ id }) => values.has(id))
    .map(({ id, title }) => ({ title, fields: values.get(id).fields }));
  const names = ['fund.rate.', 'fund.nav.', 'asset.snapshot.'];
  const [rates, navs, snapshots] = names.map((name) => seriesOf(app, name));
  const isRead = rates && navs && all.every(({ id }) => values.has(id));
  const shown = all.filter(({ kind }) => kind === KIND.asset || kind === KIND.policy).sort(byUse);
  const rows = rowsOf(app, shown).map((row) => {
    const fields = values.get(row.id)?.fields;
    return { ...row, under: fields ? underOf(fields) : row.under };
  });
  const [list, detail] = listAndDetail(app, 'Household', () => rows, (id) => cardDetail(app, id));
  if (app.chosen === undefined) {
    const sums = isRead && totalsOf(known(assets), known(funds), known(holdings), rates, navs);
    detail.append(...overview(sums, snapshots?.get('CNY') ?? [], copies, problemsOf(app, values, names), app.dashboard?.()));
  }
  return [list, detail];
}

function underOf(fields) {
  const amount = Decimal.parse(fields.get('amount') ?? fields.get('annual_premium'));
  const words = [word(fields.get('category') ?? fields.get('type') ?? ''), fields.get('insured_person'),
    amount && `${amount.shown(2)} ${fields.get('currency') ?? 'CNY'}`, fields.get('maturity') ?? fields.get('next_payment')];
  return words.filter(Boolean).join(' · ');
}

// `dashboard` takes the place of the buckets and of the line over time, where the page has more to tell.
function overview(sums, snapshots, copies, problems, dashboard) {
  const damaged = problems.map((text) => element('p', { className: 'bad', role: 'alert' }, text));
  if (!sums) return damaged.length > 0 ? damaged : [element('p', {}, '…')];
  const line = (name, amount) => element('tr', {}, element('th', { scope: 'row' }, name),
    element('td', { className: 'number' }, amount.shown(2)));
  const lacking = [...sums.withoutRate].map(([currency, amount]) => `${amount.shown(2)} ${currency}`);
  const points = snapshots.map((point) => [point[0], Number(point[NET])]);
  return [damaged, dashboard, element('h2', {}, t('Net worth')), element('table', {}, element('tbody', {},
    CATEGORIES.slice(0, 4).map((name) => line(word(name), sums.totals.get(name))), line(t('Assets'), sums.owned),
    line(t('Debts'), sums.debts), line(t('Net worth'), sums.net))),
  !dashboard && [element('h2', {}, t('Buckets')), element('table', {}, element('tbody', {},
    [...sums.buckets].map(([name, amount]) => line(t(BUCKET_NAMES[name]), amount))))],
  lacking.length > 0 && element('p', { className: 'warn' }, t('not counted, without a rate: {0}', lacking.join(', '))),
  sums.unread.length > 0 && element('p', { className: 'warn' }, t('not counted: {0}', sums.unread.join(', '))),
  copies.length > 0 && element('p', { className: 'warn' },
    t('copies that a merge left, not counted: {0}', copies.map(({ title }) => title).join(', '))),
  !dashboard && points.length > 2 && [element('h2', {}, t('Net worth over time')), chart(points, t('Net worth over time'))],
  ].flat(3).filter(Boolean);
}
