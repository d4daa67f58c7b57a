/** The news of the user in rooms and threads: the messages that they have not read. */

import { isInSight } from './elements.js';
import { isHeard } from './roomrow.js';

const NONE = { unread: 0, mentions: 0 };

export class News {
  #page;

  /**
   * @param page `conversationOf(name)`, of a room or thread that was shown lately; `isShown(name)`; the `reads`; and `callsOf(row)`, the number
   * of messages there that call the user
   */
  constructor(page) {
    this.#page = page;
  }

  /** Returns whether the user sees what is new in a room or thread. In a window without the focus they may miss what calls them. */
  isSeen(row) {
    const { callsOf, conversationOf, isShown, reads } = this.#page;
    const conversation = conversationOf(row.id);
    if (!isShown(row.id)) return conversation?.isSettling(row) || reads.covers(row);
    return conversation?.isAhead(row) || (isInSight() && (document.hasFocus() || !callsOf(row)));
  }

  /** Returns the news of a row, for its badges: nothing in a room that is being read, and nothing of an invitation. */
  of(row) {
    const { id, section, unread, mentions = 0, marked } = row;
    if (section === 'invited') return NONE;
    if (!this.isSeen(row)) return { unread, mentions, marked };
    return { ...NONE, marked: marked && this.#page.isShown(id) && this.#page.conversationOf(id)?.isLeftAlone };
  }

  /**
   * Returns the numbers of unread messages and of mentions in rows. Rows that are muted or archived, and the room `shown`, count only their
   * mentions.
   */
  sum(rows, shown) {
    const total = { ...NONE };
    for (const row of rows) {
      const { unread, mentions } = this.of(row);
      if (row.id !== shown && isHeard(row)) total.unread += unread;
      total.mentions += mentions;
    }
    return total;
  }
}
