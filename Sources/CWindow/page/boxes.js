// Boxes that are drawn over a picture, with the pointer or by numbers.

import { button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { label, t } from '../../../Spec/reader/web/page/words.js';

// Percent of the picture that a box has at least.
const LEAST = 0.5;

// A place to draw boxes: `box` is its element, `show` gives it a picture, if there is one to draw on, with a key, `boxes(key)` are the x,y,w,h of that picture
// in percent. `choice` stands above it.
export function boxesOver(name, choice) {
  const canvas = element('div', { className: 'boxes' });
  const list = element('ul', {});
  const all = new Map();
  // The texts of boxes that were typed wrong, by the box as it was.
  const wrong = new Map();
  const made = { onchange: () => undefined, boxes: (key) => (all.get(key) ?? []).map((one) => one.map(round).join(',')) };
  let boxes = [];
  let start;

  const draw = (current) => {
    for (const old of canvas.querySelectorAll('span')) old.remove();
    for (const [x, y, width, height] of current ? [...boxes, current] : boxes) {
      const over = element('span', {});
      Object.assign(over.style, { left: `${x}%`, top: `${y}%`, width: `${width}%`, height: `${height}%` });
      canvas.append(over);
    }
  };
  const redraw = () => {
    draw();
    list.replaceChildren(...boxes.map((one, place) => element('li', {}, numbers(one, place), ' ', button(t('Take away'), () => {
      boxes.splice(place, 1);
      changed();
    }, { className: 'small', 'aria-label': `${t('Take away')} ${place + 1}` }))));
  };
  const changed = () => {
    redraw();
    made.onchange();
  };
  // The four numbers of a box can be typed.
  const numbers = (one, place) => {
    const input = field(label(`box ${place + 1}: x, y, width, height in %`, `第 ${place + 1} 块：左、上、宽、高（%）`), {
      value: wrong.get(one) ?? one.map(round).join(','),
    });
    if (wrong.has(one)) input.input.setAttribute('aria-invalid', 'true');
    const take = () => {
      const values = input.input.value.normalize('NFKC').split(/[,\s]+/).map(Number);
      const [x, y, width, height] = values;
      const isBox = values.length === 4 && x >= 0 && y >= 0 && width >= LEAST && height >= LEAST && x + width <= 100 && y + height <= 100;
      input.input.setAttribute('aria-invalid', String(!isBox));
      if (!isBox) {
        wrong.set(one, input.input.value);
        return;
      }
      boxes[place] = values;
      changed();
    };
    input.input.onchange = take;
    // The form is not sent from here: what is hidden is looked at first.
    input.input.onkeydown = (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      take();
    };
    return input.box;
  };
  const at = (event) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const part = (value, all) => Math.max(0, Math.min(100, 100 * value / all));
    return [part(event.clientX - left, width), part(event.clientY - top, height)];
  };
  const between = ([x, y], [u, v]) => [Math.min(x, u), Math.min(y, v), Math.abs(x - u), Math.abs(y - v)];
  canvas.onpointerdown = (event) => {
    start = at(event);
    canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
  };
  canvas.onpointermove = (event) => { if (start) draw(between(start, at(event))); };
  canvas.onpointerup = (event) => {
    if (!start) return;
    const box = between(start, at(event));
    start = undefined;
    if (box[2] >= LEAST && box[3] >= LEAST) boxes.push(box);
    changed();
  };
  made.isUsed = () => [...all.values()].some((one) => one.length > 0);
  // Throws where numbers that were typed are no box.
  made.require = () => {
    const left = [...all.values()].flat().find((one) => wrong.has(one));
    if (left) throw new Error(t('A box has four numbers from 0 to 100 within the picture: {0}', wrong.get(left)));
  };
  made.show = (address, key) => {
    if (!all.has(key)) all.set(key, []);
    boxes = all.get(key);
    canvas.replaceChildren(...(address ? [element('img', { src: address, alt: name, draggable: false })] : []));
    redraw();
  };
  made.box = element('fieldset', {}, element('legend', {}, name), choice, canvas,
    button(t('Add a box'), () => {
      boxes.push([40, 40, 20, 10]);
      changed();
    }, { className: 'small' }), list);
  return made;
}

function round(value) {
  return Math.round(value * 100) / 100;
}
