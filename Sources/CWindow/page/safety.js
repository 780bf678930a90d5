// What keeps a vault safe: backups, checks, key slots, the recovery key.

import { verifyBox, wordsBox } from '../../../Spec/reader/web/page/check.js';
import { button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { label, t, timeText } from '../../../Spec/reader/web/page/words.js';
import { attempt, openDialog, workForm } from './dialog.js';
import { linesOf } from './server.js';

export function safetyPart(app) {
  return element('div', { className: 'whole' }, element('h2', {}, t('Check')), verifyBox(app, ['key', 'none', 'audit']),
    wordsBox(app), element('h2', {}, t('Backup')), app.kept(`backup ${t('Backup')}`, () => backupBox(app)), element('h2', {}, t('Key slots')), slotsBox(app));
}

function backupBox(app) {
  const folder = field(t('Folder on this machine, as on a stick: /media/stick'), { id: 'backup-folder', required: true });
  const result = element('p', { className: 'good', role: 'status' });
  return element('div', {}, workForm([folder.box], t('Make a backup'), async () => {
    result.textContent = '';
    const [made] = linesOf(await app.server.run('backup', [`--to=${folder.input.value}`, '--with-reader', '--json']));
    result.textContent = t('Saved: {0}', made.path);
  }), result, element('p', { className: 'quiet' }, t('A page that opens it in any browser is laid beside it.')));
}

function slotsBox(app) {
  const { value, error } = app.remembered('slots', async () => linesOf(await app.server.run('key list', ['--json'])));
  if (error) return element('p', { className: 'bad', role: 'alert' }, error);
  if (!value) return element('p', { className: 'quiet' }, '…');
  const hasRecovery = value.some(({ kind }) => kind === 'recovery key');
  return element('div', {}, element('div', { className: 'scroll' }, element('table', {},
    element('thead', {}, element('tr', {}, ['Number', 'Kind', 'Label', 'Cost', 'created'].map((name) => (
      element('th', { scope: 'col' }, t(name)))))),
    element('tbody', {}, value.map((slot) => element('tr', {}, element('td', {}, slot.number), element('td', {}, t(slot.kind)),
      element('td', {}, slot.label ?? ''), element('td', {}, costOf(slot)),
      element('td', {}, slot.created ? timeText(Date.parse(slot.created)) : '')))))),
  !hasRecovery && element('p', { className: 'warn' }, t('There is no recovery key: without the password all is lost.')),
  button(t('Make a recovery key to print'), attempt(() => makeRecoveryKey(app))));
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
    const text = await app.changed(() => app.server.recoveryKey(password.input.value));
    close();
    openDialog(t('Recovery key'), () => [element('pre', { className: 'sheet' }, text),
      button(label('Print', '打印'), () => globalThis.print(), { className: 'main' })], { className: 'wide' });
  }));
}
