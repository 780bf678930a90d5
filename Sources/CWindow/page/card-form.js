// The form of a card: a new one, or one that is changed.

import { announce, button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { kindOf, linesOf as cardLines } from '../../../Spec/reader/web/page/kinds-of.js';
import { t } from '../../../Spec/reader/web/page/words.js';
import { openDialog, workForm } from './dialog.js';
import { linesOf, pathOf } from './server.js';
import { shapeLabel } from './shapes.js';

// Kinds with parts of their own come last in the list.
const LATER = ['fund', 'holding', 'asset', 'policy', 'app'];

// An input for a field of a card, with the name by which the command knows it.
function inputOf(shape, value = '') {
  const name = shapeLabel(shape) + (shape.required ? ' *' : '');
  const isLong = shape.lines || value.includes('\n');
  const made = shape.words.length > 0 ? choice(name, shape, value) : isLong
    ? labelled(name, element('textarea', { rows: 3, spellcheck: false, autocomplete: 'off', className: shape.hidden ? 'masked' : '' }))
    : field(name, { type: shape.hidden ? 'password' : 'text' });
  Object.assign(made.input, { name: shape.key, value });
  Object.assign(made, { shape, stored: value });
  // As the browser keeps it: another form of line breaks is no change.
  made.before = made.input.value;
  if (shape.required) made.input.setAttribute('aria-required', 'true');
  if (!shape.hidden) return made;
  const show = button(t('show'), () => {
    const isHidden = show.textContent === t('show');
    if (isLong) made.input.classList.toggle('masked', !isHidden);
    else made.input.type = isHidden ? 'text' : 'password';
    show.textContent = t(isHidden ? 'hide' : 'show');
  }, { className: 'small', 'aria-label': `${t('show')} ${shapeLabel(shape)}` });
  return { ...made, box: element('div', { className: 'beside' }, made.box, show) };
}

function labelled(name, input) {
  return { input, box: element('label', {}, element('span', {}, name), input) };
}

// A closed list; a value that is none of its words, as another program may have stored it, stays.
function choice(name, shape, value) {
  const words = shape.words.map((word) => [word.word, shapeLabel(word)]);
  if (value !== '' && !words.some(([word]) => word === value)) words.push([value, value]);
  return labelled(name, element('select', {}, [['', ''], ...words].map(([word, text]) => element('option', { value: word }, text))));
}

// Suggestions for an input: what there is already.
export function suggestions(input, id, values) {
  const list = element('datalist', { id }, [...new Set(values)].filter(Boolean).sort().map((value) => element('option', { value })));
  input.setAttribute('list', id);
  return list;
}

// `kinds` are those that may be chosen; all where it is not given.
export function addCard(app, kinds) {
  const names = kinds ?? [...app.shapes.keys()].sort((a, b) => LATER.indexOf(a) - LATER.indexOf(b));
  const select = element('select', { id: 'kind' }, names.map((name) => (
    element('option', { value: name }, shapeLabel(app.shapes.get(name))))));
  const title = field(t('Title (if it is left out, what the fields say)'), {});
  const group = field(t('Group'), {});
  const tags = field(t('Tags, with spaces between'), {});
  const files = field(t('Pictures and PDFs: front and back in this order'), { type: 'file', multiple: true });
  const groups = suggestions(group.input, 'groups', app.entries.map((entry) => entry.group));
  const place = element('div', { className: 'grid' });
  let inputs = [];
  // Another kind with the same field gets the value that was typed.
  const typed = new Map();
  const fill = () => {
    for (const { input } of inputs) typed.set(input.name, input.value);
    inputs = app.shapes.get(select.value).fields.map((shape) => inputOf(shape, typed.get(shape.key)));
    place.replaceChildren(...inputs.map(({ box }) => box));
  };
  select.onchange = fill;
  fill();
  openDialog(t('Add'), (close) => workForm([
    element('label', {}, element('span', {}, t('Kind')), select), place, element('div', { className: 'grid' }, title.box, group.box, groups, tags.box), files.box,
  ], t('Save'), async () => {
    const options = [title.input.value && `--title=${title.input.value}`, group.input.value && `--group=${group.input.value}`,
      ...wordsOf(tags.input.value).map((tag) => `--tag=${tag}`), '--json'].filter(Boolean);
    const values = inputs.filter(({ input }) => input.value !== '').map(({ input }) => `${input.name}=${input.value}`);
    const chosen = [...files.input.files];
    if (values.length + chosen.length === 0 && title.input.value === '') throw new Error(t('Nothing is filled in yet'));
    let said;
    const [card] = await app.changed(async () => {
      const added = linesOf(await app.server.run('card add', options, [select.value, ...values]));
      said = t('Saved: {0}', added[0].title);
      // The card is there, whatever becomes of its files: another press would add another one.
      if (chosen.length > 0) said += `\n${await attach(app, added[0].id, chosen)}`;
      return added;
    });
    close();
    announce(said);
    show(app, card.id);
  }));
}

// Shows a record in its part.
export function show(app, id) {
  if (app.chosen === id) app.draw();
  else app.choose(id);
}

// Files that a command takes at once.
const AT_ONCE = 16;

// Attaches files to a card under their names, as many in a save as go at once; what was said of each save. A save that is refused is
// said, and stores none of its files.
export async function attach(app, id, files) {
  const said = [];
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE);
    const names = some.map(({ name }) => name);
    try {
      const outcome = await app.server.run(
        'attach add', names.map((name) => `--as=${name}`), [id, ...some.map((_, place) => pathOf(place))], some);
      said.push(outcome.said || t('Saved: {0}', names.join(', ')));
    } catch (error) {
      said.push(t('NOT saved: {0}: {1}', names.join(', '), error.message));
    }
  }
  return said.join('\n');
}

