// A list of records beside one of them, with a search as one types.

import { element, button } from './dom.js';
import { fold, search } from './search.js';
import { t } from './words.js';

// Rows that are drawn at once.
const FIRST = 200;

// `rowsFor` gives the rows for a query: { id, title, under, texts }, and `open` where a click does not show the record.
// `detail` draws the record with an id.
export function listAndDetail(app, name, rowsFor, detail) {
  const list = element('div', { role: 'list' });
  const [key, countKey] = [`query ${name}`, `count ${name}`];
  const folded = new Map();
  const textsOf = ({ id, title, texts }) => {
    if (!folded.has(id)) folded.set(id, [fold(title), ...texts().map(fold)]);
    return folded.get(id);
  };
  const input = element('input', {
    type: 'search', id: 'search', value: app.memory[key] ?? '', placeholder: t('title, value, pinyin'), autocomplete: 'off',
    'aria-label': t('Search'),
  });
  const draw = (count) => {
    app.memory[countKey] = count;
    const found = search(rowsFor(input.value.trim()), input.value, textsOf);
    const drawn = found.slice(0, count).map((row) => rowButton(app, row));
    list.replaceChildren(...drawn, ...moreOf(found.length, count, input.value, () => draw(count + 1000)));
  };
  input.oninput = () => {
    app.memory[key] = input.value;
    draw(FIRST);
  };
  draw(app.memory[countKey] ?? FIRST);
  const chosen = app.chosen !== undefined;
  return [element('section', { className: 'list', 'aria-label': t(name) }, input, list),
    element('section', { className: 'detail' }, chosen && button(`← ${t('Back')}`, () => history.back(), {
      className: 'plain only-narrow',
    }), chosen && detail(app.chosen))];
}

function moreOf(found, count, query, more) {
  if (found === 0) return [element('p', { className: 'quiet' }, t(query.trim() ? 'Nothing is found' : 'Nothing is here'))];
  return found > count ? [button(`${t('more')} (${found - count})`, more)] : [];
}

function rowButton(app, { id, title, under, open }) {
  return element('div', { role: 'listitem' }, button([title, element('small', {}, under)], open ?? (() => app.choose(id)), {
    id: `row-${id}`, className: 'row', 'aria-current': String(app.chosen === id),
  }));
}
