/**
 * How far the user has read rooms and threads, as far as their rows do not show it yet: the server has not answered, or the change has
 * not arrived. It outlives the page: a room that was read offline stays read after a reload, and the server gets the mark later.
 */

export class ReadMarks {
  #page;
  #user;
  #marks; // room → {revision, time}; of the user
  #sent = new Set(); // the rooms whose marks were sent over this connection

  /** @param page `chat()`, `me()`, `kept`; and `listOf(room)`, the list of the user's rooms or threads that may have it */
  constructor(page) {
    this.#page = page;
    addEventListener('storage', ({ key }) => key?.startsWith(`diffroom.${this.#prefix}`) && (this.#marks = undefined));
  }

  /** Notes that a room was read up to a revision; `time` is that of the last message there. */
  note(room, revision, time) {
    if (!this.#page.listOf(room).mayHave(room)) return;
    this.#all.set(room, { revision, time });
    this.#page.kept.set(this.#prefix + room, JSON.stringify({ revision, time }));
  }

  /** Forgets how far a room was read: the user has marked it as unread, or its row shows it. */
  forget(room) {
    if (this.#all.delete(room)) this.#page.kept.delete(this.#prefix + room);
  }

  /** Returns whether the user has read all that a row counts. The row of a room with a newer message shows a later time. */
  covers({ id, read, last }) {
    const mark = this.#all.get(id);
    return mark !== undefined && read < mark.revision && (last?.time ?? 0) <= mark.time;
  }

  /** There is a new connection. */
  begin() {
    this.#sent.clear();
  }

  /** Sends the marks that the rows of a list, which are as of now, do not show. */
  send(list) {
    for (const [room, { revision }] of this.#all) {
      if (this.#page.listOf(room) !== list) continue;
      const row = list.get(room);
      if (row ? row.marked || row.read >= revision : !list.mayHave(room)) this.forget(room);
      else if (this.#sent.size !== this.#sent.add(room).size) this.#send(room, revision);
    }
  }

  /** Follows the room meanwhile, or the server would not accept the mark. */
  #send(room, revision) {
    const onChange = ({ changes }) => {
      if (changes.why === 'held') return;
      this.#page.chat().read(room, revision);
      followed.unsubscribe();
    };
    const followed = this.#page.chat().subscribe(`room/${room}/messages`, { onChange, onError: () => followed.unsubscribe() });
  }

  get #prefix() {
    return `reading ${this.#page.me()} `;
  }

  get #all() {
    if (this.#user !== this.#page.me()) this.#marks = undefined;
    this.#user = this.#page.me();
    this.#marks ??= new Map(this.#page.kept.keys(this.#prefix).map((key) => [key.slice(this.#prefix.length), this.#read(key)]));
    return this.#marks;
  }

  #read(key) {
    try {
      const { revision = 0, time = 0 } = JSON.parse(this.#page.kept.get(key));
      return { revision, time };
    } catch {
      return { revision: 0, time: 0 }; // not ours
    }
  }
}
