// The saves of a vault; any that is kept can be looked at.

import { button, element } from './dom.js';
import { t, timeText } from './words.js';

const FIRST = 200;

export function historyPart(app) {
  const shown = app.memory.allSaves ? app.saves : app.saves.slice(0, FIRST);
  const rows = shown.map((save) => {
    const { number, time, isKept, words } = save;
    return element('tr', {},
      element('td', { className: 'number' }, number), element('td', {}, timeText(time), element('small', {}, words)),
      element('td', {}, number === app.save ? '●' : isKept
        ? button(t('Look at it'), () => app.showSave(number, 0), { className: 'small' }) : t('no longer kept'), ' ', app.saveActions?.(save)));
  });
  const more = shown.length < app.saves.length && button(`${t('more')} (${app.saves.length - shown.length})`, () => {
    app.memory.allSaves = true;
    app.draw();
  });
  return element('div', { className: 'whole scroll' }, element('h2', {}, t('History')),
    element('table', {}, element('tbody', {}, rows)), more);
}
