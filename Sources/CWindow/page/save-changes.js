// The records that a save changed, by name.

import { announce, button, element } from '../../../Spec/reader/web/page/dom.js';
import { kindOf } from '../../../Spec/reader/web/page/kinds-of.js';
import { label, t, timeText } from '../../../Spec/reader/web/page/words.js';
import { attempt, openDialog } from './dialog.js';
import { linesOf } from './server.js';
import { shapeLabel } from './shapes.js';

// Lines that are drawn at once.
const FIRST = 500;

// The button beside a save; none where it or the save before it is no longer kept.
export function saveActions(app, save) {
  const before = app.saves[app.saves.indexOf(save) + 1];
  if (!save.isKept || !before?.isKept) return undefined;
  return button(t('What changed'), attempt(() => showChanges(app, before.number, save)), {
    className: 'small', id: `changes-${save.number}`, 'aria-label': t('What save {0} changed', save.number),
  });
}

async function showChanges(app, before, { number, time }) {
  const changes = linesOf(await app.server.run('diff', [`--at=${before}`, `--at=${number}`, '--json']));
  if (changes.length === 0) {
    announce(t('Save {0} changed nothing that has a name', number));
    return;
  }
  const line = ({ change, path, old_path: old, id, fields }) => element('tr', {},
    element('th', { scope: 'row', className: 'value' }, old ? `${old} → ${path}` : path,
      fields.length > 0 && element('div', {}, element('small', {}, fieldNames(app, id, fields)))),
    element('td', {}, t(change === 'changed' ? 'Change' : change)));
  openDialog(t('What save {0} changed', number), () => [element('p', { className: 'quiet' }, timeText(time)),
    element('div', { className: 'scroll' }, element('table', {}, element('tbody', {}, changes.slice(0, FIRST).map(line)))),
    changes.length > FIRST && element('p', {}, t('{0} more are not shown', changes.length - FIRST))]);
}

const OVERVIEW = { title: 'Title', group: 'Group', tags: 'Tags', pinned: 'Pinned' };

// The labels of fields, as forms have them. Of a card that is gone the kind is not known: any that has such a field will do.
function fieldNames(app, id, keys) {
  const kind = app.entries.find((entry) => entry.id === id)?.kind;
  const shapes = [app.shapes.get(kindOf(kind)?.name), ...app.shapes.values()].flatMap((one) => one?.fields ?? []);
  return keys.map((key) => {
    const shape = shapes.find((one) => one.key === key);
    return key in OVERVIEW ? t(OVERVIEW[key]) : shape ? shapeLabel(shape) : key;
  }).join(label(', ', '、'));
}
