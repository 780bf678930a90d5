// Before a vault is there, and after the window has ended.

import { announce, element, field } from '../../../Spec/reader/web/page/dom.js';
import { t } from '../../../Spec/reader/web/page/words.js';
import { workForm } from './dialog.js';

// The first run: a password, twice.
export function createView(app, message) {
  const [first, second] = [t('New password'), t('The same again')].map((name) => (
    field(name, { type: 'password', required: true, autocomplete: 'new-password' })));
  const form = workForm([first.box, second.box], t('Make the vault'), async () => {
    if (first.input.value !== second.input.value) throw new Error(t('The two are not the same'));
    const password = new TextEncoder().encode(first.input.value);
    const { said } = await app.server.create(password);
    await app.connect(await app.server.state());
    await app.unlock({ kind: 'password', password });
    announce(said);
  });
  queueMicrotask(() => first.input.focus());
  return [element('main', { className: 'start' }, element('h1', {}, app.name),
    message && element('p', { className: 'notice', role: 'alert' }, message),
    element('p', { className: 'quiet' }, t('There is no vault at {0} yet.', app.state.path)),
    element('p', {}, t('Without its password nobody opens a vault, not even you: a recovery key on paper is made under Safety.')),
    form, element('p', {}, app.languageButton()))];
}

// The server is gone, or does not want this page.
export function endedView(app, message) {
  return [element('main', { className: 'start' }, element('h1', {}, 'QuickVault'),
    element('p', { className: 'notice', role: 'alert' }, message),
    element('p', {}, t('This window has ended. In a terminal, {0} opens a new one.', 'qvault open')),
    element('p', {}, app.languageButton()))];
}
