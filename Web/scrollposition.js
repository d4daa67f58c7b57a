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
const LAYOUT_FRAMES = 3; // in which new rows get their heights: the browser lays out a block in one, and the chunks in it in the next
const LEAST = 40; // px of the row that is read that stay on a screen which becomes smaller
const ANCHORS = CSS.supports('overflow-anchor', 'auto'); // whether the browser keeps what is read in place while rows get their heights

export class ScrollPosition {
  #scroller;
  #timeline;
  #isCut;
  #sizes = new ResizeObserver(() => this.#resized());
  #held; // what brings a row to its place in each frame
  #anchor; // {rows, top, width, height, isTurned, sum}: the first row that begins on the screen, and those after it, where the user has scrolled to
  #anchorsIn = 0; // frames after which the browser does its scroll anchoring
  #placed; // the `scrollTop` that was set here: an event with it is not the user's
  #leftAt; // {id, top} of the row in the middle when the room was left; none at the end

  /** @param isCut returns whether there are rows behind the last one that is drawn: the end of the document is not the room's then */
  constructor({ scroller, timeline }, isCut, signal) {
    this.#scroller = scroller;
    this.#timeline = timeline;
    this.#isCut = isCut;
    for (const act of ['wheel', 'touchmove', 'pointerdown', 'keydown']) scroller.addEventListener(act, () => this.#release(), { passive: true, signal });
    scroller.addEventListener('scroll', () => scroller.scrollTop !== this.#placed && this.#note(), { passive: true, signal });
    for (const node of [scroller, timeline]) this.#sizes.observe(node);
    signal.addEventListener('abort', () => this.#sizes.disconnect());
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
    return rowFrom(top + height / 2, this.#timeline) ?? this.#last;
  }

  get #last() {
    return [...this.#timeline.querySelectorAll('.row')].at(-1);
  }

  /** The row at the top of the screen; none at the end, and if its day is seen above it. */
  get top() {
    if (this.isAtEnd) return undefined;
    const { top } = this.#scroller.getBoundingClientRect();
    const row = rowFrom(top, this.#timeline);
    return row?.querySelector(':scope > .day')?.getBoundingClientRect().bottom > top ? undefined : row;
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

  // The rows that are read

  /** Notes what is read, where the user has scrolled to; not where the browser has, as the window has another size. */
  #note() {
    if (!this.#timeline.isConnected) return;
    if (this.#read && this.#isReshaped) return this.#resized();
    const { clientWidth: width, clientHeight: height } = this.#scroller;
    const rows = this.isAtEnd ? [] : this.#rowsInSight();
    this.#anchor = rows.length ? { rows, top: this.#topOf(rows[0]), width, height, isTurned: false } : undefined;
    this.#settle();
  }

  get #isReshaped() {
    return this.#anchor.width !== this.#scroller.clientWidth || this.#anchor.height !== this.#scroller.clientHeight;
  }

  get #read() {
    return this.#timeline.isConnected ? this.#anchor?.rows.find(({ isConnected }) => isConnected) : undefined;
  }

  /** Notes that the row that is read has its place. The sum of its place and of `scrollTop` changes with the rows' heights, and not with scrolling. */
  #settle() {
    const row = this.#read;
    this.#placed = this.#scroller.scrollTop;
    if (row) this.#anchor.sum = this.#topOf(row) + this.#placed;
  }

  /** Returns the first row that begins on the screen, or one that covers it, and some behind it. */
  #rowsInSight() {
    const { top, bottom } = this.#scroller.getBoundingClientRect();
    const rows = [rowFrom(top, this.#timeline)];
    while (rows.at(-1) && rows.length < 5) rows.push(rowFrom(rows.at(-1).getBoundingClientRect().bottom, this.#timeline));
    const found = rows.filter(Boolean);
    const first = found.findIndex((row) => row.getBoundingClientRect().top >= top);
    return first > 0 && found[first].getBoundingClientRect().top < bottom - LEAST ? found.slice(first) : found;
  }

  #topOf(row) {
    return topIn(row) - this.#scroller.getBoundingClientRect().top;
  }

  /**
   * Keeps what is read in place after the window has another size; in a browser without scroll anchoring also after rows have other
   * heights. A window that is as before shows the same rows as before, if the user has not scrolled meanwhile.
   */
  #resized() {
    const scroller = this.#scroller;
    const row = this.#read;
    if (!row) return;
    const { clientWidth: width, clientHeight: height } = scroller;
    if (this.#isReshaped) {
      scroller.scrollTop += this.#topOf(row) - Math.min(this.#anchor.top, Math.max(height - LEAST, 0));
      Object.assign(this.#anchor, { width, height, isTurned: true });
    } else if (!ANCHORS) {
      const moved = this.#topOf(row) + scroller.scrollTop - this.#anchor.sum;
      if (Math.abs(moved) >= 1) scroller.scrollTop = this.#wanted + moved;
    }
    if (this.#anchor.isTurned) this.#settle();
    else this.#note(); // rows have got their heights
  }

  /** The `scrollTop` that was set here, if the browser had to lessen it because the messages lost height; else the present one. */
  get #wanted() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    return scrollTop - 1 <= clientHeight - scrollHeight ? Math.min(scrollTop, this.#placed) : scrollTop;
  }

  /**
   * Returns rows, the first of which is to stay where it is, or a later one if that goes; none at the end. A pulled scrollbar may get below
   * all rows, because a block that the browser skips can have the height of rows that are gone: the last row is then at the end of the screen.
   */
  #placesToKeep() {
    if (this.isAtEnd) return [];
    const rows = this.#rowsInSight();
    if (rows.length || !this.#last) return rows.map((row) => ({ row, top: topIn(row) }));
    const below = this.#scroller.getBoundingClientRect().bottom - this.#last.getBoundingClientRect().bottom;
    return [{ row: this.#last, top: topIn(this.#last) + below }];
  }

  /** Changes the document so that what is read stays where it is on the screen. */
  keep(change) {
    const scroller = this.#scroller;
    this.#resized(); // the browser has laid rows out since the last frame
    const places = this.#placesToKeep();
    if (!places.length) return change();
    const height = scroller.scrollHeight;
    scroller.style.overflowAnchor = 'none'; // the browser would hold on to another row
    change();
    this.#measureAgain();
    const kept = places.find(({ row }) => row.isConnected);
    const moved = kept ? topIn(kept.row) - kept.top : 0;
    // Rows that came above are laid out in the next frames and move nothing, if the browser does no scroll anchoring.
    if (Math.abs(moved) < 1) return this.#anchorAfter(scroller.scrollHeight === height ? 1 : LAYOUT_FRAMES);
    scroller.scrollTop += moved;
    this.#settle();
    this.#anchorAfter(0);
  }

  /** Lets the browser do its scroll anchoring again after some frames. */
  #anchorAfter(frames) {
    this.#anchorsIn = frames;
    if (!frames) this.#scroller.style.overflowAnchor = '';
    else requestAnimationFrame(() => this.#anchorsIn === frames && this.#anchorAfter(frames - 1));
  }

  /**
   * Lets the observer report the size of the messages in the next frame in any case. New chunks have their heights here, and lose them
   * there if they are out of sight: the size may then be the one that was reported last, though what is read has moved.
   */
  #measureAgain() {
    if (ANCHORS) return;
    this.#sizes.unobserve(this.#timeline);
    this.#sizes.observe(this.#timeline);
  }

  /** Changes a row so that its beginning stays where it is on the screen; one above the screen comes there. */
  keepRow(row, change) {
    const scroller = this.#scroller;
    const top = Math.max(this.#topOf(row), 0);
    scroller.style.overflowAnchor = 'none';
    change();
    scroller.scrollTop += this.#topOf(row) - top;
    scroller.style.overflowAnchor = '';
    this.#note();
  }

  // Another room

  /** The room leaves the screen: its position is noted if it was read. */
  leave(isRead) {
    const row = isRead && this.middle;
    this.#anchor = undefined;
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

/** Returns the top of a row's text in the window: the heading above it comes and goes with the rows before. */
const topIn = (row) => row.querySelector(':scope > .text').getBoundingClientRect().top;

/** Returns the first row that ends below a height of the window, whether it is drawn or covered. Boxes around rows are in order, too. */
function rowFrom(height, box) {
  for (const child of box.children) {
    if (child.getBoundingClientRect().bottom <= height) continue;
    const row = child.matches('.row') ? child : rowFrom(height, child);
    if (row) return row;
  }
  return undefined;
}
