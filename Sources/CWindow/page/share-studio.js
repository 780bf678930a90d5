// The share studio: what a copy will look like, before it goes out and is noted.

import { announce, button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { KIND } from '../../../Spec/reader/web/page/kinds-of.js';
import { label, t } from '../../../Spec/reader/web/page/words.js';
import { boxesOver } from './boxes.js';
import { suggestions } from './card-form.js';
import { attempt, openDialog, workForm } from './dialog.js';
import { linesOf } from './server.js';

// Milliseconds without another change before a preview is made: a quick one, and one as large as the copy.
const PAUSE = 60;
const LONG_PAUSE = 700;
// Pixels across of a first, quick preview.
const QUICK = 1600;

function choice(name, options, value) {
  const input = element('select', {}, options.map(([key, text]) => element('option', { value: key }, t(text))));
  input.value = value ?? options[0][0];
  return { input, box: element('label', {}, element('span', {}, name), input) };
}

// `pictures` are attachments that may be shared; the first is chosen, or all of a card.
export async function openStudio(app, pictures) {
  const past = await pastShares(app);
  const templates = linesOf(await app.server.run('watermark templates', ['--json']));
  const recipient = field(t('For whom'), { required: true });
  const purpose = field(t('What for'), { required: true });
  const until = field(t('Until (a day, or days as 30d)'), { placeholder: '30d' });
  const note = field(t('A note for yourself'), {});
  const template = choice(t('Sentence'), templates.map((one) => [one.template, label(one.template, one.label_zh)]));
  const mark = choice(t('Mark'), [['--clear', 'clear: the page is still read'], ['--strong', 'strong: harder to take off'],
    ['--light', 'light: little ink']]);
  const opacity = field(t('Ink'), { type: 'range', min: 5, max: 100, step: 1, value: 16 });
  const layout = choice(t('Page'), [['', 'the picture itself'], ['a4', 'A4, one below the other'], ['a4-grid', 'A4, two abreast']],
    pictures.length > 3 ? 'a4-grid' : pictures.length > 1 ? 'a4' : '');
  const size = choice(t('Small enough for'), [['', 'any'], ['wechat', 'WeChat: 1 MB'], ['email', 'e-mail: 5 MB']]);
  const chosen = pictures.map((entry, place) => {
    const input = element('input', { type: 'checkbox', checked: pictures.length > 1 || place === 0 });
    return { entry, input, box: element('label', { className: 'check' }, input, ` ${entry.title}`) };
  });
  const drawnOn = choice(t('Picture'), pictures.map(({ id, title }) => [id, title]));
  drawnOn.box.hidden = pictures.length < 2;
  const hiding = boxesOver(t('Hide: draw a box over what nobody is to see'), drawnOn.box);
  const view = element('div', { className: 'view', tabIndex: 0, role: 'region', 'aria-label': t('Preview') });
  const state = element('p', { className: 'quiet', role: 'status' });
  let [inkChanged, isDone] = [false, false];
  opacity.input.addEventListener('input', () => { inkChanged = true; });
  const ids = () => chosen.filter(({ input }) => input.checked).map(({ entry }) => entry.id);
  // Several pictures share a page.
  const page = () => layout.input.value || (ids().length > 1 ? 'a4-grid' : '');
  // On a page a part is named with the number of its picture.
  const hidden = () => ids().flatMap((id, place) => hiding.boxes(id).map((box) => `--hide=${page() ? `${place + 1}:` : ''}${box}`));
  const options = () => [
    `--recipient=${recipient.input.value || '…'}`, `--purpose=${purpose.input.value || '…'}`, mark.input.value, `--template=${template.input.value}`,
    until.input.value && `--until=${until.input.value}`, inkChanged && `--opacity=${opacity.input.value / 100}`,
    page() && `--layout=${page()}`, size.input.value && `--for=${size.input.value}`, ...hidden(), '--output=-',
  ].filter(Boolean);

  let [timer, shown, address] = [undefined, 0, undefined];
  const preview = () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const number = ++shown;
      state.textContent = t('Drawing …');
      try {
        if (ids().length === 0) throw new Error(t('Choose a picture'));
        // A small one at once, then the one that is as large as the copy.
        for (const width of [`--width=${QUICK}`, undefined]) {
          if (!width) await new Promise((done) => { setTimeout(done, LONG_PAUSE); });
          if (number !== shown) return;
          const given = [...options(), '--preview', width].filter(Boolean);
          const blob = await app.server.bytes('share', given, ids());
          if (number !== shown) return;
          const old = address;
          address = app.address(blob);
          view.replaceChildren(await drawn(app, blob, address));
          if (old) URL.revokeObjectURL(old);
        }
        state.textContent = '';
      } catch (error) {
        if (number === shown) state.textContent = error.message;
      }
    }, PAUSE);
  };
  const fit = button(t('Whole'), () => {
    const isFit = view.classList.toggle('fit');
    fit.setAttribute('aria-pressed', String(isFit));
  }, { className: 'small', 'aria-pressed': 'true' });
  view.classList.add('fit');
  const showOriginal = async () => {
    const id = drawnOn.input.value;
    // A box that is added before the picture is there belongs to it, and not to the one before.
    hiding.show(undefined, id);
    // The pages of a document are not drawn here: boxes are typed, and are of each page.
    const isDrawn = pictures.find((one) => one.id === id).type !== 'application/pdf';
    if (!isDrawn) return;
    const address = app.address(await app.client.call('content', { id }));
    if (drawnOn.input.value === id) hiding.show(address, id);
  };
  drawnOn.input.onchange = () => attempt(showOriginal)();
  // A sentence may name its purpose; what a person typed stays.
  let named = '';
  template.input.onchange = () => {
    const one = templates.find((each) => each.template === template.input.value);
    if (purpose.input.value !== named) return;
    named = purpose.input.value = label(one.purpose, one.purpose_zh) ?? '';
  };
  hiding.onchange = preview;
  const form = workForm([
    recipient.box, suggestions(recipient.input, 'recipients', past.map((share) => share.get('recipient'))),
    template.box,
    purpose.box, suggestions(purpose.input, 'purposes', [...templates.map((one) => label(one.purpose, one.purpose_zh)), ...past.map((share) => share.get('purpose'))]),
    until.box, mark.box, opacity.box,
    chosen.length > 1 && element('fieldset', {}, element('legend', {}, t('Pictures')), chosen.map(({ box }) => box)),
    layout.box, size.box, note.box, hiding.box,
  ], t('Download, and note it in the vault'), async () => {
    if (ids().length === 0) throw new Error(t('Choose a picture'));
    const whom = recipient.input.value.trim();
    if (whom === '' || purpose.input.value.trim() === '') throw new Error(t('Say for whom, and what for'));
    hiding.require();
    const given = [...options(), note.input.value && `--note=${note.input.value}`].filter(Boolean);
    const blob = await app.changed(() => app.server.bytes('share', given, ids()));
    await save(app, blob, `${pictures[0].title.replace(/\.[^.]*$/, '')}-${whom}`);
    isDone = true;
    announce(t('Downloaded and noted: {0}', whom));
  });
  form.addEventListener('input', () => {
    isDone = false;
    preview();
  });
  openDialog(t('Share a marked copy'), () => [element('div', { className: 'studio' }, form,
    element('div', {}, element('p', {}, fit, ' ', state), view))], {
    className: 'wide',
    isChanged: () => !isDone && (hiding.isUsed() || [recipient, purpose, until, note].some(({ input }) => input.value !== '')),
  });
  recipient.input.focus();
  preview();
  attempt(showOriginal)();
}

// The copies that were noted, the newest last.
async function pastShares(app) {
  const ids = app.entries.filter(({ kind }) => kind === KIND.share).map(({ id }) => id).slice(-200);
  return (await app.client.call('cards', { ids })).map(([, card]) => new Map(card.fields));
}

async function isDocument(blob) {
  return await blob.slice(0, 5).text() === '%PDF-';
}

async function drawn(app, blob, address) {
  if (await isDocument(blob)) {
    const typed = app.address(new Blob([blob], { type: 'application/pdf' }));
    return element('iframe', { src: typed, title: t('Preview') });
  }
  const picture = element('img', { src: address, alt: t('Preview') });
  await picture.decode();
  return picture;
}

async function save(app, blob, name) {
  const isPNG = (await blob.slice(1, 4).text()) === 'PNG';
  const ending = await isDocument(blob) ? 'pdf' : isPNG ? 'png' : 'jpg';
  element('a', { href: app.address(blob), download: `${name.replace(/[\\/:*?"<>|]/g, '_')}.${ending}` }).click();
}

