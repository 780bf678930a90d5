// The content of a file or an attachment: pictures and texts are shown, PDF goes to the browser's viewer, all else is downloaded.
// Nothing of a vault is ever shown as a page.

import { announce, button, element } from './dom.js';
import { failureText } from './app.js';
import { sizeText, t } from './words.js';

// The pictures that browsers draw without running anything, by the first bytes of the content.
const PICTURES = [
  ['image/jpeg', (bytes) => bytes[0] === 0xFF && bytes[1] === 0xD8],
  ['image/png', (bytes) => starts(bytes, '\x89PNG')],
  ['image/webp', (bytes) => starts(bytes, 'RIFF') && starts(bytes.subarray(8), 'WEBP')],
  ['image/gif', (bytes) => starts(bytes, 'GIF8')],
];
const MAX_PICTURE = 1 << 27;
const MAX_TEXT = 1 << 18;
// Files that may be text are looked at up to this size.
const LOOKED = 1 << 22;

function starts(bytes, text) {
  return [...text].every((character, place) => bytes[place] === character.charCodeAt(0));
}

async function typeOf(blob) {
  const bytes = new Uint8Array(await blob.slice(0, 16).arrayBuffer());
  const picture = PICTURES.find(([, is]) => is(bytes));
  if (picture) return picture[0];
  return starts(bytes, '%PDF-') ? 'application/pdf' : undefined;
}

// A record's content with its name, and buttons for it. A picture of a card is shown at once.
export function contentBox(app, entry) {
  const place = element('div', {});
  const bar = element('progress', { max: 1, value: 0, hidden: true, 'aria-label': t('download') });
  const read = async (use) => {
    bar.hidden = false;
    try {
      const blob = await app.client.call('content', { id: entry.id }, (share) => {
        bar.value = share;
        app.used();
      });
      await use(blob);
    } catch (error) {
      place.replaceChildren(element('p', { className: 'bad', role: 'alert' }, failureText(error)));
    }
    bar.hidden = true;
  };
  const show = () => read((blob) => preview(app, entry, blob, place));
  const seen = app.memory[`picture ${entry.id}`];
  if (seen) place.append(picture(seen, entry));
  else if (entry.type?.startsWith('image/') && entry.length <= MAX_PICTURE) show();
  return element('figure', {}, place, element('figcaption', {},
    element('span', {}, `${entry.title} · ${sizeText(entry.length)}`),
    button(t('preview'), show, { className: 'small', 'aria-label': `${t('preview')} ${entry.title}` }),
    button(t('download'), () => read((blob) => download(app, blob, entry.title)), {
      className: 'small', 'aria-label': `${t('download')} ${entry.title}`,
    }), app.fileActions?.(entry), bar));
}

async function preview(app, entry, blob, place) {
  const type = await typeOf(blob);
  if (type === 'application/pdf') {
    // In the page, so that it goes when the vault is closed.
    const address = app.address(new Blob([blob], { type }));
    place.replaceChildren(element('iframe', { src: address, title: entry.title }));
  } else if (type) {
    await showPicture(app, entry, new Blob([blob], { type }), place);
  } else {
    await showText(blob, place);
  }
}

function picture(address, entry) {
  return element('img', { src: address, alt: entry.title });
}

async function showPicture(app, entry, blob, place) {
  const address = app.address(blob);
  const shown = picture(address, entry);
  try {
    await shown.decode();
  } catch {
    await showText(blob, place);
    return;
  }
  app.memory[`picture ${entry.id}`] = address;
  place.replaceChildren(shown);
}

// The content as text, if it is that.
async function showText(blob, place) {
  const bytes = new Uint8Array(await blob.slice(0, blob.size > LOOKED ? 0 : MAX_TEXT).arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const isText = bytes.length > 0 && !/[\0-\x08\x0E-\x1F\uFFFD]/.test(text.slice(0, -1));
  place.replaceChildren(...(isText ? [element('p', { className: 'quiet' }, t('shown as text'),
    blob.size > bytes.length && ` · ${t('cut off')}`), element('pre', {}, text)] : []));
  if (!isText) announce(t('No preview of this kind: download it'));
}

// Hands a content to the browser under its name, as bytes of no kind.
function download(app, blob, name) {
  const address = app.address(new Blob([blob], { type: 'application/octet-stream' }));
  element('a', { href: address, download: name.replace(/[\\/:*?"<>|]/g, '_') }).click();
}