// Changes a card: only what differs is sent, so that a change of somebody else to another field stays.
export async function editCard(app, entry) {
  const card = await app.client.call('card', { id: entry.id });
  const values = new Map(card.fields);
  const shape = app.shapes.get(kindOf(entry.kind).name);
  const known = shape.fields.map((one) => inputOf(one, values.get(one.key)));
  const others = cardLines(entry.kind, card).filter(({ key }) => !shape.fields.some((one) => one.key === key));
  const own = others.map(({ key, label, value, sensitive }) => (
    inputOf({ key, label, label_zh: label, hidden: sensitive, required: false, lines: value.includes('\n'), words: [] }, value)));
  const title = field(t('Title'), { value: entry.title, required: true });
  const [name, value] = [field(t('Another field: its name'), {}), field(t('Its value'), {})];
  const group = field(t('Group'), { value: entry.group ?? '' });
  const groups = suggestions(group.input, 'groups', app.entries.map((one) => one.group));
  const tags = field(t('Tags, with spaces between'), { value: entry.tags.join(' ') });
  const inputs = [...known, ...own];
  const placed = [[title, t('Title'), (one) => one.title], [group, t('Group'), (one) => one.group ?? '']]
    .map(([made, name, from]) => ({ ...made, name, from, before: from(entry), stored: from(entry) }));
  const changes = () => inputs.filter(({ input, before }) => input.value !== before)
    .map(({ input }) => `${input.name}=${input.value}`);
  openDialog(t('Change'), (close) => workForm([
    title.box, element('div', { className: 'grid' }, inputs.map(({ box }) => box), shape.own_fields && [name.box, value.box]),
    element('div', { className: 'grid' }, group.box, groups, tags.box),
  ], t('Save'), async () => {
    const own = [name.input.value.trim(), value.input.value];
    const lines = await ensureUnchanged(app, entry, [...placed, ...inputs].filter(({ input, before }) => input.value !== before));
    const fields = [...changes(), ...ownField(own, inputs, lines)];
    const options = [title.input.value !== entry.title && `--title=${title.input.value}`,
      ...placing(entry, group.input.value.trim(), wordsOf(tags.input.value))].filter(Boolean);
    if (fields.length + options.length > 0) await app.change('card edit', options, [entry.id, ...fields]);
    close();
  }));
}

// Stops a save that would write over what somebody else saved in the same place meanwhile; the next one goes through. Gives the
// card's values by key.
async function ensureUnchanged(app, { id, kind }, inputs) {
  await app.refresh();
  const entry = app.entries.find((one) => one.id === id);
  if (!entry) throw new Error(t('The card is gone: another program has taken it away. Nothing is saved'));
  const card = await app.client.call('card', { id });
  const lines = new Map(cardLines(kind, card).map((line) => [line.key, line.value]));
  const now = ({ input, from }) => (from ? from(entry) : lines.get(input.name) ?? '');
  const others = inputs.filter((one) => ![one.stored, one.input.value].includes(now(one)));
  for (const one of others) one.stored = now(one);
  if (others.length === 0) return lines;
  const values = others.map(({ name, shape, stored }) => t('{0}: {1}', name ?? shapeLabel(shape), shape?.hidden ? '••••' : stored));
  throw new Error(t('Somebody else has changed this meanwhile; save again to write over it: {0}', values.join(', ')));
}

// A field of one's own that is added, as the command takes it. One that the card has is changed in its own place.
function ownField([name, value], inputs, lines) {
  if (name === '' && value === '') return [];
  if (name === '' || value === '' || name.includes('=')) throw new Error(t('Another field needs a name without “=”, and a value'));
  const isThere = lines.has(name) || inputs.some(({ shape }) => [shape.key, shape.label, shape.label_zh].includes(name));
  if (isThere) throw new Error(t('The card has a field {0} already', name));
  return [`${name}=${value}`];
}

function wordsOf(text) { return text.split(/\s+/).filter(Boolean); }

// Options that give a card another group and other tags.
function placing(entry, group, tags) {
  return [
    group !== (entry.group ?? '') && (group === '' ? '--ungroup' : `--group=${group}`),
    ...tags.filter((tag) => !entry.tags.includes(tag)).map((tag) => `--tag=${tag}`),
    ...entry.tags.filter((tag) => !tags.includes(tag)).map((tag) => `--untag=${tag}`),
  ];
}
