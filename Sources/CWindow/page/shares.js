// Copies that were given away; which of them a leaked picture is; whether a copy is genuine.

import { button, element } from '../../../Spec/reader/web/page/dom.js';
import { t, timeText } from '../../../Spec/reader/web/page/words.js';
import { attempt } from './dialog.js';
import { linesOf, pathOf } from './server.js';

export function sharesPart(app) {
  const { value, error } = app.remembered('shares', async () => linesOf(await app.server.run('shares', ['--json'])));
  return element('div', { className: 'whole' },
    element('div', { className: 'two' },
      fileBox(app, t('Which copy is this? Drop a leaked picture'), 'trace', traced),
      fileBox(app, t('Is this copy genuine? Drop a copy with a strip'), 'verify-copy', verified)),
    element('h2', {}, t('Shares')),
    error && element('p', { className: 'bad', role: 'alert' }, error),
    value?.length === 0 && element('p', { className: 'quiet' }, t('No copy was given away yet')),
    value?.length > 0 && element('div', { className: 'scroll' }, element('table', { className: 'columns' },
      element('thead', {}, element('tr', {}, ['When', 'What', 'For whom', 'What for', 'Until', ''].map((name) => (
        element('th', { scope: 'col' }, name && t(name)))))),
      element('tbody', {}, value.map((share) => row(app, share))))));
}

function row(app, share) {
  const { id, time, name, card, recipient, purpose, until, revoked } = share;
  return element('tr', {}, element('td', {}, timeText(Date.parse(time))),
    element('td', {}, [card, name].filter(Boolean).join('/')), element('td', {}, recipient ?? ''), element('td', {}, purpose ?? ''),
    element('td', {}, until ?? ''),
    element('td', {}, revoked ? t('asked back {0}', revoked) : button(t('Note that it was asked back'), attempt(() => (
      app.change('shares revoke', [], [id]))), { className: 'small', 'aria-label': `${t('Note that it was asked back')} ${recipient ?? name}` })));
}

// A box that a file is dropped into, and what the command says of it.
function fileBox(app, name, verb, told) {
  return app.kept(`file ${name}`, () => makeFileBox(app, name, verb, told));
}

function makeFileBox(app, name, verb, told) {
  const result = element('div', { 'aria-live': 'polite' });
  let newest;
  const judge = async (file) => {
    newest = file;
    const name = element('p', {}, element('b', {}, file.name));
    result.replaceChildren(name, element('p', {}, t('Looking …')));
    let found;
    try {
      const outcome = await app.server.run(verb, ['--json'], [pathOf(0)], [file]);
      found = [...told(linesOf(outcome)), ...outcome.said.split('\n').filter(Boolean)
        .map((line) => element('p', { className: 'quiet' }, line))];
    } catch (error) {
      found = [element('p', { className: 'bad', role: 'alert' }, error.message)];
    }
    // An answer about a file before it is none about this one.
    if (newest === file) result.replaceChildren(name, ...found);
  };
  const input = element('input', { type: 'file', className: 'hidden' });
  input.onchange = () => { if (input.files[0]) judge(input.files[0]); };
  const drop = element('label', { className: 'drop' }, name, input);
  drop.ondragover = () => drop.classList.add('over');
  drop.ondragleave = () => drop.classList.remove('over');
  drop.ondrop = (event) => {
    event.preventDefault();
    event.stopPropagation();
    drop.classList.remove('over');
    if (event.dataTransfer.files[0]) judge(event.dataTransfer.files[0]);
  };
  return element('section', {}, drop, result);
}

function traced(copies) {
  return copies.map(({ verdict, recipient, purpose, time, name }) => element('p', { className: verdict === 'found' ? 'bad' : 'warn' },
    t(verdict === 'found' ? 'This is the copy for {0}' : 'This is likely the copy for {0}', recipient ?? name),
    ` · ${[purpose, timeText(Date.parse(time))].filter(Boolean).join(' · ')}`));
}

const PICTURES = {
  same: ['good', 'the picture is the one that was signed'], changed: ['bad', 'the picture was changed'],
  other: ['bad', 'the strip belongs to another picture'], unknown: ['warn', 'whether the picture is the one that was signed cannot be told'],
};

function verified(strips) {
  return strips.map(({ signature, picture, recipient, purpose, until, past, fingerprint_words: words }) => {
    if (signature !== 'right') return element('p', { className: 'bad' }, t('The signature is not right'));
    const [colour, text] = PICTURES[picture] ?? PICTURES.unknown;
    return element('div', {}, element('p', { className: colour }, t(text)),
      element('p', {}, [recipient, purpose, until && t('until {0}', until), past && t('that day is over')].filter(Boolean).join(' · ')),
      element('p', { className: 'quiet' }, t('Signed by the key {0}', words)));
  });
}

