// Before a vault is open: choosing its file, and the secret that opens it.

import { failureText } from './app.js';
import { verifyBox } from './check.js';
import { announce, button, element, field } from './dom.js';
import { sizeText, t } from './words.js';

export function startView(app, message) {
  const input = element('input', { type: 'file', className: 'hidden', id: 'choose' });
  input.onchange = () => { if (input.files[0]) app.load(input.files[0], input.files[0].name); };
  const drop = element('label', { className: 'drop' }, t('Choose a vault, or drop it here'), input);
  drop.ondragover = () => drop.classList.add('over');
  drop.ondragleave = () => drop.classList.remove('over');
  drop.ondrop = () => drop.classList.remove('over');
  return [element('main', { className: 'start' },
    element('h1', {}, t('QuickVault reader')),
    element('p', { className: 'quiet' },
      t('Opens a vault on this device. Nothing leaves this page: it has no network.')),
    message && element('p', { className: 'notice', role: 'alert' }, message), drop,
    element('p', {}, app.languageButton()))];
}

const KINDS = [['password', 'Password'], ['recovery', 'Recovery key'], ['identity', 'Identity']];

export function unlockView(app, message) {
  const kind = app.memory.kind ?? 'password';
  const chosen = { password: passwordForm, recovery: recoveryForm, identity: identityForm }[kind](app);
  const failure = element('p', { className: 'bad', role: 'alert' });
  const submit = element('button', { type: 'submit', className: 'main' }, t('Open'));
  const form = element('form', { onsubmit: (event) => {
    event.preventDefault();
    open(app, { kind, ...chosen.given() }, submit, failure);
  } }, chosen.boxes, submit, failure);
  const tabs = KINDS.map(([name, text]) => button(t(text), () => {
    app.memory.kind = name;
    app.draw();
  }, { className: 'small', 'aria-pressed': String(name === kind) })).flatMap((one) => [one, ' ']);
  queueMicrotask(() => chosen.first.focus());
  return [element('main', { className: 'start' },
    element('h1', {}, app.name), message && element('p', { className: 'notice', role: 'alert' }, message),
    factsOf(app),
    element('p', {}, t('{0}: {1}', t('Opens with'), ''), tabs), form,
    element('h2', {}, t('Check without a key')), verifyBox(app, ['none', 'audit']),
    element('p', {}, app.otherFile(), ' ', app.languageButton()))];
}

// What can be said of a file without a key.
export function factsOf({ info }) {
  return element('p', { className: 'quiet', id: 'facts' },
    [sizeText(info.size), t('save {0}', info.sequence), t('{0}: {1}', t('Fingerprint'), info.words)].join(' · '));
}

async function open(app, promised, submit, failure) {
  const given = { ...promised };
  submit.disabled = true;
  failure.textContent = '';
  announce(t('Opening …'));
  submit.textContent = t('Opening …');
  try {
    for (const [key, value] of Object.entries(given)) given[key] = await value;
    await app.unlock(given);
  } catch (error) {
    announce('');
    failure.textContent = failureText(error);
    submit.textContent = t('Open');
    submit.disabled = false;
  }
}

function bytesOf(text) {
  return new TextEncoder().encode(text);
}

async function fileBytes(input) {
  return input.files[0] ? new Uint8Array(await input.files[0].arrayBuffer()) : undefined;
}

function passwordForm() {
  const password = field(t('Password'), { type: 'password', required: true });
  const keyfile = field(t('Keyfile (if the vault has one)'), { type: 'file' });
  return {
    first: password.input,
    boxes: [password.box, keyfile.box],
    given: () => ({ password: bytesOf(password.input.value), keyfile: fileBytes(keyfile.input) }),
  };
}

function recoveryForm() {
  const lines = element('textarea', { required: true, autocomplete: 'off', spellcheck: false, rows: 4 });
  const boxes = [element('label', {}, element('span', {}, t('The four lines of the recovery key')), lines)];
  if ('BarcodeDetector' in globalThis) {
    const picture = field(t('Read its QR code from a picture'), { type: 'file', accept: 'image/*' });
    picture.input.onchange = async () => {
      const codes = await new globalThis.BarcodeDetector({ formats: ['qr_code'] })
        .detect(await createImageBitmap(picture.input.files[0])).catch(() => []);
      if (codes[0]) lines.value = codes[0].rawValue;
      else announce(t('No QR code is read in the picture'));
    };
    boxes.push(picture.box);
  }
  return { first: lines, boxes, given: () => ({ text: bytesOf(fourLines(lines.value)) }) };
}

// The key's lines; typed as one line they are told apart by their nine characters, with or without numbers.
function fourLines(text) {
  if (text.trim().includes('\n')) return text;
  const match = /^\s*(?:1[ .:)]+)?(.*?)\s*$/s.exec(text);
  const signs = match[1].replace(/[\s-]/g, '');
  if (signs.length === 36) return [0, 1, 2, 3].map((i) => `${i + 1} ${signs.slice(9 * i, 9 * i + 9)}`).join('\n');
  if (signs.length !== 39) return text;
  // The numbers of the lines stand between them.
  const bare = [0, 1, 2, 3].map((i) => signs.slice(10 * i, 10 * i + 9));
  return bare.map((line, i) => `${i + 1} ${line}`).join('\n');
}

function identityForm() {
  const file = field(t('Identity file'), { type: 'file', required: true });
  return { first: file.input, boxes: [file.box], given: () => ({ text: fileBytes(file.input) }) };
}
