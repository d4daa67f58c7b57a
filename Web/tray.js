/** The files that the user has chosen for one message, with the state of each. */

import { uuid } from './diffroom.js';
import { faultOf, nameOf, textBeside } from './files.js';

const MOST_AT_ONCE = 2; // uploads

/**
 * A file in the tray. `waiting` → `uploading` → `done` or `failed`; `failed` → `waiting` when the user tries again.
 *
 * @typedef {object} Entry
 * @property {number} key
 * @property {string} name
 * @property {number} size in bytes
 * @property {string} media
 * @property {File} [file] missing for a file of a message that was refused: it is uploaded
 * @property {'waiting' | 'uploading' | 'done' | 'failed'} state
 * @property {number} loaded the bytes that are sent
 * @property {string} [fault] why it failed
 * @property {any} [made] what the server has made of it
 * @property {any} [facts] the size and the preview of a picture, or of a video
 */

let lastKey = 0;

/** One message's tray. It knows no server and no document. */
export class Tray {
  /** The id of the message, for which the files are uploaded. */
  id = uuid();
  /** @type {Entry[]} */
  entries = [];

  /** Adds files as far as the limits allow. Returns why some were left out; nothing if none was. */
  add(files, limits) {
    const faults = [];
    for (const file of files) {
      const fault = this.entries.length < limits.files ? faultOf(file, limits) : `A message has at most ${limits.files} files.`;
      if (fault) faults.push(fault);
      else this.#append({ file, name: file.name, size: file.size, media: file.type, state: 'waiting', loaded: 0 });
    }
    return [...new Set(faults)].join(' ') || undefined;
  }

  #append(entry) {
    this.entries.push({ key: ++lastKey, ...entry });
  }

  /** Puts the files of a refused message back, with its id. Files that were chosen since stay behind them, and are uploaded again for that id. */
  restore({ id, files }) {
    const others = this.entries.filter(({ file }) => file);
    this.id = id;
    this.entries = [];
    for (const made of files) this.#append({ name: made.name, size: made.size, media: made.media, state: 'done', loaded: made.size, made });
    for (const { file, name, size, media, facts } of others) this.#append({ file, name, size, media, facts, state: 'waiting', loaded: 0 });
  }

  get(key) {
    return this.entries.find((entry) => entry.key === key);
  }

  /** Changes an entry; does nothing if it was taken away. */
  #change(key, fields) {
    Object.assign(this.get(key) ?? {}, fields);
  }

  /** Begins the uploads that can begin now, and returns their entries. */
  begin() {
    const free = MOST_AT_ONCE - this.entries.filter(({ state }) => state === 'uploading').length;
    const next = this.entries.filter(({ state }) => state === 'waiting').slice(0, Math.max(free, 0));
    for (const entry of next) entry.state = 'uploading';
    return next;
  }

  progress(key, loaded) {
    this.#change(key, { loaded });
  }

  know(key, facts) {
    this.#change(key, { facts });
  }

  done(key, made) {
    this.#change(key, { state: 'done', made, loaded: this.get(key)?.size });
  }

  fail(key, fault) {
    this.#change(key, { state: 'failed', fault, loaded: 0 });
  }

  retry(key) {
    this.#change(key, { state: 'waiting', fault: undefined });
  }

  remove(key) {
    this.entries = this.entries.filter((entry) => entry.key !== key);
  }

  /** The number of files that are still being uploaded. */
  get missing() {
    return this.entries.filter(({ state }) => state === 'waiting' || state === 'uploading').length;
  }

  /** Returns why the message cannot be sent; nothing if it can. */
  get fault() {
    const failed = this.entries.find(({ state }) => state === 'failed');
    return failed && `${nameOf(failed)} was not uploaded: try again, or remove it.`;
  }

  /** The files as `send` takes them, in their order. */
  get files() {
    return this.entries.filter(({ state }) => state === 'done').map(({ made, facts }) => ({ ...made, ...facts }));
  }
}

/** Returns a refused message as the field is to have it: without the text that only names its files. */
export const withoutNames = (message) => ({ ...message, text: textBeside(message) });

/** Returns the notice that a message waits for so many files. */
export const waitNotice = (count) => `${count} ${count === 1 ? 'file is' : 'files are'} still being uploaded. The message is sent when ${count === 1 ? 'it is' : 'they are'} there.`;
