/** The user's settings of a room or thread: whether it is pinned, muted, archived, or marked as unread. */

import { $ } from './elements.js';
import { kindOf, labelOf } from './labels.js';
import { pinsFor } from './pins.js';
import { ask } from './question.js';

const MANY = 20; // rooms that are marked as read without a question
const SETTLED = 1_000; // ms after which the list has what the server has acknowledged

export class Settings {
  #page;
  #pins = new Map(); // room → the sort key that it was given here, or `false`, which the list may not have yet

  /**
   * @param page `chat()`; `rooms`, the user's; `composer`, whose `hint(text)` shows refusals of the server; `say(text)`, to
   * screen readers; and `onMark(room, from)`, when the user marks a room as unread
   */
  constructor(page) {
    this.#page = page;
    $('read-all').addEventListener('click', () => this.readAll());
  }

  // The places of pinned rooms

  /** Brings a room to a place among the pinned ones. */
  pin(room, place = this.#pinned.length) {
    const { rooms, say } = this.#page;
    const others = this.#pinned.filter(({ id }) => id !== room);
    const index = Math.min(place, others.length);
    say(`${labelOf(rooms.get(room))}: ${index + 1} of ${others.length + 1} pinned rooms`);
    const back = rooms.get(room).section === 'archived' ? { archived: false } : {};
    for (const { room: id, pinned } of pinsFor(this.#pinned, room, index)) this.#give(id, { pinned, ...(id === room && back) });
  }

  unpin(room) {
    this.#page.say(`${labelOf(this.#page.rooms.get(room))}: no longer pinned`);
    this.#give(room, { pinned: false });
  }

  /** Gives a room a place or takes it. Later actions are about the resulting list. */
  async #give(room, what) {
    this.#pins.set(room, what.pinned);
    await this.set(room, what);
    setTimeout(() => this.#pins.get(room) === what.pinned && this.#pins.delete(room), SETTLED);
  }

  /** Returns where a room can go from its place among the pinned ones, up (-1) or down (1); one that is not pinned comes up to their end. */
  placeBeside(room, by) {
    const at = this.#pinned.findIndex(({ id }) => id === room);
    const place = at < 0 ? this.#pinned.length : at + by;
    const isThere = at < 0 ? by < 0 : place >= 0 && place < this.#pinned.length;
    return isThere ? place : undefined;
  }

  /** Moves a room by one place. */
  move(room, by) {
    const { rooms, say } = this.#page;
    const place = this.placeBeside(room, by);
    if (place !== undefined) return this.pin(room, place);
    const isPinned = this.#pinned.some(({ id }) => id === room);
    say(`${labelOf(rooms.get(room))}: ${isPinned ? `the ${by < 0 ? 'first' : 'last'} of the pinned rooms` : 'not pinned'}`);
  }

  /** The pinned rooms, as `{id, sort}` in their order. */
  get #pinned() {
    const pins = new Map(this.#page.rooms.in('pinned').map(({ id, sort }) => [id, sort]));
    for (const [room, pinned] of this.#pins) pins.set(room, pinned);
    const rows = [...pins].map(([id, sort]) => ({ id, sort }));
    return rows.filter(({ sort }) => sort).sort((a, b) => a.sort - b.sort);
  }

  // Unread messages

  /** Marks a room as unread, or a message and all behind it: from that sort key on. */
  markUnread(room, from) {
    this.#page.onMark(room, from);
    if (from !== undefined) this.#page.say('Marked as unread from here');
    return this.set(room, { marked: from ?? true });
  }

  /** Marks rooms as read, up to whatever is in them now. Returns whether there is a connection. */
  markRead(...names) {
    const { chat, composer } = this.#page;
    const isOnline = chat().state === 'online'; // later, more would be read than the user sees
    if (!isOnline) composer.hint('There is no connection now.');
    if (isOnline) chat().readAll(names);
    return isOnline;
  }

  /** Marks all rooms as read. There is no way back, so the page asks first if they are many. */
  async readAll() {
    const { rooms, say } = this.#page;
    const { length } = rooms.unread;
    const question = { title: `Mark ${length.toLocaleString()} rooms as read?`, text: 'This cannot be taken back.', no: 'Cancel', yes: 'Mark all as read' };
    if (length > MANY && !(await ask(question))) return;
    if (this.markRead(...rooms.unread.map(({ id }) => id))) say('All rooms are marked as read.');
  }

  // All of them

  async set(room, what) {
    const { chat, composer } = this.#page;
    try {
      await chat().set(room, what);
    } catch ({ message }) {
      composer.hint(message);
    }
  }
}

/** Returns what the menu of a room's row offers, as `[act, label]`; `news` is what the row shows to be unread. */
export function choicesFor({ id, section, muted, isLoud }, { unread, marked }, placeBeside) {
  const isPinned = section === 'pinned';
  const isArchived = section === 'archived';
  const choices = [
    !isArchived && (isPinned ? ['unpin', 'Unpin'] : ['pin', 'Pin']),
    isPinned && placeBeside(id, -1) !== undefined && ['up', 'Move up'],
    isPinned && placeBeside(id, 1) !== undefined && ['down', 'Move down'],
    muted ? ['unmute', 'Unmute'] : ['mute', 'Mute'],
    !muted && kindOf(id) !== 'direct' && (isLoud ? ['quiet', 'Notify of mentions only'] : ['loud', 'Notify of all messages']),
    unread || marked ? ['read', 'Mark as read'] : ['mark', 'Mark as unread'],
    isArchived ? ['unarchive', 'Unarchive'] : ['archive', 'Archive'],
    kindOf(id) !== 'direct' && ['leave', 'Leave'],
  ];
  return choices.filter(Boolean);
}
