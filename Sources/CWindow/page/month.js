// Once a month: all balances, shares and premiums in one form and one save, a snapshot, and a backup.

import { Decimal } from '../../../Spec/reader/web/page/decimal.js';
import { failureText } from '../../../Spec/reader/web/page/app.js';
import { button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { t } from '../../../Spec/reader/web/page/words.js';
import { attempt, openDialog, workForm } from './dialog.js';
import { folderField } from './folder-choice.js';
import { amountText, changeText, requireFolder, requireNumber, typedNumber } from './money.js';
import { linesOf } from './server.js';

// The figures of two snapshots that stand beside each other.
const COMPARED = [['net', 'Net worth'], ['assets', 'Assets'], ['debts', 'Debts'], ['liquid', 'liquid money'], ['stable', 'stable money'],
  ['growth', 'growth'], ['premium', 'Premiums']];

// The reader's part of a household with buttons for the month, the amounts alone, and a snapshot.
export function withMonth(part) {
  return (app) => {
    const [list, detail] = part(app);
    if (!app.isNewest) return [list, detail];
    // On narrow screens the whole comes before the list of its parts.
    const place = app.chosen === undefined ? detail : list;
    place.classList.toggle('before', app.chosen === undefined);
    place.prepend(element('p', { className: 'actions' },
      button(t('Once a month'), attempt(() => openMonth(app)), { id: 'month', className: 'main' }),
      button(t('Update amounts'), attempt(() => openAmounts(app)), { id: 'amounts' }),
      button(t('Keep today\'s totals'), attempt(() => app.change('snapshot')))));
    return [list, detail];
  };
}

async function questionsOf(app) { return linesOf(await app.server.run('month', ['--dry-run', '--json'])); }

async function openMonth(app) {
  const rows = (await questionsOf(app)).map(rowOf);
  const folder = folderField(app, { id: 'month-folder' });
  openDialog(t('Once a month'), (close) => workForm([
    element('p', { className: 'quiet' }, t('What stays as it is needs no change. One save takes all, with a snapshot of today.')),
    sectionsOf(rows), element('fieldset', {}, element('legend', {}, t('Backup')), folder.box),
  ], t('Save all'), async () => {
    const to = folder.input.value.trim();
    if (to) requireFolder(folder.input);
    const answers = await answersOf(app, rows);
    // With no answer at all the command would ask.
    const outcome = await app.changed(() => app.server.run('month', ['--json', ...(answers.length > 0 ? [] : ['--yes'])], answers));
    const backup = to && await backedUp(app, to);
    close();
    openDialog(t('Once a month'), () => [element('p', { className: 'good lines', role: 'status' }, outcome.said || t('Saved')),
      backup, comparison(linesOf(outcome)[0])]);
  }));
}

async function openAmounts(app) {
  const rows = (await questionsOf(app)).filter(({ question }) => question === 'amount').map(rowOf);
  if (rows.length === 0) throw new Error(t('Nothing is here'));
  openDialog(t('Update amounts'), (close) => workForm(sectionsOf(rows), t('Save all'), async () => {
    const answers = await answersOf(app, rows);
    if (answers.length > 0) await app.change('asset update', [], answers);
    close();
  }));
}

// Questions with the same heading stand together.
function sectionsOf(rows) {
  const sections = [];
  for (const { heading, box } of rows) {
    if (sections.at(-1)?.heading !== heading) sections.push({ heading, boxes: [] });
    sections.at(-1).boxes.push(box);
  }
  return sections.map(({ heading, boxes }) => (
    element('fieldset', {}, element('legend', {}, heading), element('div', { className: 'grid' }, boxes))));
}

// The answers that differ, as the command takes them. A change that somebody else made meanwhile is said first, and may be written
// over then.
async function answersOf(app, rows) {
  const given = rows.filter((row) => !row.isGone && row.answer());
  for (const row of given) row.check();
  const now = new Map((await questionsOf(app)).map((question) => [question.id, question]));
  const said = [];
  for (const row of given) {
    const { id, name, value, cost } = row.question;
    const fresh = now.get(id);
    row.isGone = fresh === undefined;
    if (row.isGone) said.push(t('{0}: is no longer asked for, and is left out', name));
    else if (fresh.value !== value || fresh.cost !== cost) said.push(t('{0}: {1} now', name, [fresh.value, fresh.cost].filter(Boolean).join(' @ ')));
    row.question = fresh ?? row.question;
  }
  if (said.length > 0) throw new Error(t('Somebody else has changed this meanwhile; save again to write over it: {0}', said.join(', ')));
  return given.map((row) => row.answer());
}

// Backs up to a folder. The values are saved by then, whatever comes of this.
async function backedUp(app, folder) {
  try {
    const [made] = linesOf(await app.changed(() => app.server.run('backup', [`--to=${folder}`, '--with-reader', '--json'])));
    return element('p', { className: 'good' }, t('Saved: {0}', made.path));
  } catch (error) {
    const failure = element('p', { className: 'bad', role: 'alert' }, t('The values are saved, and NOT backed up: {0}', failureText(error)));
    const another = folderField(app, { id: 'month-again', required: true, value: folder });
    const again = workForm(another.box, t('Make a backup'), async () => {
      requireFolder(another.input);
      box.replaceChildren(await backedUp(app, another.input.value));
    });
    const box = element('div', {}, failure, again);
    return box;
  }
}

// The row of a question: its inputs, what they answer, and nothing where the value stays.
function rowOf(question) {
  const { id, name, value, cost, currency, heading, due } = question;
  const row = { question, heading };
  if (question.question === 'premium') {
    const input = element('input', { type: 'checkbox' });
    const words = ` ${name}: ${amountText(value)} ${currency}, ${due}: ${t('paid')}`;
    return Object.assign(row, {
      heading: t('Premiums'), box: element('label', { className: 'check' }, input, words), check: () => undefined,
      answer: () => input.checked && `${id}=paid`,
    });
  }
  const number = (label, old) => field(label, { value: old, inputMode: 'decimal', className: 'number' });
  const amount = number(currency && currency !== 'CNY' ? `${name} (${currency})` : name, value);
  if (question.question === 'amount') {
    return Object.assign(row, {
      box: amount.box, check: () => requireNumber(amount.input, name),
      answer: () => amount.input.value !== value && `${id}=${typedNumber(amount.input)}`,
    });
  }
  const price = number(t('cost of a share'), cost);
  const isMore = (one) => one.sign > 0;
  return Object.assign(row, {
    box: element('div', {}, amount.box, price.box),
    check: () => {
      if (Decimal.parse(typedNumber(amount.input))?.sign === 0) throw new Error(t('{0}: what was sold goes into the trash, as a card', name));
      requireNumber(amount.input, name, isMore);
      requireNumber(price.input, `${name}, ${t('cost of a share')}`, isMore);
    },
    answer: () => (amount.input.value !== value || price.input.value !== cost)
      && `${id}=${typedNumber(amount.input)}@${typedNumber(price.input)}`,
  });
}

function comparison({ snapshot, before, values_changed: values, premiums_paid: paid }) {
  const head = element('p', {}, t('Values changed: {0}; premiums paid: {1}', values, paid),
    !before && ` · ${t('the first snapshot: the next one is compared with it')}`);
  const moved = ([key, name]) => {
    const [now, old] = [snapshot[key], before?.[key]].map((text) => Decimal.parse(text));
    const cells = [old?.shown(2), now?.shown(2), now && old && changeText(plain(now.minus(old)))];
    return element('tr', {}, element('th', { scope: 'row' }, t(name)), cells.map((text) => element('td', { className: 'number' }, text ?? '')));
  };
  return [head, element('div', { className: 'scroll' }, element('table', {}, element('thead', {}, element('tr', {},
    ['', before?.date ?? '', snapshot.date, t('change')].map((text) => element('th', { scope: 'col', className: 'number' }, text)))),
  element('tbody', {}, COMPARED.map(moved))))];
}

// As the command writes a number.
function plain(decimal) { return decimal.shown(2).replaceAll(',', '').replace('−', '-'); }
