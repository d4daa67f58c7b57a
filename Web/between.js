/** The rows between messages: gaps, which load when they come on the screen, and the line above the new messages. */

import { attach, detach } from './chunks.js';
import { element } from './elements.js';

const NEAR = '400px'; // from the screen at which a gap is loaded

export class Between {
  #room;
  #nodes = new Map(); // id → {node, place, gap}
  #observer;

  /** @param room `list()`, the `scroller`, the `sections` and `node(id)`, the element of a row */
  constructor(room) {
    this.#room = room;
    this.#observer = new IntersectionObserver((entries) => entries.forEach((entry) => this.#met(entry)), { root: room.scroller, rootMargin: `${NEAR} 0px` });
  }

  /** Returns the element of what has this id. */
  node(id) {
    return this.#nodes.get(id)?.node;
  }

  /** Puts everything at its place, and returns the ids of the rows whose neighbours have changed by that. */
  draw({ gaps }, since) {
    const all = [...gaps.map((gap) => ({ ...gap, gap, text: missing(gap) })).reverse(), ...(since ? [since] : [])];
    const marks = all.filter((mark) => this.#isBesideDrawn(mark));
    const touched = new Set();
    for (const [id, held] of this.#nodes) if (!marks.some((mark) => mark.id === id)) this.#remove(id, held, touched);
    // From the end: of two that stand at one place, the later one is there first.
    for (const mark of marks) this.#put(mark, touched);
    return touched;
  }

  /** Returns whether a row beside a place is drawn, or there is none. */
  #isBesideDrawn(mark) {
    const [rows, index] = this.#room.list().placeOf(mark);
    const beside = [rows[index - 1], rows[index]].filter(Boolean);
    return !beside.length || beside.some(({ id }) => this.#room.node(id));
  }

  #put({ id, gap, text, ...mark }, touched) {
    const held = this.#nodes.get(id) ?? this.#make(id, gap);
    held.gap = gap;
    if (held.label.textContent !== text) held.label.textContent = text;
    const [rows, index] = this.#room.list().placeOf(mark);
    const [above, below] = [rows[index - 1]?.id, rows[index]?.id];
    const place = `${mark.section} ${above} ${below}`;
    if (held.place === place && held.node.isConnected) return this.#watch(held);
    if (held.node.parentNode) detach(held.node);
    attach(held.node, this.#room.node(above), this.#room.sections[mark.section]);
    touched.add(held.below).add(below);
    Object.assign(held, { place, below });
    this.#watch(held);
  }

  #make(id, gap) {
    const label = element(gap ? 'button' : 'span', gap ? { type: 'button' } : {});
    const node = element('div', { className: gap ? 'missing rule' : 'since rule', role: 'listitem', dataset: { between: id } }, label);
    const held = { node, label };
    this.#nodes.set(id, held);
    label.onclick = () => held.gap && this.#fill(held, 'after');
    return held;
  }

  #remove(id, { node, below }, touched) {
    this.#observer.unobserve(node);
    if (node.contains(document.activeElement)) (this.#room.node(below) ?? this.#room.scroller).focus({ preventScroll: true });
    if (node.parentNode) detach(node);
    this.#nodes.delete(id);
    touched.add(below);
  }

  // Loading

  /** Observes the gap's place, once. */
  #watch(held) {
    if (!held.gap || held.isBusy) return;
    this.#observer.unobserve(held.node);
    this.#observer.observe(held.node);
  }

  /** Loads a gap that comes near: from its end if it is above the messages read, else from its beginning. */
  #met({ target, isIntersecting, boundingClientRect: { top, bottom }, rootBounds }) {
    const held = this.#nodes.get(target.dataset.between);
    if (!isIntersecting || !held || held.isBusy) return;
    const isAbove = top + bottom < rootBounds.top + rootBounds.bottom;
    this.#fill(held, isAbove ? 'before' : 'after');
  }

  async #fill(held, side) {
    held.isBusy = true;
    held.node.dataset.busy = '';
    await this.#room.list().fill(held.gap, side);
    held.isBusy = false;
    delete held.node.dataset.busy;
  }
}

function missing({ count }) {
  return count === undefined ? 'Messages not loaded' : `${count.toLocaleString()} message${count === 1 ? '' : 's'} not loaded`;
}
