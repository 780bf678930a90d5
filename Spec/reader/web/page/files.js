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
  const name = 'Files';
  const folder = all.find(({ id }) => id === app.memory.folder);
  const isSearch = (app.memory[`query ${name}`] ?? '') !== '';
  const here = isSearch ? all : all.filter(({ parent }) => parent === folder?.inner);
  here.sort((a, b) => (b.kind === KIND_FOLDER) - (a.kind === KIND_FOLDER) || (a.title < b.title ? -1 : 1));
  const rows = here.map((entry) => ({
    id: entry.id, title: entry.kind === KIND_FOLDER ? `${entry.title}/` : entry.title,
    under: under(entry, isSearch), texts: () => [entry.path ?? ''],
  }));
  const [list, detail] = listAndDetail(app, name, rows, (id) => fileDetail(app, all.find((one) => one.id === id)));
  const up = folder && button(`← ${all.find(({ inner }) => inner === folder.parent)?.title ?? t('Top')}`, () => {
    app.memory.folder = all.find(({ inner }) => inner !== undefined && inner === folder.parent)?.id;
    app.draw();
  }, { className: 'plain' });
  list.prepend(element('p', {}, up, ' ', element('b', {}, folder?.path ?? t('Top'))));
  // A search leaves the folder.
  list.querySelector('input').addEventListener('change', () => app.draw());
  return [list, detail];
}

function under(entry, isSearch) {
  const words = [isSearch && entry.path, entry.kind === KIND_FILE ? sizeText(entry.length) : t(NAMES[entry.kind])];
  return words.filter(Boolean).join(' · ');
}

function fileDetail(app, entry) {
  if (!entry) return undefined;
  if (entry.kind === KIND_FOLDER) {
    queueMicrotask(() => {
      Object.assign(app, { chosen: undefined });
      app.memory.folder = entry.id;
      app.draw();
    });
    return undefined;
  }
  const time = entry.modified ?? entry.updated;
  return [element('h2', { tabIndex: -1 }, entry.title),
    element('p', { className: 'quiet' }, `${entry.path ?? ''} · ${timeText(time)}`), contentBox(app, entry)];
}
