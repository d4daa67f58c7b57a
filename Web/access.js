/** Whether the user may read the room that is shown; if not, or no longer, why, and how to come back. */

import { kindOf } from './labels.js';

const UNKNOWN = {
  private: 'This room is private, or it does not exist. Ask one of its owners to invite you: then it opens here.',
  direct: 'This room belongs to other people, or it does not exist. To write to them, make a new direct room.',
};
const REMOVED = 'You are not in this room any more. Ask one of its owners to invite you again: then it opens here.';
const LATE = 1000; // ms by which the list of rooms may be later than the room itself

export class Access {
  #page;
  #refusal; // the text shown while the user may not read the room, also after the next connection

  /**
   * @param page `shown()`, the conversation on the screen; `rooms`, the user's; `link` and `composer`; `readable(text)`; and
   * `onStanding(standing)`, before and after the standing's rights hold
   */
  constructor(page) {
    this.#page = page;
  }

  /** Another room is shown. */
  enter() {
    this.#refusal = undefined;
  }

  /** Tells what there is to know while the connection is there. */
  tell() {
    const { link, composer } = this.#page;
    if (!this.#refusal) return link.tell();
    const { text, does } = this.#refusal;
    composer.stand({ role: 'none' });
    link.tell(text, does, () => this.#tryAgain());
  }

  /** The server does not let the user read the room, or, with a `why`, no longer. */
  refuse({ error, message, why }) {
    const { readable, shown } = this.#page;
    if (error === 'diverged') return;
    const unknown = (error === 'forbidden' || why === 'forbidden' || why === 'banned') && UNKNOWN[kindOf(shown().name)];
    this.#refusal = unknown
      ? { text: shown().wasRead ? REMOVED : unknown, does: 'Try again', isPrivate: true }
      : { text: `Disconnected: ${readable(message)}`, does: 'Join again' };
    this.tell();
    if (unknown && why) setTimeout(() => this.comeBack(), LATE);
  }

  /** Tries because the user asks for it: a refusal is shown again. */
  #tryAgain() {
    const { link, onStanding, shown } = this.#page;
    this.#refusal = undefined;
    onStanding();
    link.tell();
    shown().rejoin();
  }

  /**
   * Comes back to a room that is among the user's again. In the list of rooms, a removal and an invitation after it are one
   * change of a row, which may arrive before the room's own removal.
   */
  comeBack() {
    const { rooms, shown } = this.#page;
    if (this.#refusal?.isPrivate && rooms.get(shown().name)) shown().rejoin();
  }

  /** The messages of the room are here, so the user may read them. */
  arrive() {
    if (!this.#refusal) return;
    this.#refusal = undefined;
    this.tell();
  }
}
