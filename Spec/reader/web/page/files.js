// Files and folders, one folder at a time; a search goes through all.

import { contentBox } from './content.js';
import { button, element } from './dom.js';
import { listAndDetail } from './list.js';
import { sizeText, t, timeText } from './words.js';

const KIND_FILE = 1;
const KIND_FOLDER = 2;
const NAMES = { [KIND_FILE]: 'file', [KIND_FOLDER]: 'folder', 3: 'symlink' };

export function filesPart(app) {
  const all = app.entries.filter(({ kind }) => kind in NAMES);
  const folder = all.find(({ id }) => id === app.memory.folder);
  const sorted = all.sort((a, b) => (
    (b.kind === KIND_FOLDER) - (a.kind === KIND_FOLDER) || (a.title < b.title ? -1 : 1)));
  const row = (entry, isSearch) => ({
    id: entry.id, title: entry.kind === KIND_FOLDER ? `${entry.title}/` : entry.title,
    under: under(entry, isSearch), texts: () => [entry.path ?? ''],
    open: entry.kind === KIND_FOLDER ? () => enter(app, entry) : undefined,
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
  const around = folder && all.find(({ kind, inner }) => kind === KIND_FOLDER && inner === folder.parent);
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
  const words = [isSearch && entry.path, entry.kind === KIND_FILE ? sizeText(entry.length) : t(NAMES[entry.kind])];
  return words.filter(Boolean).join(' · ');
}

function fileDetail(app, entry) {
  if (!entry) return undefined;
  const time = entry.modified ?? entry.updated;
  return [element('h2', { id: 'chosen', tabIndex: -1 }, entry.title),
    element('p', { className: 'quiet' }, `${entry.path ?? ''} · ${timeText(time)}`), contentBox(app, entry)];
}
