// Straightening a photo of a card: its four corners are found, and can be moved.

import { drawing, element, field } from '../../../Spec/reader/web/page/dom.js';
import { t } from '../../../Spec/reader/web/page/words.js';
import { openDialog, workForm } from './dialog.js';

const NAMES = ['upper left', 'upper right', 'lower right', 'lower left'];
// Pixels of the photo's longer side, over which an arrow key moves a corner by one.
const STEPS = 400;

// Corners from the line that the command prints: name, x,y eight times, width and height.
function foundIn(text) {
  return /(\d+(?:,\d+){7}) {2}\d+x\d+/.exec(text)?.[1].split(',').map(Number);
}

export async function openStraightening(app, entry) {
  const address = app.address(await app.client.call('content', { id: entry.id }));
  const picture = element('img', { src: address, alt: entry.title, draggable: false });
  await picture.decode();
  const { naturalWidth: width, naturalHeight: height } = picture;
  const [dx, dy] = [width / 10, height / 10];
  let isMoved = false;
  let corners = [dx, dy, width - dx, dy, width - dx, height - dy, dx, height - dy];
  const state = element('p', { className: 'quiet', role: 'status' }, t('Looking for the card …'));
  const outline = drawing('polygon', {});
  const radius = Math.max(width, height) / 40;
  const handles = NAMES.map((name, place) => {
    const handle = drawing('circle', {
      r: radius, tabindex: 0, role: 'slider', 'aria-label': t(name), 'aria-valuetext': '',
    });
    handle.onpointerdown = (event) => {
      handle.setPointerCapture(event.pointerId);
      handle.dataset.moves = 'true';
      event.preventDefault();
    };
    handle.onpointermove = (event) => { if (handle.dataset.moves) move(place, ...pointAt(event)); };
    handle.onpointerup = () => { delete handle.dataset.moves; };
    handle.onkeydown = (event) => {
      const step = Math.max(1, Math.max(width, height) / STEPS);
      const way = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
      if (!way) return;
      event.preventDefault();
      move(place, corners[2 * place] + way[0], corners[2 * place + 1] + way[1]);
    };
    return handle;
  });
  const layer = drawing('svg', { viewBox: `0 0 ${width} ${height}`, class: 'corners' }, outline, handles);

  function pointAt(event) {
    const box = layer.getBoundingClientRect();
    return [(event.clientX - box.left) * width / box.width, (event.clientY - box.top) * height / box.height];
  }
  function move(place, x, y) {
    isMoved = true;
    corners[2 * place] = Math.max(0, Math.min(width, x));
    corners[2 * place + 1] = Math.max(0, Math.min(height, y));
    draw();
  }
  function draw() {
    outline.setAttribute('points', corners.map((value) => value.toFixed(1)).join(' '));
    handles.forEach((handle, place) => {
      const [x, y] = [corners[2 * place], corners[2 * place + 1]].map(Math.round);
      handle.setAttribute('cx', x);
      handle.setAttribute('cy', y);
      handle.setAttribute('aria-valuetext', `${x}, ${y}`);
    });
  }
  draw();
  const turn = element('select', {}, [0, 90, 180, 270].map((degrees) => element('option', { value: degrees }, `${degrees}°`)));
  const name = field(t('Keep it beside the photo, under this name (else as its new version)'), {});
  openDialog(t('Straighten'), (close) => [
    element('p', { className: 'quiet' }, t('Move the four corners onto the corners of the card. Arrow keys move the one that is chosen.')),
    state, element('div', { className: 'photo' }, picture, layer),
    workForm([element('label', {}, element('span', {}, t('Then turn it clockwise')), turn), name.box], t('Save'), async () => {
      const options = [`--corners=${corners.map((value) => Math.round(value)).join(',')}`,
        turn.value !== '0' && `--turn=${turn.value}`, name.input.value && `--as=${name.input.value}`].filter(Boolean);
      await app.change('attach straighten', options, [entry.id]);
      close();
    })], { className: 'wide' });
  try {
    const { output } = await app.server.run('attach straighten', ['--dry-run'], [entry.id]);
    const found = foundIn(output);
    if (found && !isMoved) corners = found;
    state.textContent = found ? t('This card was found.') : '';
    draw();
  } catch (error) {
    state.textContent = t('No card is found by itself: {0}', error.message);
  }
}

