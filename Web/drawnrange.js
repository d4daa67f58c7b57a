/**
 * Which of a room's loaded rows have elements: at most 2,000 around the reader, because each costs memory and layout. It is a
 * range of sort keys. Where it reaches the end of the loaded rows, it has the rows that come there, too.
 */

import { lowerBound } from './diffroom.js';

export const MOST_ROWS = 2_000;
const KEPT = 1_500; // rows that stay when there come to be too many
const STEP = 300; // rows by which the range grows when the reader comes near one of its ends
const AROUND = 200; // rows on each side of one to which the reader jumps

export class DrawnRange {
  #from = 0;
  #to = Infinity;
  #drawn = { from: 0, to: Infinity }; // where it was when its rows were drawn last: those into which it has grown are drawn some frames later

  holds({ sort }) {
    return this.#from <= sort && sort <= this.#to;
  }

  /** Returns whether there are loaded rows before it. */
  isCutAbove(rows) {
    return rows[0]?.sort < this.#from;
  }

  /** Returns whether there are loaded rows behind it. */
  isCutBelow(rows) {
    return rows.at(-1)?.sort > this.#to;
  }

  /** Returns whether there are loaded rows behind the last one that is drawn: the end of the document is not the room's then. */
  isEndMissing(rows) {
    return rows.at(-1)?.sort > this.#drawn.to;
  }

  /** Notes that its rows are drawn, and no others. */
  noteDrawn() {
    this.#drawn = { from: this.#from, to: this.#to };
  }

  /** Drops the rows that are too many: those farthest from the sort key `at`. Returns whether there were some. */
  bound(rows, at) {
    const [first, end] = [lowerBound(rows, this.#from), lowerBound(rows, this.#to + 1)];
    if (end - first <= MOST_ROWS) return false;
    const middle = lowerBound(rows, at);
    const start = Math.max(first, Math.min(middle - KEPT / 2, end - KEPT));
    this.#set(rows, start, Math.min(start + KEPT, end));
    return true;
  }

  /** Grows upwards, or downwards. Returns whether there are rows for it. */
  grow(rows, by) {
    const [first, end] = [lowerBound(rows, this.#from), lowerBound(rows, this.#to + 1)];
    if (!(by < 0 ? this.isCutAbove(rows) : this.isCutBelow(rows))) return false;
    if (by < 0) this.#set(rows, first - STEP, end);
    else this.#set(rows, first, end + STEP);
    return true;
  }

  /** Goes to the first row from a sort key on, or to the end, unless it is there. Returns whether that row is still to be drawn. */
  reach(rows, sort) {
    const at = Math.min(lowerBound(rows, sort), rows.length - 1);
    if (at < 0) return false;
    if (this.holds(rows[at])) return !(this.#drawn.from <= rows[at].sort && rows[at].sort <= this.#drawn.to);
    this.#set(rows, at - AROUND, at + AROUND + 1);
    return true;
  }

  #set(rows, first, end) {
    this.#from = first > 0 ? rows[first].sort : 0;
    this.#to = end < rows.length ? rows[end - 1].sort : Infinity;
  }
}
