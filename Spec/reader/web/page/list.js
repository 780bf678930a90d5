// A list of records beside one of them, with a search as one types.

import { element, button } from './dom.js';
import { fold, search } from './search.js';
import { t } from './words.js';

// Rows that are drawn at once.
const FIRST = 200;

// `rows` are { id, title, under, texts }; `detail` draws the record with an id.
export function listAndDetail(app, name, rows, detail) {
  const list = element('div', { role: 'list' });
  const key = `query ${name}`;
  const input = element('input', {
    type: 'search', id: 'search', value: app.memory[key] ?? '', placeholder: t('title, value, pinyin'), autocomplete: 'off',
    'aria-label': t('Search'),
  });
  const draw = (count) => {
    const found = search(rows, input.value, ({ title, texts }) => [fold(title), ...texts().map(fold)]);
    const drawn = found.slice(0, count).map((row) => rowButton(app, row));
    list.replaceChildren(...drawn, ...moreOf(found.length, count, () => draw(count + 1000)));
  };
  input.oninput = () => {
    app.memory[key] = input.value;
    draw(FIRST);
  };
  draw(FIRST);
  const chosen = app.chosen !== undefined;
  return [element('section', { className: 'list', 'aria-label': t(name) }, input, list),
    element('section', { className: 'detail' }, chosen && button(`← ${t('Back')}`, () => history.back(), {
      className: 'plain only-narrow',
    }), chosen && detail(app.chosen))];
}

function moreOf(found, count, more) {
  if (found === 0) return [element('p', { className: 'quiet' }, t('Nothing is found'))];
  return found > count ? [button(`${t('more')} (${found - count})`, more)] : [];
}

function rowButton(app, { id, title, under }) {
  return element('div', { role: 'listitem' }, button([title, element('small', {}, under)], () => app.choose(id), {
    className: 'row', 'aria-current': String(app.chosen === id),
  }));
}
