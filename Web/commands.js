/**
 * The user's commands that the server has not answered: kept in this browser until it has, so that neither a reload nor the end of a
 * tab loses one. Each tab sends its own. Those of a tab that is gone are sent by another one, or by the next page; the server knows a
 * repeat by its id.
 */

import { uuid } from './diffroom.js';
import { UNKNOWN } from './user.js';

/** Which argument of a command has its options, and which of these is its id. */
const IDENTITIES = {
  send: [2, 'id'],
  edit: [3, 'command'],
  delete: [2, 'command'],
  react: [4, 'command'],
  join: [1, 'command'],
  leave: [1, 'command'],
  set: [1, 'command'],
  moderate: [2, 'command'],
  create: [0, 'command'],
  later: [2, 'command'],
  block: [2, 'command'],
};
const METHODS = Object.keys(IDENTITIES);
/** The commands about a room or thread as a whole, which its row in a list shows. */
const OF_ROOMS = new Set(['join', 'leave', 'set']);

/** The errors of a repeat that show that the command was done before. */
const DONE = { delete: ['not_found'], leave: ['forbidden'], create: ['conflict', 'forbidden'] };

/** The commands of whose refusal the user is told in another way. */
const TELLING = new Set(['send', 'edit', 'later', 'block']);

const lockOf = (tab) => `diffroom ${tab}`;

export class Commands {
  #page;
  #tab = uuid();
  #user = UNKNOWN;
  #chat; // the client's own methods, by name
  #all = new Map(); // key → `{key, tab, order, method, args}`, and the `error` of a message that was refused
  #watched = new Set(); // tabs whose end is waited for
  #repeated = new Set(); // ids of messages that an earlier page sent
  #last = 0;

