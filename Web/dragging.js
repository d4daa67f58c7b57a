/** Dragging rows of the list of rooms: to a place among the pinned ones, and out of these. A finger rests on a row first. */

import { $ } from './elements.js';
import { placeAt } from './pins.js';

const SLOP = 6; // px that a pointer moves without meaning it
const REST = 350; // ms for which a finger rests on a row before it takes it along
const EDGE = 36; // px at the ends of the list where it scrolls
const SCROLL = 7; // px in each frame

export class Dragging {
  #page;
  #list = $('sidebar');
  #press; // {item, room, x, y, isTouch, timer}
  #drag; // {item, room, grip, shift, y, target}
  #isSpent = false; // whether the end of the press means nothing more

  /**
   * @param page `get(room)`, the row of one of the user's rooms; `onPin(room, place)` and `onUnpin(room)`; `onRest(room,
   * link, point)` when a finger has rested on a row without taking it along
   */
  constructor(page) {
    this.#page = page;
    const list = this.#list;
    list.addEventListener('pointerdown', (event) => this.#pressed(event));
    list.addEventListener('pointermove', (event) => this.#moved(event));
    list.addEventListener('pointerup', (event) => this.#released(event));
    list.addEventListener('pointercancel', () => this.#end());
    list.addEventListener('dragstart', (event) => event.preventDefault()); // the browser's own, of a link
    // A list that scrolled would take the pointer away.
    list.addEventListener('touchmove', (event) => this.#drag && event.cancelable && event.preventDefault(), { passive: false });
    // Or a click, and the focus with it, would follow.
    list.addEventListener('touchend', (event) => this.#isSpent && event.cancelable && event.preventDefault());
    list.addEventListener('contextmenu', (event) => this.#press?.isTouch && event.preventDefault());
    addEventListener('keydown', (event) => this.#drag && event.key === 'Escape' && this.#cancel(event), { capture: true });
  }

  #pressed({ target, button, isPrimary, pointerType, clientX: x, clientY: y }) {
    const item = target.closest('a') && target.closest('li');
    const room = item?.firstChild.dataset.room;
    const { section } = (room && this.#page.get(room)) ?? {};
    if (!section || section === 'invited' || button || !isPrimary) return;
    const isTouch = pointerType !== 'mouse';
    this.#isSpent = false;
    this.#press = { item, room, x, y, isTouch };
    if (isTouch) this.#press.timer = setTimeout(() => this.#lift(), REST);
  }

  #moved({ clientX: x, clientY: y, pointerId }) {
    const { item, isTouch } = this.#press ?? {};
    if (!item) return;
    const isFar = Math.hypot(x - this.#press.x, y - this.#press.y) > SLOP;
    if (!this.#drag && isFar && isTouch) return this.#end(); // it scrolls
    if (!this.#drag && isFar) this.#lift();
    if (!this.#drag) return;
    if (isFar && !this.#list.hasPointerCapture(pointerId)) this.#list.setPointerCapture(pointerId);
    this.#drag.isMoved ||= isFar;
    this.#drag.y = y;
    this.#carry();
  }

  #lift() {
    const { item, room, y } = this.#press;
    this.#drag = { item, room, y, grip: y - item.getBoundingClientRect().top, shift: 0 };
    item.dataset.dragged = '';
    this.#list.dataset.dragging = '';
    this.#frame();
  }

  /** Follows the pointer, and scrolls the list while that is at one of its ends. */
  #frame() {
    if (!this.#drag) return;
    const { top, bottom } = this.#list.getBoundingClientRect();
    const { y, isMoved } = this.#drag;
    const by = y < top + EDGE ? -SCROLL : y > bottom - EDGE ? SCROLL : 0;
    if (isMoved && by) this.#list.scrollTop += by;
    this.#carry();
    requestAnimationFrame(() => this.#frame());
  }

  #carry() {
    const { item, grip, y, shift } = this.#drag;
    this.#drag.shift = y - grip - (item.getBoundingClientRect().top - shift);
    item.style.translate = `0 ${this.#drag.shift}px`;
    this.#drag.target = this.#targetAt(y);
    this.#show(this.#drag.target?.line);
  }

  /** Returns where the row would go: a `place`, with the height of its `line`; or that it `leaves` the pinned ones. */
  #targetAt(y) {
    const { item, room } = this.#drag;
    const area = $('pinned').getBoundingClientRect();
    const isPinned = this.#page.get(room)?.section === 'pinned';
    if (y > area.bottom) return isPinned ? { leaves: true } : undefined;
    const others = [...$('pinned-list').children].filter((other) => other !== item).map((other) => other.getBoundingClientRect());
    const place = placeAt(y, others.map(({ top, bottom }) => (top + bottom) / 2));
    const end = others.at(-1)?.bottom ?? $('pinned-list').getBoundingClientRect().top;
    return { place, line: others[place]?.top ?? end };
  }

  #show(line) {
    const drop = $('drop');
    drop.hidden = line === undefined || !this.#drag.isMoved;
    drop.style.top = `${line - this.#list.getBoundingClientRect().top + this.#list.scrollTop}px`;
  }

  #released({ clientX: x, clientY: y }) {
    const { room, target, isMoved } = this.#drag ?? {};
    const { item, isTouch } = this.#press ?? {};
    this.#isSpent ||= Boolean(this.#drag);
    this.#end();
    if (this.#isSpent) this.#ignoreClick();
    if (!this.#page.get(room)) return;
    if (!isMoved) return isTouch && this.#page.onRest(room, item.firstChild, { x, y });
    if (target?.leaves) this.#page.onUnpin(room);
    else if (target) this.#page.onPin(room, target.place);
  }

  /** The click that follows is none on the row. */
  #ignoreClick() {
    const ignore = (event) => {
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener('click', ignore, { capture: true, once: true });
    setTimeout(() => removeEventListener('click', ignore, { capture: true }));
  }

  #cancel(event) {
    event.preventDefault();
    event.stopPropagation();
    this.#end();
    this.#isSpent = true;
  }

  #end() {
    clearTimeout(this.#press?.timer);
    const { item } = this.#drag ?? {};
    this.#press = this.#drag = undefined;
    $('drop').hidden = true;
    delete this.#list.dataset.dragging;
    if (!item) return;
    delete item.dataset.dragged;
    item.style.translate = '';
  }
}
