/** The ways to schedule the message in the field, and to be reminded of one that is there. */

import { $ } from './elements.js';
import { dueTime } from './laterrow.js';
import { aboveOf } from './popupmenu.js';
import { TimeMenu } from './timemenu.js';

export class LaterOffers {
  #later;
  #times = new TimeMenu($('times-menu'));

  /** @param later the scheduled messages and reminders */
  constructor(later) {
    this.#later = later;
  }

  /** Whether the server keeps them. An older one does not. */
  get isOffered() {
    return this.#later.isOffered;
  }

  /** Begins to offer it beside the button that sends, which `part` finds, of a `composer`. */
  put(part, composer) {
    const button = part('schedule');
    button.addEventListener('click', () => this.#schedule(composer, button));
    this.#later.onChange(() => (button.hidden = !this.isOffered));
  }

  #schedule(composer, opener) {
    const room = composer.name;
    if (!composer.compose()) return;
    const onChoose = (at) => {
      const message = composer.name === room && composer.compose(); // which the user may have changed, or sent
      if (!message) return;
      this.#later.send({ ...message, at });
      composer.takeOut();
      composer.note(`The message will be sent: ${dueTime(at)}.`);
    };
    this.#times.open('send', { opener, onChoose }, aboveOf(opener));
  }

  /** Lets the user choose when to be reminded of a message; `composer` says when that is. */
  remind({ room, message, composer }, opener, point) {
    const onChoose = (at) => {
      this.#later.remind(room, message, at);
      composer.note(`You will be reminded: ${dueTime(at)}.`);
    };
    this.#times.open('remind', { opener, onChoose }, point);
  }
}
