/** Dragging the rows of a list by their handles, to another place of the list. */

import { placeAt } from './pins.js';

const EDGE = 36; // px at the ends of the list where it scrolls
const SCROLL = 7; // px in each frame
const SLOP = 6; // px that a pointer moves without meaning it

export class PinDragging {
  #list;
  #page;
  #drag; // {item, grip, shift, from, y, place, isMoved}

  /**
   * @param list the element with the rows; their handles have the class `grip`
   * @param page `onMove(item, place)` when one was dropped, and `onTap(item)` when its handle was pressed and not dragged
   */
  constructor(list, page) {
    this.#list = list;
    this.#page = page;
    list.addEventListener('pointerdown', (event) => this.#pressed(event));
    list.addEventListener('pointermove', ({ clientY }) => this.#moved(clientY));
    list.addEventListener('pointerup', () => this.#released());
    list.addEventListener('pointercancel', () => this.cancel());
    addEventListener('keydown', (event) => this.#drag && event.key === 'Escape' && this.#escaped(event), { capture: true });
  }

  get isUnderWay() {
    return Boolean(this.#drag);
  }

  #pressed(event) {
    const { target, button, isPrimary, pointerId, clientY: y } = event;
    const item = target.closest('.grip')?.closest('li');
    if (!item || button || !isPrimary) return;
    event.preventDefault(); // no text is selected, and the focus stays
    this.#list.setPointerCapture(pointerId);
    this.#drag = { item, y, from: y, grip: y - item.getBoundingClientRect().top, shift: 0, place: [...this.#list.children].indexOf(item) };
    item.dataset.dragged = '';
    this.#frame();
  }

  #moved(y) {
    if (!this.#drag) return;
    this.#drag.y = y;
    this.#drag.isMoved ||= Math.abs(y - this.#drag.from) > SLOP;
    this.#carry();
  }

  /** Follows the pointer, and scrolls the list while that is at one of its ends. */
  #frame() {
    if (!this.#drag) return;
    const { top, bottom } = this.#list.getBoundingClientRect();
    const { y } = this.#drag;
    this.#list.scrollTop += y < top + EDGE ? -SCROLL : y > bottom - EDGE ? SCROLL : 0;
    this.#carry();
    requestAnimationFrame(() => this.#frame());
  }

  /** Moves the row below the pointer, and the others out of its way. */
  #carry() {
    const { item, grip, y, shift } = this.#drag;
    this.#drag.shift = y - grip - (item.getBoundingClientRect().top - shift);
    item.style.translate = `0 ${this.#drag.shift}px`;
    const others = [...this.#list.children].filter((other) => other !== item);
    const middles = others.map((other) => other.offsetTop + other.offsetHeight / 2);
    const middle = item.offsetTop + this.#drag.shift + item.offsetHeight / 2;
    this.#drag.place = placeAt(middle, middles);
    for (const [index, other] of others.entries()) {
      const isAbove = other.offsetTop < item.offsetTop;
      const by = isAbove && index >= this.#drag.place ? 1 : !isAbove && index < this.#drag.place ? -1 : 0;
      other.style.translate = `0 ${by * item.offsetHeight}px`;
    }
  }

  #released() {
    const { item, place, isMoved } = this.#drag ?? {};
    this.cancel();
    if (item && isMoved) this.#page.onMove(item, place);
    else if (item) this.#page.onTap(item);
  }

  #escaped(event) {
    event.preventDefault();
    event.stopPropagation();
    this.cancel();
  }

  /** Ends the drag: each row is where it was. */
  cancel() {
    if (!this.#drag) return;
    delete this.#drag.item.dataset.dragged;
    this.#drag = undefined;
    for (const item of this.#list.children) item.style.translate = '';
  }
}
