/** The hint for a person who has come to this browser for the first time. It stays until they close it, or write something. */

import { $ } from './elements.js';

export class FirstHint {
  #kept;

  /** @param kept remembers whether the hint is `due` or `done` */
  constructor(kept) {
    this.#kept = kept;
    $('first-close').addEventListener('click', () => {
      this.close();
      $('text').focus();
    });
  }

  /** A person has come who was asked who they are. */
  begin() {
    if (!this.#kept.get('hint')) this.#kept.set('hint', 'due');
  }

  show() {
    $('first').hidden = this.#kept.get('hint') !== 'due';
  }

  close() {
    if (this.#kept.get('hint') === 'due') this.#kept.set('hint', 'done');
    $('first').hidden = true;
  }
}
