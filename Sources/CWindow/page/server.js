// The page's side of the server: calls that answer with promises (product/window.md, 3).

import { isChinese, t } from '../../../Spec/reader/web/page/words.js';

// A command failed: its exit code and its messages.
export class CommandFailure extends Error {
  constructor({ exit, said }, names) {
    super(plain(said, names));
    // With its hints.
    Object.assign(this, { exit, whole: said.trim().replace(/^qvault: /gm, '') });
  }
}

// The server did not answer, or refused.
export class ServerFailure extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

// The words of the command, without its name before them, and without hints: those speak of its options.
export function plain(said, names = []) {
  const named = said.replace(/\/dev\/fd\/(\d+)/g, (path, number) => names[number - FIRST] ?? t('file'));
  return named.trim().split('\n').map((line) => line.replace(/^qvault: /, '')).filter((line) => !/^(hint: |提示：)/.test(line)).join('\n');
}

// The objects of JSON Lines.
export function linesOf({ output }) {
  return output.split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

const DONE_IN_PART = 1;
// The number under which a command finds its first file.
const FIRST = 4;
const encoder = new TextEncoder();

// The place of the page's key in the storage of this tab, which no other origin reads: another port is another origin.
const KEY = 'key';

export class Server {
  // Exchanges the token of the address for the page's key; a page that is loaded again has it already.
  async enter() {
    const token = location.hash.slice(1);
    if (token === '') return;
    history.replaceState(null, '', '/');
    const answer = await fetch('/enter', { method: 'POST', headers: { 'X-Window': token } });
    if (!answer.ok) throw new ServerFailure(answer.status, await answer.text());
    sessionStorage.setItem(KEY, (await answer.json()).key);
  }

  get key() { return sessionStorage.getItem(KEY) ?? ''; }

  async #ask(method, path, given = {}, body = undefined, signal = undefined) {
    const query = new URLSearchParams({ lang: isChinese() ? 'zh' : 'en', ...given });
    const answer = await fetch(`${path}?${query}`, { method, body, signal, headers: { 'X-Window': this.key } })
      .catch(() => { throw new Error(t('The window\'s server is not reached')); });
    if (!answer.ok) throw new ServerFailure(answer.status, await answer.text());
    return answer;
  }

  async #json(...given) { return (await this.#ask(...given)).json(); }

  state() { return this.#json('GET', '/state'); }

  // Answers once the file is another than that version, or the session has ended.
  changes(version, signal) { return this.#json('GET', '/changes', { version }, undefined, signal); }

  // The folders in one of this machine; in the home folder where the path is empty.
  folders(path) { return this.#json('GET', '/folders', { path }); }

  lock() { return this.#json('POST', '/lock'); }

  use() { return this.#json('POST', '/use'); }

  // Says that the page is closed; nobody waits for an answer.
  goodbye() {
    fetch('/goodbye', { method: 'POST', keepalive: true, headers: { 'X-Window': this.key } }).catch(() => undefined);
  }

  // Gives the server a file; its number.
  async upload(blob) {
    // A server that refuses a long body ends the connection: why could not be told then.
    const { room } = await this.state();
    if ((blob.size ?? blob.length) > room) {
      throw new Error(t('{0} is too long for here: in a terminal, {1} takes it', blob.name ?? t('file'), 'qvault put'));
    }
    return (await this.#json('POST', '/file', {}, blob)).file;
  }

  // Opens the vault with a secret: bytes, and those of a keyfile.
  async unlock({ kind, password, text, keyfile }) {
    const given = keyfile ? { keyfile: await this.upload(keyfile) } : {};
    return done(await this.#json('POST', '/unlock', { kind, ...given }, password ?? text));
  }

  async create(password) { return done(await this.#json('POST', '/create', {}, password)); }

  // Runs a verb: options as `--name=value`, and operands. `files` are Blobs, which the command finds under /dev/fd/4 and so on.
  async run(verb, options = [], operands = [], files = []) {
    return done(await (await this.#run(verb, options, operands, files)).json(), files);
  }

  // Runs a verb that reads its standard input: a Blob, or bytes.
  async runOn(verb, options, content, operands = ['-']) {
    const input = await this.upload(content);
    return done(await (await this.#run(verb, options, operands, [], { input })).json());
  }

  // The same of a verb that prints a picture or a document: a Blob.
  async bytes(verb, options, operands, files = []) {
    const answer = await this.#run(verb, options, operands, files, { answer: 'bytes' });
    if (answer.headers.get('Content-Type') === 'application/json') done(await answer.json());
    return answer.blob();
  }

  // Runs a verb for which a session does not suffice, with the password; to change that, with the old and the new one.
  async runAgain(verb, ...passwords) {
    const numbers = [];
    for (const password of passwords) numbers.push(await this.upload(encoder.encode(password)));
    return done(await (await this.#run(verb, [], [], [], { secret: numbers.join(',') })).json());
  }

  async #run(verb, options, operands, files, given = {}) {
    const numbers = [];
    try {
      for (const file of files) numbers.push(await this.upload(file));
    } catch (error) {
      // Those that came are not kept for nobody.
      await this.#ask('POST', '/forget', { files: numbers.join(',') });
      throw error;
    }
    const words = [...verb.split(' '), ...options, '--', ...operands].map((word) => `${word.replaceAll('\0', '')}\0`).join('');
    try {
      return await this.#ask('POST', '/run', { files: numbers.join(','), ...given }, encoder.encode(words));
    } catch (error) {
      if (error instanceof ServerFailure) throw error;
      throw new Error(t('The answer did not come: look whether it was done before you repeat it'));
    }
  }
}

// The outcome of a command; thrown where it failed.
function done(outcome, files = []) {
  const names = files.map(({ name }) => name);
  if (outcome.exit > DONE_IN_PART) throw new CommandFailure(outcome, names);
  return { ...outcome, said: plain(outcome.said, names) };
}

// The path under which a command finds the file with a place among those that it gets.
export function pathOf(place) {
  return `/dev/fd/${FIRST + place}`;
}
