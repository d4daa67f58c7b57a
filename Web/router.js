/**
 * Which room the page shows: the one that its address names. Where that names none, it is the one that was open last in this
 * browser, else the newest of the user's rooms, else the lobby.
 */

import { threadName, threadRoot } from './diffroom.js';
import { kindOf } from './labels.js';

const LOBBY = 'lobby';
const UNREADABLE = new Set(['forbidden', 'not_found']);

/** Returns the address of a room or thread, or of a message there. */
export function addressOf(name, message) {
  const { room, id } = threadRoot(name) ?? { room: name };
  return `?room=${encodeURIComponent(room)}${id ? `&thread=${id}` : ''}${message ? `&message=${message}` : ''}`;
}

export class Router {
  #page;
  #isChoosing = false; // whether the address named no room, and none that was chosen has come yet
  #refusals = new Map(); // room that was chosen → why it cannot be read

  /**
   * @param page `shown()`, the name of the room on the screen, if there is one; `rooms`, the user's; `me()`; `kept`, which
   * remembers the last room; `onOpen(name, message)`, of a room or thread; `onReturn(name)` when the browser goes back, or forward; and
   * `onError(refusal)` when a room cannot be read, and the page has no other to choose
   */
  constructor(page) {
    this.#page = page;
    addEventListener('popstate', () => this.#return());
  }

  get #query() {
    return new URLSearchParams(location.search);
  }

  get #addressed() {
    const room = this.#query.get('room') ?? '';
    const thread = this.#query.get('thread');
    return [threadName(room, thread), room].find((name) => kindOf(name));
  }

  /** Opens the room or thread that the address names. */
  begin() {
    this.#isChoosing = !this.#addressed;
    if (this.#addressed) this.#page.onOpen(this.#addressed, this.#query.get('message'));
  }

  #return() {
    if (!this.#addressed) return;
    this.#isChoosing = false;
    this.#page.onReturn(this.#addressed);
  }

  /** Gives the page the address of a room to which the user goes; `visit` is how the history has it. */
  go(room, visit) {
    this.#isChoosing = false;
    this.#name(room, this.#page.shown() ? visit : 'replaceState');
  }

  #name(room, visit) {
    history[visit](null, '', addressOf(room));
  }

  // Threads

  /** Gives the page the address of a thread beside its room. Back leads from there to the room. */
  goToThread(name, visit) {
    const isOther = Boolean(threadRoot(this.#addressed ?? '')); // which gives way
    if (isOther && !history.state?.drawer) history.replaceState(history.state, '', addressOf(name));
    else history[visit]({ thread: true }, '', addressOf(name));
  }

  /** Gives the page the address of the room again: by a step back, if the thread was opened by one. */
  leaveThread(room) {
    if (history.state?.thread) history.back();
    else this.#name(room, 'replaceState');
  }

  // The room of an address without one

  /** Opens a room if the address names none, as soon as it is known which. */
  choose() {
    const { onError, onOpen, shown } = this.#page;
    if (!this.#isChoosing || (shown() && !this.#refusals.has(shown()))) return;
    const room = this.#choice;
    if (!room) return;
    if (this.#refusals.has(room)) {
      this.#isChoosing = false;
      return onError(this.#refusals.get(room));
    }
    this.#name(room, 'replaceState');
    onOpen(room);
  }

  get #choice() {
    const { kept, rooms } = this.#page;
    const last = kept.get(this.#key);
    const isPossible = (room) => kindOf(room) && !this.#refusals.has(room);
    // Only the user's rooms have the label of a private or direct room, and show whether it is still one of them.
    if (isPossible(last) && (kindOf(last) === 'open' || rooms.mayHave(last))) return last;
    return rooms.hasList || rooms.isKnown ? this.#newest(isPossible) ?? LOBBY : undefined;
  }

  /** Returns where a user goes who leaves a room. */
  besides(room) {
    return this.#newest((other) => other !== room) ?? LOBBY;
  }

  /** The messages of the room on the screen have come. */
  arrive() {
    this.#isChoosing = false;
    this.#page.kept.set(this.#key, this.#page.shown());
  }

  /** The room on the screen cannot be read, or no longer. One that the page has chosen gives way to the next choice. */
  miss(refusal) {
    if (!this.#isChoosing || !UNREADABLE.has(refusal.error)) return this.#page.onError(refusal);
    this.#refusals.set(this.#page.shown(), refusal);
    this.choose();
  }

  /** Returns the room in which something was said last, of those that the user has joined and not archived. */
  #newest(mayBe) {
    const { rooms } = this.#page;
    const rows = [...rooms.in('rooms'), ...rooms.in('pinned')].filter(({ id }) => mayBe(id));
    const timeOf = ({ last }) => last?.time ?? 0;
    return rows.reduce((newest, row) => (timeOf(row) > timeOf(newest) ? row : newest), rows[0])?.id;
  }

  get #key() {
    return `room ${this.#page.me()}`;
  }
}
