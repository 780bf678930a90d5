// Files and folders, one folder at a time; a search goes through all.

import { contentBox } from './content.js';
import { button, element } from './dom.js';
import { KIND } from './kinds-of.js';
import { listAndDetail } from './list.js';
import { sizeText, t, timeText } from './words.js';

const NAMES = { [KIND.file]: 'file', [KIND.folder]: 'folder', [KIND.symlink]: 'symlink' };

export function filesPart(app) {
  const all = app.entries.filter(({ kind }) => kind in NAMES);
  const folder = all.find(({ id }) => id === app.memory.folder);
  const sorted = all.sort((a, b) => (
    (b.kind === KIND.folder) - (a.kind === KIND.folder) || (a.title < b.title ? -1 : 1)));
  const row = (entry, isSearch) => ({
    id: entry.id, title: entry.kind === KIND.folder ? `${entry.title}/` : entry.title,
    under: under(entry, isSearch), texts: () => [entry.path ?? ''],
    open: entry.kind === KIND.folder ? () => enter(app, entry) : undefined,
  });
  const here = sorted.filter(({ parent }) => parent === folder?.inner).map((entry) => row(entry, false));
  let everywhere;
  const rowsFor = (query) => {
    if (query === '') return here;
    everywhere ??= sorted.map((entry) => row(entry, true));
    return everywhere;
  };
  const [list, detail] = listAndDetail(app, 'Files', rowsFor, (id) => (
    fileDetail(app, all.find((one) => one.id === id))));
  const around = folder && all.find(({ kind, inner }) => kind === KIND.folder && inner === folder.parent);
  const up = folder && button(`← ${around?.title ?? t('Top')}`, () => enter(app, around), { className: 'plain' });
  list.prepend(element('p', {}, up, ' ', element('b', {}, folder?.path ?? t('Top'))));
  return [list, detail];
}

// Shows what is in a folder; in none, what is at the top.
function enter(app, folder) {
  Object.assign(app.memory, { folder: folder?.id, 'query Files': '', 'count Files': undefined });
  app.leaveRecord();
}

function under(entry, isSearch) {
  const words = [isSearch && entry.path, entry.kind === KIND.file ? sizeText(entry.length) : t(NAMES[entry.kind])];
  return words.filter(Boolean).join(' · ');
}

function fileDetail(app, entry) {
  if (!entry) return undefined;
  const time = entry.modified ?? entry.updated;
  return [element('h2', { id: 'chosen', tabIndex: -1 }, entry.title),
    element('p', { className: 'quiet' }, `${entry.path ?? ''} · ${timeText(time)}`), contentBox(app, entry)];
}
