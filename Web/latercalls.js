/** The notifications of reminders that have become due, and of scheduled messages that the server could not send. */

import { shownTextOf } from './blocks.js';
import { called } from './faces.js';
import { labelOf } from './labels.js';
import { withoutMarks } from './markdown.js';

const MOST = 3; // rows with a notification of their own

export class LaterCalls {
  #page;
  #shown = new Map(); // id of a row → its notification

  /**
   * @param page `notifier()`; the `reminded` messages; `about(room)`, as much as is known of it; `say(text)`, to screen readers; `onOpen(row)`, which goes to the message of
   * a reminder; and `onOpenAll()`, which shows the list
   */
  constructor(page) {
    this.#page = page;
  }

  /** Notifies of rows that have become due, each once, whichever tab does. */
  async take(rows) {
    const { onOpen, onOpenAll, reminded, say } = this.#page;
    if (rows.length > MOST) {
      const title = `${rows.length} reminders are due`;
      say(title);
      return this.#call(rows, { tag: 'diffroom later', title, body: '' }, onOpenAll);
    }
    await reminded.load(rows);
    for (const row of rows) {
      const said = this.#wordingOf(row);
      say(`${said.title}: ${said.body}`);
      this.#call([row], { tag: `${row.id} ${row.at}`, ...said }, () => (row.message === undefined ? onOpenAll() : onOpen(row)));
    }
  }

  #call(rows, said, onOpen) {
    const told = this.#page.notifier().call(said, onOpen);
    if (told) for (const { id } of rows) this.#shown.set(id, told);
  }

  #wordingOf(row) {
    const place = labelOf(this.#page.about(row.room));
    if (row.message === undefined) return { title: `Not sent to ${place}`, body: withoutMarks(row.text) };
    const message = this.#page.reminded.get(row);
    const who = message?.author ? `${called(message.author)} in ${place}` : place;
    return { title: `Reminder: ${who}`, body: message ? withoutMarks(shownTextOf(message)) : '' };
  }

  /** Closes the notifications of rows that are not due any more. */
  settle(rows) {
    const due = new Set(rows.filter(({ section, isGoing }) => section === 'due' && !isGoing).map(({ id }) => id));
    for (const [id, told] of this.#shown) {
      if (due.has(id)) continue;
      this.#shown.delete(id);
      if (![...this.#shown.values()].includes(told)) told.close();
    }
  }
}
