// The window's page: the reader's parts, and those that change something.

import { App } from '../../../Spec/reader/web/page/app.js';
import { cardsPart } from '../../../Spec/reader/web/page/cards.js';
import { Client } from '../../../Spec/reader/web/page/client.js';
import { announce, button, element } from '../../../Spec/reader/web/page/dom.js';
import { filesPart } from '../../../Spec/reader/web/page/files.js';
import { fundsPart } from '../../../Spec/reader/web/page/funds.js';
import { KIND } from '../../../Spec/reader/web/page/kinds-of.js';
import { historyPart } from '../../../Spec/reader/web/page/history.js';
import { householdPart } from '../../../Spec/reader/web/page/household.js';
import { settingsPart } from '../../../Spec/reader/web/page/settings.js';
import { factsOf, unlockView } from '../../../Spec/reader/web/page/start.js';
import { addWords, t } from '../../../Spec/reader/web/page/words.js';
import { attachmentActions, cardActions, dropOnto, withAdding } from './actions.js';
import { appsPart } from './apps.js';
import { createView, endedView } from './beginning.js';
import { dashboardBox } from './dashboard.js';
import { attempt, closeDialogs, endDialogs } from './dialog.js';
import { withUploads } from './files.js';
import { withFundTable } from './fund-table.js';
import { homePart } from './home.js';
import { withMonth } from './month.js';
import { saveActions } from './save-changes.js';
import { settingActions, withSettings } from './settings-form.js';
import { readShapes } from './shapes.js';
import { safetyPart } from './safety.js';
import { CommandFailure, linesOf, Server, ServerFailure } from './server.js';
import { sharesPart } from './shares.js';
import { withTrash } from './trash.js';
import { CHINESE } from './words.js';

const PARTS = [
  ['Home', homePart], ['Cards', withAdding(cardsPart)], ['Files', withUploads(filesPart)],
  ['Funds', withFundTable(withAdding(fundsPart, ['fund', 'holding']))],
  ['Household', withMonth(withAdding(householdPart, ['asset', 'policy']))], ['Apps', withAdding(appsPart, ['app'])],
  ['Shares', sharesPart], ['Settings', withSettings(settingsPart)],
  ['History', withTrash(historyPart)], ['Safety', safetyPart],
];
// Milliseconds after which the session is told that somebody is there.
const RENEWAL = 60000;
// Times that a connection may break before the server is taken for gone.
const RETRIES = 3;

export class WindowApp extends App {
  constructor(root, makeWorker) {
    super(root, makeWorker, PARTS);
    this.server = new Server();
    addWords(CHINESE);
    addEventListener('pagehide', () => {
      this.isLeaving = true;
      this.server.goodbye();
    });
    // A browser may keep a page that was left, and show it again.
    addEventListener('pageshow', ({ persisted }) => {
      this.isLeaving = false;
      if (persisted) this.begin();
    });
  }

  // Shows what the server has: a vault to open, or none yet.
  async begin(message) {
    try {
      await this.server.enter();
      const state = await this.server.state();
      if (state.is_unlocked) await this.server.lock();
      await this.connect(state, message);
    } catch (error) {
      this.ended(error);
    }
  }

  async connect(state, message) {
    this.reset();
    const client = new Client(this.makeWorker);
    Object.assign(this, { client, state, name: state.name });
    document.title = state.name;
    if (state.file === null) {
      this.show(() => createView(this, message));
    } else {
      try {
        this.info = await client.call('connect', this.place(state));
      } catch (error) {
        if (this.client !== client) return;
        const now = await this.server.state();
        // Another file may have come into its place at that moment.
        if (now.version !== state.version) await this.connect(now, message);
        else this.show(() => endedView(this, error.message));
        return;
      }
      if (this.client !== client) return;
      this.show(() => unlockView(this, message));
    }
    this.used();
    this.watch(client);
  }

  reset() {
    this.watching?.abort();
    super.reset();
  }

  place({ file, size }) { return { origin: location.origin, key: this.server.key, file, size }; }