  /**
   * @param page `me()` and `kept`; `onChange(command)` when one begins or ends to wait; `onRefusedEdit(edit, error)` and
   * `onRefusedSend(room, row)`, whose text the user gets back; `onRefusedLater({id, content, returns, room}, error)`; `onRefusedBlock({user, on}, error)`; `onRefused(error)` of a command of an earlier page; and
   * `onMade(room, people)` when a room of an earlier page was made
   */
  constructor(page) {
    this.#page = page;
    navigator.locks?.request(lockOf(this.#tab), () => new Promise(() => {})); // until the tab ends
    addEventListener('storage', ({ key }) => key?.startsWith(`diffroom.${this.#prefix}`) && this.#loadOthers());
  }

  get #prefix() {
    return `command ${this.#user} `;
  }

  /** Keeps what is done with a client until it is answered, and does what an earlier page has left. */
  keep(chat) {
    this.#chat = Object.fromEntries(METHODS.map((method) => [method, chat[method]]));
    for (const method of METHODS) chat[method] = (...args) => this.#begin(method, args);
    const { discard } = chat;
    chat.discard = (id) => {
      this.#forget(this.#all.get(id));
      discard(id);
    };
    this.begin();
  }

  /** Begins with what is kept for the user, who may be known by another name now: then what this tab does is theirs. */
  begin() {
    const mine = [...this.#all.values()].filter(({ tab }) => tab === this.#tab);
    if (this.#user !== this.#page.me()) {
      for (const { key } of mine) this.#page.kept.delete(this.#prefix + key);
      this.#user = this.#page.me();
      for (const command of mine) this.#write(command);
    }
    if (this.#user === UNKNOWN) return; // what is kept may be another person's
    this.#load();
    for (const { tab } of this.#all.values()) this.#watch(tab);
  }

  /** Returns the names of the methods that wait for an answer about a room or, with an `id`, about a message of it. */
  of(room, id) {
    const waits = ({ method, args, error }) => args[0] === room && !error && (id === undefined ? OF_ROOMS.has(method) : args[1] === id);
    return [...this.#all.values()].filter(waits).map(({ method }) => method);
  }

  /** Returns what waits for an answer about the pinned messages of a room, in its order, as `{action, message, before, after}`. */
  pinsOf(room) {
    const waits = ({ method, args: [of, action] }) => method === 'moderate' && of === room && (action === 'pin' || action === 'unpin');
    return [...this.#all.values()].filter(waits).sort((a, b) => a.order - b.order).map(({ args: [, action, what] }) => ({ action, ...what }));
  }

  /** The commands about scheduled messages and reminders that wait for an answer, in their order, as `{id, content}`. */
  get later() {
    return this.#waiting('later').map(({ args: [id, content] }) => ({ id, content }));
  }

  /** The blocks and unblocks that wait for an answer, in their order, as `{user, on}`. */
  get blocks() {
    return this.#waiting('block').map(({ args: [user, on] }) => ({ user, on }));
  }

  #waiting(wanted) {
    return [...this.#all.values()].filter(({ method }) => method === wanted).sort((a, b) => a.order - b.order);
  }

  isRepeated(id) {
    return this.#repeated.has(id);
  }

  // Doing

  #begin(method, args) {
    const [index, name] = IDENTITIES[method];
    const key = args[index]?.[name] ?? uuid();
    const named = Object.assign([...args], { [index]: { ...args[index], [name]: key } });
    this.#last = Math.max(Date.now(), this.#last + 0.001);
    const command = { key, tab: this.#tab, order: this.#last, method, args: named };
    this.#write(command);
    return this.#send(command);
  }

  #send(command) {
    const done = this.#chat[command.method](...command.args);
    done.then(
      () => this.#forget(command),
      (error) => this.#refuse(command, error),
    );
    return done;
  }

  #refuse(command, error) {
    const { method, args } = command;
    const { message } = error;
    if (method === 'send') return this.#write({ ...command, error: message });
    this.#forget(command);
    if (method === 'edit') this.#page.onRefusedEdit({ room: args[0], id: args[1], text: args[2], ...args[3] }, error);
    if (method === 'later') this.#page.onRefusedLater({ id: args[0], content: args[1], ...args[2] }, error);
    if (method === 'block') this.#page.onRefusedBlock({ user: args[0], on: args[1] }, error);
  }

  // Storage

  #write(command) {
    this.#all.set(command.key, command);
    this.#page.kept.set(this.#prefix + command.key, JSON.stringify(command));
    this.#page.onChange(command);
  }

  #forget(command) {
    if (!command) return;
    this.#all.delete(command.key);
    this.#page.kept.delete(this.#prefix + command.key);
    this.#page.onChange(command);
  }

  /** Reads what is kept: other tabs add to it, and answers to them take from it. */
  #load() {
    const before = this.#all;
    const keys = this.#page.kept.keys(this.#prefix);
    this.#all = new Map(keys.flatMap((key) => this.#read(key) ?? []).map((command) => [command.key, command]));
    for (const command of [...before.values(), ...this.#all.values()]) if (before.has(command.key) !== this.#all.has(command.key)) this.#page.onChange(command);
  }

  /** Another tab has changed what is kept. Without locks it is not known when that tab ends: the next page sends what it leaves. */
  #loadOthers() {
    this.#load();
    if (navigator.locks) for (const { tab } of this.#all.values()) this.#watch(tab);
  }

  #read(kept) {
    try {
      const { key, tab, order, method, args, error } = JSON.parse(this.#page.kept.get(kept));
      const isOurs = kept === this.#prefix + key && tab && METHODS.includes(method) && Array.isArray(args);
      return isOurs ? { key, tab, order, method, args, error } : undefined;
    } catch {
      return undefined;
    }
  }

  // The commands of tabs that are gone

  /** Waits for the end of another tab: its lock is free then. Without locks, as over plain HTTP, both send what it has left. */
  #watch(tab) {
    if (tab === this.#tab || this.#watched.has(tab)) return;
    this.#watched.add(tab);
    if (navigator.locks) navigator.locks.request(lockOf(tab), () => this.#adopt(tab));
    else queueMicrotask(() => this.#adopt(tab));
  }

  #adopt(tab) {
    const left = this.#page.kept.keys(this.#prefix).map((key) => this.#read(key)).filter((command) => command?.tab === tab);
    for (const command of left.sort((a, b) => a.order - b.order)) {
      const mine = { ...command, tab: this.#tab };
      this.#write(mine);
      if (mine.error) this.#returnText(mine);
      else this.#repeat(mine);
    }
  }

  /** A message that was refused waits in the field for the user to decide. */
  #returnText(command) {
    const [room, text, more] = command.args;
    this.#forget(command);
    this.#page.onRefusedSend(room, { text, ...more });
  }

  async #repeat(command) {
    const { key, method, args } = command;
    if (method === 'send') this.#repeated.add(key);
    try {
      const made = await this.#send(command);
      if (method === 'create') this.#page.onMade(made, args[0].people);
    } catch (error) {
      const isTold = TELLING.has(method) || DONE[method]?.includes(error.error);
      if (!isTold) this.#page.onRefused(error);
    }
  }
}
