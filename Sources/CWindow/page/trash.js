// The trash, below the history.

import { button, element } from '../../../Spec/reader/web/page/dom.js';
import { t, timeText } from '../../../Spec/reader/web/page/words.js';
import { attempt } from './dialog.js';
import { linesOf } from './server.js';

// The reader's part, and what can be brought back.
export function withTrash(part) {
  return (app) => {
    const whole = part(app);
    if (app.isNewest) whole.append(element('h2', {}, t('Trash')), trashBox(app));
    return whole;
  };
}

function trashBox(app) {
  const { value, error } = app.remembered('trash', async () => linesOf(await app.server.run('ls', ['--trash', '--json'])));
  if (error) return element('p', { className: 'bad', role: 'alert' }, error);
  if (!value) return element('p', { className: 'quiet' }, '…');
  if (value.length === 0) return element('p', { className: 'quiet' }, t('Nothing is here'));
  return element('table', {}, element('tbody', {}, value.map(({ id, path, updated }) => element('tr', {},
    element('td', {}, path, element('small', {}, timeText(Date.parse(updated)))),
    element('td', {}, button(t('Bring back'), attempt(() => app.change('undelete', [], [id])), {
      className: 'small', 'aria-label': `${t('Bring back')} ${path}`,
    }))))));
}