  // Waits for changes of the file, whoever makes them, as long as this client is at work.
  async watch(client) {
    // A browser has few connections to a server: one that nobody waits for any more is given back.
    const { signal } = this.watching = new AbortController();
    let failures = 0;
    while (this.client === client) {
      try {
        const state = await this.server.changes(this.state.version, signal);
        if (this.client !== client) return;
        if (this.isOpen && !state.is_unlocked) this.lock(t('The session has ended'));
        else if (state.version !== this.state.version) await this.noticed();
        failures = 0;
      } catch (error) {
        if (this.client !== client) return;
        failures++;
        if (error instanceof ServerFailure || failures > RETRIES) {
          this.ended(error);
          return;
        }
        await new Promise((done) => { setTimeout(done, 1000); });
      }
    }
  }

  // The file has changed: by this page, which shows it then, or by another program.
  async noticed() {
    await this.changing;
    const { client } = this;
    const state = await this.server.state();
    if (this.client !== client || state.version === this.state.version) return;
    if (this.isOpen) await this.refresh();
    else await this.reconnect(state);
    if (this.isOpen) announce(t('Another program has changed the vault: this is the newest'));
  }

  // The file has changed before it was opened: what is being typed stays.
  async reconnect(state) {
    const facts = document.getElementById('facts');
    try {
      if (!facts) throw new Error('another page');
      this.info = await this.client.call('connect', this.place(state));
      this.state = state;
      facts.replaceWith(factsOf(this));
    } catch {
      await this.connect(state);
    }
  }

  // Reads the vault anew. What was read of cards that are as they were is kept.
  refresh() {
    const { client } = this;
    // What a save did is done, also where it cannot be shown anew: `watch` tells when the server is gone.
    this.refreshing = (this.refreshing ?? Promise.resolve()).then(() => this.readUntilSettled(client))
      .catch((error) => announce(error.message));
    return this.refreshing;
  }

  async readUntilSettled(client) {
    for (let attempt = 1; this.client === client && this.isOpen; attempt++) {
      const state = await this.server.state();
      if (state.file === null) {
        this.lock(t('The vault is no longer where it was'), endDialogs);
        return;
      }
      try {
        await this.readAnew(client, state);
        return;
      } catch (error) {
        // Another program may have put another file in its place meanwhile, or be about to.
        const now = await this.server.state();
        const mayPass = attempt < RETRIES * 2 && (now.version !== state.version || now.file !== state.file);
        if (!mayPass && this.client === client) {
          this.lock(t('The vault has other keys now, or cannot be read: {0}', t(error.message)), endDialogs);
        }
      }
    }
  }

  async readAnew(client, state) {
    const { entries, saves, warnings } = await client.call('reconnect', this.place(state));
    if (this.client !== client) return;
    const isNewest = this.isNewest;
    Object.assign(this, { state, saves, warnings });
    if (isNewest) {
      this.keepValues(entries);
      Object.assign(this, { entries, save: saves[0].number });
    } else {
      // The engine reads from the save that is shown.
      this.entries = await client.call('at', { save: this.save });
    }
    this.draw();
  }

  // Fields that were read, of cards that have not changed since; what else was remembered is asked for anew.
  keepValues(entries) {
    const old = new Map(this.entries.map((entry) => [entry.id, entry]));
    const { values = new Map(), asked = new Set() } = this.memory;
    const kept = entries.filter(({ id, first }) => values.has(id) && old.get(id)?.first === first).map(({ id }) => id);
    const series = (all, name) => all.filter(({ kind, title }) => kind === KIND.series && title.startsWith(name))
      .map(({ id, first }) => `${id} ${first}`).sort().join();
    const isSame = (key) => key.startsWith('series ') && series(entries, key.slice(7)) === series(this.entries, key.slice(7));
    const stays = Object.entries(this.memory).filter(([key]) => /^(query|count|folder|span|kind|figure|order)/.test(key) || isSame(key));
    this.memory = Object.fromEntries(stays);
    if (asked.size === 0) return;
    this.memory.values = new Map(kept.map((id) => [id, values.get(id)]));
    this.memory.asked = new Set(kept);
  }

