// Safety: checks, backups, key slots, the password and the recovery key.

import { verifyBox, wordsBox } from '../../../Spec/reader/web/page/check.js';
import { announce, button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { label, t, timeText } from '../../../Spec/reader/web/page/words.js';
import { openDialog, workForm } from './dialog.js';
import { folderField } from './folder-choice.js';
import { requireFolder } from './money.js';
import { linesOf } from './server.js';

export function safetyPart(app) {
  return element('div', { className: 'whole' }, element('h2', {}, t('Check')), verifyBox(app, ['key', 'none', 'audit']),
    wordsBox(app), element('h2', {}, t('Backup')), app.kept(`backup ${t('Backup')}`, () => backupBox(app)), element('h2', {}, t('Key slots')), slotsBox(app));
}

function backupBox(app) {
  const folder = folderField(app, { id: 'backup-folder', required: true });
  const backup = field(t('A backup to try'), { id: 'backup-file', required: true });
  const [result, tried] = [1, 2].map(() => element('p', { className: 'good', role: 'status' }));
  return element('div', {}, workForm([folder.box], t('Make a backup'), async () => {
    result.textContent = '';
    requireFolder(folder.input);
    const [made] = linesOf(await app.changed(() => (
      app.server.run('backup', [`--to=${folder.input.value}`, '--with-reader', '--json']))));
    result.textContent = t('Saved: {0}', made.path);
    backup.input.value = made.path;
  }), result, element('p', { className: 'quiet' }, t('A page that opens it in any browser is laid beside it.')),
  workForm([backup.box], t('Try to restore it'), async () => {
    tried.textContent = '';
    const [drill] = linesOf(await app.changed(() => app.server.run('restore', ['--drill', '--json'], [backup.input.value])));
    tried.textContent = t('Opened and read: {0}; compared: {1}, differing: {2}', drill.records, drill.compared, drill.differing);
  }), tried, element('p', { className: 'quiet' }, t('Nothing is written: all of it is opened, read and compared.')));
}

function slotsBox(app) {
  const { value, error } = app.remembered('slots', async () => linesOf(await app.server.run('key list', ['--json'])));
  if (error) return element('p', { className: 'bad', role: 'alert' }, error);
  if (!value) return element('p', { className: 'quiet' }, '…');
  const hasRecovery = value.some(({ kind }) => kind === 'recovery key');
  return element('div', {}, element('div', { className: 'scroll' }, element('table', { className: 'columns' },
    element('thead', {}, element('tr', {}, ['Number', 'Kind', 'Label', 'Cost', 'created'].map((name) => (
      element('th', { scope: 'col' }, t(name)))))),
    element('tbody', {}, value.map((slot) => element('tr', {}, element('td', {}, slot.number), element('td', {}, t(slot.kind)),
      element('td', {}, t(slot.label ?? '')), element('td', {}, costOf(slot)),
      element('td', {}, slot.created ? timeText(Date.parse(slot.created)) : '')))))),
  !hasRecovery && element('p', { className: 'warn' }, t('There is no recovery key: without the password all is lost.')),
  element('p', { className: 'actions' }, button(t('Make a recovery key to print'), () => makeRecoveryKey(app)),
    button(t('Change the password'), () => changePassword(app))));
}

function costOf({ kdf, iterations, memory, passes }) {
  if (!kdf) return '';
  return kdf === 'pbkdf2' ? `PBKDF2 ${iterations}` : `Argon2id ${memory >> 20} MiB × ${passes}`;
}

// The sheet is made once, shown, and printed from here.
function makeRecoveryKey(app) {
  const password = field(t('Password'), { type: 'password', required: true });
  openDialog(t('Make a recovery key to print'), (close) => workForm([
    element('p', {}, t('Who has this sheet opens the vault. It is shown once.')), password.box,
  ], t('Make it'), async () => {
    const { output } = await app.changed(() => app.server.runAgain('key recovery', password.input.value));
    close();
    openDialog(t('Recovery key'), () => [element('pre', { className: 'sheet' }, output),
      button(label('Print', '打印'), () => globalThis.print(), { className: 'main' })], { className: 'wide', isChanged: () => true });
  }));
}

function changePassword(app) {
  const [old, fresh, again] = [[t('Password')], [t('New password'), 'new-password'], [t('The same again'), 'new-password']]
    .map(([name, autocomplete = 'off']) => field(name, { type: 'password', required: true, autocomplete }));
  openDialog(t('Change the password'), (close) => workForm([old.box, fresh.box, again.box], t('Save'), async () => {
    if (fresh.input.value !== again.input.value) throw new Error(t('The two are not the same'));
    const { said } = await app.changed(() => app.server.runAgain('rekey password', old.input.value, fresh.input.value));
    close();
    announce(said || t('Saved'));
  }));
}
