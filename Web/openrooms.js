/** The rooms that were shown last: they keep their messages, and the user's place in them. */

import { Conversation } from './conversation.js';

const MOST = 6;

export class OpenRooms {
  #page;
  #all = new Map(); // by name: the one that was shown last is the last

  /** @param page is that of the conversations */
  constructor(page) {
    this.#page = page;
  }

  get(room) {
    return this.#all.get(room);
  }

  get all() {
    return [...this.#all.values()];
  }

  /** The names of those who have a row in one of them. */
  get people() {
    const rows = this.all.flatMap(({ members }) => members?.snapshot().sections ?? []).flatMap(({ rows }) => rows);
    return [...new Set(rows.map(({ id }) => id))];
  }

  /** Returns the room to be shown now, and lets go of the one that was shown before all others. */
  open(room, linked) {
    const opened = this.get(room) ?? new Conversation(room, this.#page, linked);
    this.#all.delete(room);
    this.#all.set(room, opened);
    if (this.#all.size > MOST) this.forget(this.#all.keys().next().value);
    return opened;
  }

  forget(room) {
    this.get(room)?.close();
    this.#all.delete(room);
  }
}
