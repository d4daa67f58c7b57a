/** Scheduled messages and reminders in the page: their list, the ways to make them, and the notifications of them. */

import { Later } from './later.js';
import { LaterCalls } from './latercalls.js';
import { LaterOffers } from './lateroffers.js';
import { LaterPanel } from './laterpanel.js';
import { Reminded } from './reminded.js';

export class LaterView {
  /** The ways to schedule a message, and to be reminded of one. */
  offers;
  #later;
  #panel;
  #lists;

  /**
   * @param page `chat()` and `me()`; the `commands` that wait; `people(room)`, the names of those who are known there; `about(room)`, as much as is known of it;
   * `readable(text)`, a text of the server's; `composer()`, and `composerOf(room)`, for refusals; `held(room, id)`, a message that is held; `notifier()` and `say(text)`; `onOpen(room)`,
   * and `onOpenMessage(room, id)`
   */
  constructor(page) {
    const { chat, commands, composerOf, onOpenMessage, people } = page;
    const reminded = new Reminded({ chat, held: (room, id) => page.held(room, id) ?? this.#keptMessage(room, id) });
    const calls = new LaterCalls({ ...page, reminded, onOpen: ({ room, message }) => onOpenMessage(room, message), onOpenAll: () => this.#panel.open() });
    this.#later = new Later({
      chat, commands, people,
      onReturn(room, message, hint) {
        composerOf(room).restoreIn(room, message);
        composerOf(room).hint(hint);
      },
      hint: (text) => this.#panel.hint(text),
      onDue: (rows) => calls.take(rows),
    });
    this.offers = new LaterOffers(this.#later);
    this.#panel = new LaterPanel({ ...page, reminded, later: this.#later, composer: { hint: (text) => page.composer().hint(text) } });
    this.#later.onChange(() => calls.settle(this.#later.rows));
  }

  /** Follows the list with a client. `lists` keeps it, as it keeps the last messages of rooms. */
  follow(chat, lists) {
    this.#lists = lists;
    this.#later.follow(chat, lists);
  }

  /** Returns a message as this browser has kept it, if it has. */
  #keptMessage(room, id) {
    const { sections = [] } = this.#lists?.get(`room/${room}/messages`) ?? {};
    return sections.flatMap(({ rows }) => rows).find((row) => row.id === id);
  }

  /** Commands have begun or ended to wait. */
  changed() {
    this.#later.changed();
  }

  /** A command was refused: see `Later`. */
  refused(refused, error) {
    this.#later.refused(refused, error);
  }
}
