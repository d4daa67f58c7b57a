/**
 * Where the reader is in a room's messages, and what stays where it is on the screen.
 *
 * The scroller is laid out from its end: there `scrollTop` is 0, and negative above it.
 */

const AT_END = 48; // px from the end that still count as the end
const FAR = 1_400; // px from the end at which the page offers to go there
const NEAR = 1_500; // px from the first or the last row that is drawn at which more are wanted
const HOLD_FRAMES = 40; // at most, in which a row is held while others get their heights
const STILL_FRAMES = 4; // in which it did not move: they have them

export class ScrollPosition {
  #scroller;
  #timeline;
  #isCut;
  #held; // what brings a row to its place in each frame
  #leftAt; // {id, top} of the row in the middle when the room was left; none at the end

  /** @param isCut returns whether there are rows behind the last one that is drawn: the end of the document is not the room's then */
  constructor({ scroller, timeline }, isCut, signal) {
    this.#scroller = scroller;
    this.#timeline = timeline;
    this.#isCut = isCut;
    for (const act of ['wheel', 'touchmove', 'pointerdown', 'keydown']) scroller.addEventListener(act, () => this.#release(), { passive: true, signal });
  }

  get isAtEnd() {
    return this.#scroller.scrollTop > -AT_END && !this.#isCut();
  }

  get isFar() {
    return this.#scroller.scrollTop < -FAR || this.#isCut();
  }

  get isNearBeginning() {
    const { scrollHeight, clientHeight, scrollTop } = this.#scroller;
    return scrollHeight - clientHeight + scrollTop < NEAR;
  }

  get isNearEnd() {
    return this.#scroller.scrollTop > -NEAR;
  }

  /** The row in the middle of the screen, or the next one; none at the end. */
  /** @returns {HTMLElement | undefined} */
  get middle() {
    if (this.isAtEnd) return undefined;
    const { top, height } = this.#scroller.getBoundingClientRect();
    return rowFrom(top + height / 2, this.#timeline) ?? [...this.#timeline.querySelectorAll('.row')].at(-1);
  }

  toEnd() {
    this.#release();
    this.#scroller.scrollTop = 0;
  }

  /** Brings a node to the `start` or the `center` of the screen. */
  bring(node, block) {
    this.#hold(node, () => node.scrollIntoView({ block }));
  }

  /** Calls `scroll`, which brings a node to its place, until the rows around it have their heights or the user scrolls. */
  #hold(node, scroll) {
    const scroller = this.#scroller;
    let still = 0;
    const again = (frames) => {
      if (this.#held !== again || !node.isConnected) return;
      const before = scroller.scrollTop;
      scroll();
      still = Math.abs(scroller.scrollTop - before) < 1 ? still + 1 : 0;
      if (frames < HOLD_FRAMES && still < STILL_FRAMES) requestAnimationFrame(() => again(frames + 1));
    };
    this.#held = again;
    node.scrollIntoView({ block: 'center' });
    again(0);
  }

  #release() {
    this.#held = undefined;
  }

  /**
   * Changes the document, beside a gap, so that the row in the middle of the screen stays where it is. Elsewhere the
   * browser sees to that; but here it would hold on to the row at the gap, which gets or loses its heading.
   */
  keep(change) {
    const scroller = this.#scroller;
    const row = this.middle;
    if (!row) return change();
    const { top } = row.getBoundingClientRect();
    scroller.style.overflowAnchor = 'none';
    change();
    const moved = row.isConnected ? row.getBoundingClientRect().top - top : 0;
    const letGo = () => (scroller.style.overflowAnchor = '');
    // Rows that came above are laid out in this frame and move nothing, if the browser does no scroll anchoring.
    if (Math.abs(moved) < 1) return requestAnimationFrame(letGo);
    scroller.scrollTop += moved;
    letGo();
  }

  // Another room

  /** The room leaves the screen: its position is noted if it was read. */
  leave(isRead) {
    const row = isRead && this.middle;
    this.#leftAt = row ? { id: row.dataset.id, top: row.getBoundingClientRect().top } : undefined;
    this.#release();
  }

  /** Goes where the room was left; to the end if that was there. `nodeOf(id)` is the element of a row. */
  comeBack(nodeOf) {
    const scroller = this.#scroller;
    scroller.scrollTop = 0;
    const { id, top } = this.#leftAt ?? {};
    const node = nodeOf(id);
    if (node) this.#hold(node, () => (scroller.scrollTop += node.getBoundingClientRect().top - top));
  }

  /** Returns whether the room was left at another place than the end, once. */
  takeLeft() {
    const wasLeft = Boolean(this.#leftAt);
    this.#leftAt = undefined;
    return wasLeft;
  }
}

/** Returns the first row that ends below a height of the window, whether it is drawn or covered. Boxes around rows are in order, too. */
function rowFrom(height, box) {
  for (const child of box.children) {
    if (child.getBoundingClientRect().bottom <= height) continue;
    const row = child.matches('.row') ? child : rowFrom(height, child);
    if (row) return row;
  }
  return undefined;
}
