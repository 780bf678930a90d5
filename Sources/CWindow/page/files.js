// Files and folders that are added, moved and removed.

import { announce, button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { KIND } from '../../../Spec/reader/web/page/kinds-of.js';
import { t } from '../../../Spec/reader/web/page/words.js';
import { attempt, openDialog, workForm } from './dialog.js';

// The path of the folder that is shown, with a slash; empty at the top.
function here(app) {
  const folder = app.entries.find(({ id }) => id === app.memory.folder);
  return folder ? `${folder.path}/` : '';
}

// Stores files under their names in the folder that is shown, a save each. Of those that cannot be stored it is said why.
export async function uploadFiles(app, files) {
  const place = here(app);
  const said = [];
  for (const file of files) {
    const path = place + file.name;
    const isThere = app.entries.some((entry) => entry.kind === KIND.file && entry.path === path);
    try {
      await app.changed(() => app.server.runOn('put', [`--as=${path}`], file));
      said.push(t(isThere ? 'Saved as a new version of {0}' : 'Saved: {0}', path));
    } catch (error) {
      said.push(t('NOT saved: {0}: {1}', path, error.message));
    }
    announce(said.join('\n'));
  }
}

// The reader's part with buttons that add, rename and remove.
export function withUploads(part) {
  return (app) => {
    const [list, detail] = part(app);
    if (!app.isNewest) return [list, detail];
    const input = element('input', {
      type: 'file', multiple: true, className: 'hidden', tabIndex: -1, 'aria-label': t('Add files'),
    });
    input.onchange = attempt(async () => {
      await uploadFiles(app, [...input.files]);
      input.value = '';
    });
    list.prepend(element('p', {}, input, button(`+ ${t('Add files')}`, () => input.click(), { id: 'add' })));
    const entry = app.entries.find(({ id, kind }) => id === app.chosen && kind === KIND.file);
    if (entry) detail.append(fileActions(app, entry));
    return [list, detail];
  };
}

function fileActions(app, entry) {
  return element('p', { className: 'actions' },
    button(t('Rename'), () => rename(app, entry), { className: 'small' }),
    button(t('Into the trash'), attempt(async () => {
      await app.change('rm', [], [entry.id]);
      app.leaveRecord();
    }), { className: 'small' }));
}

function rename(app, entry) {
  const path = field(t('New path'), { value: entry.path, required: true });
  openDialog(t('Rename'), (close) => workForm(path.box, t('Save'), async () => {
    if (path.input.value !== entry.path) await app.change('mv', [], [entry.id, path.input.value]);
    close();
    // Under another path a file has another id.
    const moved = app.entries.find((one) => one.kind === KIND.file && one.path === path.input.value);
    if (moved) app.choose(moved.id);
  }));
}
