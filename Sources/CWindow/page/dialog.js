// Dialogs over the page: they stay as they are while the page is drawn anew.

import { failureText } from '../../../Spec/reader/web/page/app.js';
import { announce, button, element } from '../../../Spec/reader/web/page/dom.js';
import { t } from '../../../Spec/reader/web/page/words.js';

// All that a form has.
function valuesIn(form) {
  return [...form.querySelectorAll('input, select, textarea')]
    .map((input) => (input.type === 'checkbox' ? input.checked : input.value)).join('\0');
}

// Opens a dialog: `fill` gives its content, from a function that closes it. `isChanged` says whether something would be lost: else
// what a person typed or chose.
export function openDialog(title, fill, { className = '', isChanged } = {}) {
  const dialog = element('dialog', { className, 'aria-label': title });
  const before = document.activeElement?.id;
  const said = document.getElementById('said');
  let values;
  const close = () => {
    // Messages are drawn in the topmost dialog: it covers the rest of the page.
    document.body.prepend(said);
    dialog.remove();
    [...document.querySelectorAll('dialog')].at(-1)?.append(said);
    document.getElementById(before)?.focus();
  };
  const question = element('p', { className: 'notice', hidden: true, role: 'alert' }, t('What was typed is not saved.'), ' ',
    button(t('Leave it'), close, { className: 'small' }), ' ',
    button(t('Go on typing'), () => { question.hidden = true; }, { className: 'small' }));
  dialog.isTyped = () => isChanged?.() ?? valuesIn(dialog) !== values;
  const leave = () => {
    if (!dialog.isTyped()) close();
    else question.hidden = false;
  };
  // Browsers close a dialog at the second Escape, whatever was said to the first.
  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    leave();
  });
  dialog.oncancel = (event) => {
    event.preventDefault();
    leave();
  };
  dialog.onclose = () => { if (dialog.isConnected) dialog.showModal(); };
  dialog.append(element('header', {}, element('h2', {}, title),
    button('×', leave, { className: 'small', 'aria-label': t('Close') })), question, ...[fill(close)].flat(9).filter(Boolean));
  document.body.append(dialog);
  dialog.showModal();
  dialog.append(said);
  values = valuesIn(dialog);
  dialog.querySelector('form input:not(.hidden), form select, form textarea')?.focus();
  return close;
}

// Takes all dialogs away.
export function closeDialogs() {
  document.body.prepend(document.getElementById('said'));
  for (const dialog of document.querySelectorAll('dialog')) dialog.remove();
}

// Milliseconds for which what was typed stays where nothing can be saved any more.
const LEFT = 300000;

// Takes the dialogs away, but for those in which something was typed: it can be copied from there, and nothing be saved.
export function endDialogs(text) {
  const said = document.getElementById('said');
  document.body.prepend(said);
  const left = [];
  for (const dialog of document.querySelectorAll('dialog')) {
    if (dialog.isTyped()) {
      for (const form of dialog.querySelectorAll('form')) form.onsubmit = (event) => event.preventDefault();
      for (const main of dialog.querySelectorAll('[type=submit]')) main.disabled = true;
      const notice = element('p', { className: 'notice bad', role: 'alert', tabIndex: -1 }, text, ' ',
        t('What was typed is not saved: copy it from here within five minutes.'));
      dialog.querySelector('header').after(notice);
      dialog.scrollTop = 0;
      notice.focus();
      left.push(dialog);
    } else dialog.remove();
  }
  // Those that are opened later, on the vault that was unlocked again, stay.
  setTimeout(() => {
    for (const dialog of left) {
      if (dialog.contains(said)) document.body.prepend(said);
      dialog.remove();
    }
  }, LEFT);
}

// A form with a button: `save` does the work; what it says of a failure is shown, and nothing that was typed is lost.
export function workForm(content, name, save) {
  const failure = element('p', { className: 'bad', role: 'alert', hidden: true });
  const submit = element('button', { type: 'submit', className: 'main' }, name);
  const form = element('form', { onsubmit: async (event) => {
    event.preventDefault();
    submit.disabled = true;
    failure.hidden = true;
    for (const wrong of form.querySelectorAll('[aria-invalid]')) wrong.removeAttribute('aria-invalid');
    try {
      await save();
    } catch (error) {
      // Nothing covers it.
      announce('');
      failure.textContent = forPeople(failureText(error));
      failure.hidden = false;
      failure.scrollIntoView({ block: 'nearest' });
      markWrong(form, error.message);
    }
    submit.disabled = false;
  } }, content, failure, element('p', {}, submit));
  // An error is hidden once the person types again.
  form.addEventListener('input', () => { failure.hidden = true; });
  return form;
}

const OPTIONS = { title: 'Title', group: 'Group', tag: 'Tags' };

// A message without keys of fields, and with names for options: those are for the command line.
function forPeople(text) {
  return text.replace(/ ?\([a-z_]+\)(?=[:：])/g, '').replace(/^--(title|group|tag)(?=[:：])/gm, (_, option) => t(OPTIONS[option]));
}

// Marks the fields that a message names: `label (key): what`, and goes to the first.
function markWrong(form, message) {
  for (const [, key] of message.matchAll(/(?:^|[(\s（])([a-z_]+)[)）]?[:：]/gm)) {
    const input = form.querySelector(`[name="${key}"]`);
    if (!input) continue;
    if (!form.querySelector('[aria-invalid]')) input.focus();
    input.setAttribute('aria-invalid', 'true');
  }
}

// Does something that a button asks for; a failure is said.
export function attempt(work) {
  return async (event) => {
    const pressed = event?.currentTarget;
    if (pressed) pressed.disabled = true;
    try {
      await work();
    } catch (error) {
      announce(failureText(error));
    }
    if (pressed) pressed.disabled = false;
  };
}
