/** The day of the messages on the screen, above them while the reader scrolls, and after a jump. */

import { calendar } from './elements.js';

const SHOWN = 2_000; // ms after the last scroll

export class FloatingDay {
  #node;
  #timeOf;
  #isDue = false; // whether the next frame draws it
  #timer;

  /** @param node the element; `timeOf` returns the time of the first message on the screen; none where no day is shown */
  constructor(node, timeOf) {
    this.#node = node;
    this.#timeOf = timeOf;
  }

  /** The reader scrolls. The place is measured behind the next frame: a layout in its midst would let the browser hold on to another row. */
  show() {
    if (!this.#isDue) requestAnimationFrame(() => setTimeout(() => this.#draw()));
    this.#isDue = true;
  }

  hide() {
    clearTimeout(this.#timer);
    this.#node.hidden = true;
  }

  #draw() {
    this.#isDue = false;
    const time = this.#timeOf();
    if (time === undefined) return this.hide();
    const text = calendar.format(time);
    if (this.#node.textContent !== text) this.#node.textContent = text;
    this.#node.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hide(), SHOWN);
  }
}
