// Elements of the page. Text from a vault only ever becomes text: nothing here parses HTML.

// An element: `properties` are set on it (`on…` are listeners, names with a dash are attributes);
// children are elements, texts, or arrays of them; what is undefined or false is left out.
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  setProperties(made, properties);
  for (const child of kept(children)) made.append(child);
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

// The same for a drawing, whose properties are attributes.
export function drawing(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  for (const child of kept(children)) made.append(child);
  return made;
}

function kept(children) {
  return children.flat(9).filter((child) => child !== undefined && child !== false && child !== '');
}

function setProperties(made, properties) {
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (key.includes('-') || key === 'role') made.setAttribute(key, value);
    else made[key] = value;
  }
}

export function button(text, onclick, properties = {}) {
  return element('button', { type: 'button', onclick, ...properties }, text);
}

// Milliseconds for which something is said.
const SHOWN = 6000;
let forgetting;

// Says something to who looks and to who listens.
export function announce(text) {
  const place = document.getElementById('said');
  place.textContent = text;
  clearTimeout(forgetting);
  forgetting = setTimeout(() => { place.textContent = ''; }, SHOWN);
}

// A labelled input.
export function field(label, properties) {
  const input = element('input', { autocomplete: 'off', spellcheck: false, ...properties });
  return { input, box: element('label', {}, element('span', {}, label), input) };
}
