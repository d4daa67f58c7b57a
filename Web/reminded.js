/** The messages of which the user wants to be reminded: loaded one after the other, when they are to be seen. */

const keyOf = ({ room, message }) => `${room} ${message}`;

export class Reminded {
  /** Called when a message has come. */
  onChange = () => {};
  #page;
  #known = new Map(); // key → the message; `null` if it is gone
  #wanted = new Map(); // key → the reminder whose message is to be loaded next
  #loading; // settles when none is wanted

  /** @param page `chat()`; and `held(room, id)`, the message as it is held, or was kept in this browser, if it is */
  constructor(page) {
    this.#page = page;
  }

  /** Returns the message of a reminder: `null` if it is gone, nothing if it is not known. */
  get(row) {
    if (row.message === undefined) return undefined;
    const known = this.#known.get(keyOf(row));
    return known === undefined ? this.#page.held(row.room, row.message) : known;
  }

  /** Loads the messages of reminders that are not known. Resolves when they are, or cannot be loaded now, as without a connection. */
  load(rows) {
    return this.#load(rows.filter((row) => !this.#known.has(keyOf(row))));
  }

  /** Loads them again: they may have changed. */
  renew(rows) {
    return this.#load(rows);
  }

  #load(rows) {
    for (const row of rows) if (row.message !== undefined) this.#wanted.set(keyOf(row), row);
    this.#loading ??= this.#loadAll().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  async #loadAll() {
    for (const [key, { room, message }] of this.#wanted) {
      await this.#fetch(key, room, message);
      this.#wanted.delete(key);
    }
  }

  async #fetch(key, room, id) {
    try {
      this.#known.set(key, (await this.#page.chat().fetch(room, id)) ?? null);
    } catch ({ error }) {
      if (error !== 'forbidden') return; // there is no connection, or the server has other work
      this.#known.set(key, null);
    }
    this.onChange();
  }
}
