/** The announcements for screen readers. */

import { textOf } from './diffroom.js';
import { $ } from './elements.js';
import { called } from './faces.js';
import { withoutMarks } from './markdown.js';

const EVERY = 2_000; // ms: a busy room must not talk over a person who listens

export class Speaker {
  #last;
  #unspoken = 0;
  #speaking;

  /** Reads a sentence out, now. */
  say(text) {
    $('spoken').textContent = text;
  }

  /** Reads messages out, many at once as one sentence. */
  tell(rows) {
    this.#last = rows.at(-1);
    this.#unspoken += rows.length;
    if (this.#speaking) return;
    this.#speaking = setTimeout(() => {
      const { author } = this.#last;
      const text = `${author ? `${called(author)}: ` : ''}${withoutMarks(textOf(this.#last).slice(0, 600)).slice(0, 300)}`;
      this.say(this.#unspoken > 1 ? `${this.#unspoken} new messages, the last from ${text}` : text);
      this.#unspoken = 0;
      this.#speaking = undefined;
    }, EVERY);
  }
}
