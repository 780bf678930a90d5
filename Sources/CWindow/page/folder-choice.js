// A folder of this machine: typed, or chosen from those that there are.

import { button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { t } from '../../../Spec/reader/web/page/words.js';
import { attempt, openDialog } from './dialog.js';

// An input for a folder, with a button that shows the folders of this machine.
export function folderField(app, properties) {
  const made = field(t('Folder on this machine, as on a stick: /media/stick'), properties);
  const choose = button(t('Choose …'), attempt(() => chooseFolder(app, made.input)), {
    className: 'small', id: `${properties.id}-choose`, 'aria-label': t('Choose a folder'),
  });
  return { ...made, box: element('div', { className: 'beside' }, made.box, choose) };
}

async function chooseFolder(app, input) {
  const begun = await app.server.folders(input.value.trim());
  const place = element('div', {});
  openDialog(t('Choose a folder'), (close) => {
    // `goTo` shows another folder.
    const goTo = (path) => attempt(async () => show(await app.server.folders(path)));
    const row = (name, path) => element('div', { role: 'listitem' }, button(name, goTo(path), { className: 'row' }));
    const show = ({ path, above, folders, left_out: left, is_writable: isWritable, is_another: isAnother, places }) => {
      const take = () => {
        input.value = path;
        input.dispatchEvent(new Event('input', { bubbles: true }));
        close();
      };
      place.replaceChildren(element('p', { className: 'actions' }, places.map((one) => button(one, goTo(one), { className: 'small' }))),
        element('h3', { className: 'value', role: 'status' }, path),
        isAnother ? element('p', { className: 'warn' }, t('That folder is not there, or cannot be read: this is {0}', path)) : '',
        element('p', {}, button(t('Take this folder'), take, { className: 'main', disabled: !isWritable })),
        isWritable ? '' : element('p', { className: 'warn' }, t('Nothing can be written here')),
        element('div', { role: 'list' }, above === null ? '' : row('↑ ..', above),
          folders.map((name) => row(name, `${path === '/' ? '' : path}/${name}`))),
        left > 0 ? element('p', { className: 'quiet' }, t('{0} more are not shown: type the path', left)) : '');
      place.querySelector('.row')?.focus();
    };
    show(begun);
    return place;
  });
}
