// The page around a vault: choosing a file, opening it, its parts, and closing it again.

import { Client } from './client.js';
import { cardsPart } from './cards.js';
import { checkPart } from './check.js';
import { announce, button, element } from './dom.js';
import { filesPart } from './files.js';
import { fundsPart } from './funds.js';
import { historyPart } from './history.js';
import { householdPart } from './household.js';
import { settingsPart } from './settings.js';
import { startView, unlockView } from './start.js';
import { isChinese, setLanguage, t, timeText } from './words.js';

// Minutes without use after which the vault is closed.
const IDLE_MINUTES = 5;
const USES = ['pointerdown', 'pointermove', 'keydown', 'scroll', 'touchstart'];

// The parts of an open vault: a name, and what draws it.
export const PARTS = [
  ['Cards', cardsPart], ['Files', filesPart], ['Funds', fundsPart], ['Household', householdPart],
  ['Settings', settingsPart], ['History', historyPart], ['Check', checkPart],
];

export class App {
  // `root` gets the page; `makeWorker` gives a worker that runs the engine.
  constructor(root, makeWorker, parts = PARTS) {
    Object.assign(this, { root, makeWorker, parts });
    this.addresses = new Set();
    this.ticks = new Set();
    // Keys of `remembered` that were asked for since the page was drawn.
    this.wanted = new Set();
    this.reset();
  }

