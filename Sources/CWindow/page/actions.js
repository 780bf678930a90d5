// Buttons of a card and of its attachments.

import { announce, button, element } from '../../../Spec/reader/web/page/dom.js';
import { isCard, KIND } from '../../../Spec/reader/web/page/kinds-of.js';
import { t } from '../../../Spec/reader/web/page/words.js';
import { addCard, attach, editCard } from './card-form.js';
import { attempt } from './dialog.js';
import { uploadFiles } from './files.js';
import { openStraightening } from './straighten.js';
import { openStudio } from './share-studio.js';

function small(name, work, about) {
  return button(t(name), attempt(work), { className: 'small', 'aria-label': `${t(name)} ${about}` });
}

// A part of the reader with a button that adds a card of some kinds.
export function withAdding(part, kinds) {
  return (app) => {
    const [list, detail] = part(app);
    if (app.isNewest) list.prepend(element('p', {}, button(`+ ${t('Add')}`, () => addCard(app, kinds), { id: 'add' })));
    return [list, detail];
  };
}

export function cardActions(app, entry) {
  const input = element('input', {
    type: 'file', multiple: true, className: 'hidden', tabIndex: -1, 'aria-label': t('Attach files'),
  });
  input.onchange = attempt(async () => {
    await attachTo(app, entry.id, [...input.files]);
    input.value = '';
  });
  const pictures = app.entries.filter(({ kind, parent }) => kind === KIND.attachment && parent === entry.id)
    .sort((a, b) => a.created - b.created);
  const { title } = entry;
  return element('p', { className: 'actions' }, small('Change', () => editCard(app, entry), title),
    small(entry.pinned ? 'Unpin' : 'Pin', () => app.change('pin', entry.pinned ? ['--off'] : [], [entry.id]), title),
    input, small('Attach files', () => input.click(), title),
    pictures.length > 0 && small('Share a marked copy', () => openStudio(app, pictures), title),
    small('Into the trash', async () => {
      await app.change('card rm', [], [entry.id]);
      if (app.chosen === entry.id) app.leaveRecord();
    }, title));
}

async function attachTo(app, id, files) {
  announce(await app.changed(() => attach(app, id, files)));
}

export function attachmentActions(app, entry) {
  if (entry.kind !== KIND.attachment) return undefined;
  const isPicture = entry.type?.startsWith('image/');
  return [small('Share', () => openStudio(app, [entry]), entry.title),
    isPicture && small('Straighten', () => openStraightening(app, entry), entry.title),
    small('Into the trash', () => app.change('attach rm', [], [entry.id]), entry.title)];
}

// Files that were dropped on the page: they go to the card that is shown, or into the folder.
export function dropOnto(app, files) {
  if (!app.isNewest) {
    announce(t('This is an older save: nothing is added to it'));
    return;
  }
  const card = app.entries.find((entry) => entry.id === app.chosen && isCard(entry));
  const [name] = app.parts[app.part];
  if (card) attempt(() => attachTo(app, card.id, files))();
  else if (name === 'Files') attempt(() => uploadFiles(app, files))();
  else announce(t('Open a card, or Files: what is dropped there is kept there'));
}