  // Opens the vault here, to be read, and with the command, to be changed.
  async unlock(given) {
    try {
      const { said } = await this.server.unlock(given);
      this.shapes = readShapes(linesOf(await this.server.run('card kinds', ['--json'])));
      await super.unlock(given);
      // The back key leads home before it leaves the page.
      history.pushState(0, '');
      // The first page shows what is due.
      const news = said.split('\n').filter((line) => !line.includes('qvault due')).join('\n');
      if (news) announce(news);
      // Each part asks for its data now, before somebody looks at it.
      setTimeout(() => { if (this.isOpen) this.readAhead(); });
    } catch (error) {
      if (error instanceof CommandFailure) throw new Error(error.whole);
      if (this.isOpen) throw error;
      await this.server.lock();
      throw error;
    }
  }

  // Asks for the data of all parts. The page is drawn anew only for data of the part that is shown.
  readAhead() {
    const { wanted } = this;
    this.wanted = new Set();
    for (const [, part] of this.parts) part(this);
    this.wanted = wanted;
  }

  wentBack() {
    if (!this.isOpen || this.chosen !== undefined) {
      super.wentBack();
    } else if (this.part !== 0) {
      history.pushState(0, '');
      this.part = 0;
      this.draw();
    }
  }

  // `closeForms` takes forms away with what was typed in them, or leaves that to be copied.
  lock(message, closeForms = closeDialogs) {
    if (!this.client) return;
    closeForms(message);
    const wasOpen = this.isOpen;
    this.reset();
    this.root.replaceChildren();
    // The server ends the session of a page that is gone, and nothing is asked of it any more.
    if (this.isLeaving) return;
    // A server that is not reached ends by itself, and the session with it.
    if (wasOpen) this.server.lock().catch(() => undefined);
    this.begin(message);
  }

  ended(error) {
    endDialogs(t('This window has ended. In a terminal, {0} opens a new one.', 'qvault open'));
    this.reset();
    this.show(() => endedView(this, error.message));
  }

  used() {
    super.used();
    if (!this.isOpen || Date.now() - (this.renewed ?? 0) < RENEWAL) return;
    this.renewed = Date.now();
    // Whether the session is there still is for `watch` to notice.
    this.server.use().catch(() => undefined);
  }

  // Another file cannot be chosen here.
  otherFile() { return undefined; }

  aside() {
    return this.isNewest && button(t('Undo'), attempt(() => this.undo()), { className: 'small', id: 'undo' });
  }

  // Takes the last save back, and says what that was.
  async undo() {
    const [save] = linesOf(await this.changed(() => this.server.run('undo', ['--json'])));
    const paths = save.changes.map(({ path, change }) => `${path} (${t(change === 'changed' ? 'Change' : change)})`);
    announce(t('Taken back; once more redoes it: {0}', paths.join(', ')));
  }

  dashboard() { return this.isNewest ? dashboardBox(this) : undefined; }

  cardActions(entry) { return this.isNewest ? cardActions(this, entry) : undefined; }

  fileActions(entry) { return this.isNewest ? attachmentActions(this, entry) : undefined; }

  settingActions(name, setting) { return this.isNewest ? settingActions(this, name, setting) : undefined; }

  saveActions(save) { return saveActions(this, save); }

  get isNewest() { return this.save === this.saves[0]?.number; }

  dropped(files) { if (this.isOpen && files.length > 0) dropOnto(this, files); }

  // Runs a verb that changes the vault, shows the vault anew, and says what was said.
  async change(verb, options = [], operands = [], files = []) {
    const outcome = await this.changed(() => this.server.run(verb, options, operands, files));
    announce(outcome.said || t('Saved'));
    return outcome;
  }

  // Does something that changes the vault, and shows the vault anew, also where it failed in part.
  async changed(work) {
    const doing = (async () => {
      try {
        return await work();
      } finally {
        await this.refresh();
      }
    })();
    // Its failure is for who asked; others only wait for the end.
    this.changing = doing.catch(() => undefined);
    return doing;
  }
}