  start() {
    setLanguage(navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en');
    for (const name of USES) addEventListener(name, () => this.used(), { passive: true, capture: true });
    addEventListener('pagehide', () => this.lock());
    document.addEventListener('visibilitychange', () => { if (this.client) this.lockIfIdle(); });
    addEventListener('popstate', () => this.wentBack());
    // What is pressed stays where it is until the click is over.
    addEventListener('pointerdown', () => { this.isPressed = true; }, true);
    for (const name of ['pointerup', 'pointercancel']) addEventListener(name, () => this.released(), true);
    // A file that is dropped beside its place would take the page's.
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
      event.preventDefault();
      this.dropped([...event.dataTransfer.files]);
    });
    this.begin();
  }

  begin() {
    this.showStart(globalThis.crypto?.subtle ? undefined
      : t('This browser has no WebCrypto here: open the page from a file or by https'));
  }

  dropped([file]) {
    if (file && !this.isOpen) this.load(file, file.name);
  }

  reset() {
    this.client?.close();
    this.client = undefined;
    clearTimeout(this.timer);
    this.stopTicking();
    for (const address of this.addresses) URL.revokeObjectURL(address);
    this.addresses.clear();
    Object.assign(this, {
      name: '', info: undefined, entries: [], saves: [], save: undefined, part: 0, chosen: undefined, memory: {},
      elements: {},
      isOpen: false, lastUse: Date.now(),
    });
  }

  // Closes the vault: the worker ends, and the page shows nothing of it any more.
  lock(message) {
    if (!this.client) return;
    this.reset();
    this.showStart(message ?? t('Locked'));
  }

  used() {
    clearTimeout(this.timer);
    if (!this.client || this.lockIfIdle()) return;
    this.lastUse = Date.now();
    this.timer = setTimeout(() => this.lockIfIdle(true), IDLE_MINUTES * 60000);
  }

  // A timer stands still while the machine sleeps; the clock does not.
  lockIfIdle(isOver = Date.now() - this.lastUse >= IDLE_MINUTES * 60000) {
    if (isOver) this.lock(t('The vault was closed after five minutes without use'));
    return isOver;
  }

  // An address of a Blob, which goes when the vault is closed.
  address(blob) {
    const address = URL.createObjectURL(blob);
    this.addresses.add(address);
    return address;
  }

  // Calls each second, until the page is drawn anew.
  everySecond(tick) {
    this.ticks.add(setInterval(tick, 1000));
    tick();
  }

  stopTicking() {
    for (const tick of this.ticks) clearInterval(tick);
    this.ticks.clear();
  }

  languageButton() {
    const inputs = () => [...this.root.querySelectorAll('input, textarea')];
    return button(isChinese() ? 'English' : '中文', () => {
      // Typed texts and chosen files stay.
      const old = inputs();
      setLanguage(isChinese() ? 'en' : 'zh');
      this.draw();
      inputs().forEach((input, place) => {
        const key = input.type === 'file' ? 'files' : 'value';
        if (input.type === old[place]?.type) input[key] = old[place][key];
      });
    }, { className: 'small', lang: isChinese() ? 'en' : 'zh' });
  }

  released() {
    this.isPressed = false;
    if (this.mustDraw) setTimeout(() => this.draw());
  }

  // Draws the page anew; what a person types in, and where the page stands, stays.
  draw() {
    const { id, selectionStart } = document.activeElement ?? {};
    const place = scrollY;
    this.mustDraw = this.isPressed;
    if (this.isPressed) return;
    this.stopTicking();
    this.wanted.clear();
    this.view();
    scrollTo(0, place);
    const focused = id ? document.getElementById(id) : undefined;
    if (!focused || focused === document.activeElement) return;
    focused.focus({ preventScroll: true });
    if (selectionStart !== null) focused.setSelectionRange?.(selectionStart, selectionStart);
  }

  show(view) {
    this.view = () => this.root.replaceChildren(...view());
    this.view();
  }

  showStart(message) {
    document.title = t('QuickVault reader');
    this.show(() => startView(this, message));
    if (message) announce(message);
  }

  // Takes a file that was chosen or dropped.
  async load(blob, name) {
    this.reset();
    const client = new Client(this.makeWorker);
    this.client = client;
    this.used();
    try {
      const info = await client.call('load', { blob });
      if (this.client !== client) return;
      this.info = info;
    } catch (error) {
      // Another file was chosen meanwhile.
      if (this.client !== client) return;
      this.reset();
      const isOther = error.verdict === 'not-a-vault';
      this.showStart(t('{0}: {1}', name, isOther ? t('This file is no vault') : failureText(error)));
      return;
    }
    this.name = name;
    document.title = name;
    this.show(() => unlockView(this));
  }

  // Opens the vault with what a person gave.
  async unlock(given) {
    const { entries, saves, warnings } = await this.client.call('unlock', given);
    Object.assign(this, { entries, saves, warnings, save: saves[0].number, isOpen: true, memory: {} });
    announce('');
    history.replaceState(0, '');
    this.showVault();
  }

  showVault() { this.show(() => this.vaultView()); }

  vaultView() {
    const part = this.parts[this.part];
    const tabs = this.parts.map(([name], place) => button(t(name), () => {
      this.part = place;
      this.leaveRecord();
    }, { id: `tab-${place}`, role: 'tab', 'aria-selected': String(place === this.part) }));
    const isNewest = this.save === this.saves[0].number;
    const notice = isNewest ? undefined : element('div', { className: 'notice' },
      t('You see the vault as it was after save {0}, {1}', this.save, this.saveTime()), ' ',
      button(t('Back to the newest'), () => this.showSave(this.saves[0].number), { className: 'small' }));
    const warnings = this.warnings.map((text) => element('div', { className: 'notice warn' }, text));
    return [
      element('header', { className: 'top' },
        element('h1', {}, this.name), this.aside(), this.languageButton(),
        button(t('Lock'), () => this.lock(), { className: 'small' }),
        element('nav', { role: 'tablist', 'aria-label': t('QuickVault reader') }, tabs)),
      element('div', {}, notice, warnings),
      element('main', { className: this.chosen === undefined ? 'body' : 'body chosen' }, part[1](this)),
    ];
  }

  otherFile() { return button(t('Choose another file'), () => this.lock(''), { className: 'small' }); }

  // What stands beside the name of an open vault.
  aside() { return element('span', { className: 'quiet' }, t('Read only')); }

  saveTime() {
    const save = this.saves.find(({ number }) => number === this.save);
    return save ? timeText(save.time) : '';
  }

  // Shows a part of the vault as it was after a save.
  async showSave(number, part = this.part) {
    try {
      this.entries = await this.client.call('at', { save: number });
    } catch (error) {
      announce(failureText(error));
      return;
    }
    Object.assign(this, { save: number, part, memory: {} });
    this.leaveRecord();
  }

  // Shows the list alone again; the browser's history goes along.
  leaveRecord() {
    if (this.chosen === undefined) this.draw();
    else history.back();
  }

  // Shows one record beside the list; the browser's back key leads to the list.
  choose(id) {
    if (this.chosen === undefined) history.pushState(1, '');
    this.chosen = id;
    this.draw();
    if (matchMedia('(max-width: 760px)').matches) scrollTo(0, 0);
    document.getElementById('chosen')?.focus();
  }

  wentBack() {
    if (!this.isOpen || this.chosen === undefined) return;
    this.chosen = undefined;
    this.draw();
  }

  // An element that stays what it is while the page is drawn anew, until the vault is closed.
  kept(key, make) { return this.elements[key] ??= make(); }

  // Something that is asked of the engine once, for the save that is shown: its value, or undefined until it is there.
  // The page is drawn again then, if it shows it.
  remembered(key, ask) {
    const { memory } = this;
    this.wanted.add(key);
    if (!(key in memory)) {
      memory[key] = { value: undefined };
      ask().then(
        (value) => { memory[key].value = value; },
        (error) => { memory[key].error = failureText(error); },
      ).then(() => { if (memory === this.memory && this.wanted.has(key)) this.draw(); });
    }
    return memory[key];
  }
}

// A failure as people read it.
export function failureText(error) {
  if (error.verdict === 'wrong-key') return t('The password, or the key, is not one of this vault');
  return error.verdict ? t('{0}: {1}', t(error.verdict), t(error.message)) : error.message;
}
