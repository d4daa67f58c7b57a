/** A client's copy of one list: frames change it, and a new connection resumes it. */

import { changesOf } from './changes.js';
import { rowHash, sumsOf } from './digest.js';
import { LATER, textBytes, uuidBytes } from './identifiers.js';
import { keep, operating, OPERATIONS } from './operations.js';
import { checkOrder, contradict, orderedRows, rowsOf } from './orderedrows.js';
import { begin, gapsOf, holds, intersect, join, WHOLE } from './ranges.js';

const PROVEN_ROWS = 32; // the number of rows at the end of a list that its digest covers
const MOST_RANGES = 16; // the number of ranges that a `resume` can name
const MOST_HELD = 500; // the number of rows that it names, so that a server accepts its frame

export const refuse = (verdict, why) => ({ verdict, why });

/** A reader's copy of one list: its end, and what else the reader has asked for. It knows no socket and no clock. */
class Replica {
  /** Another object after each change; its content never changes. */
  state;
  #rows = orderedRows();
  #isMessages;
  #idBytes;
  #newestPage = 0; // a page's rows can be newer than the list, so digests count only from this revision on
  #at = Infinity; // the sort key that the user looked at when the list was last resumed

  placeOf = this.#rows.placeOf;

  constructor(list) {
    this.#isMessages = list.endsWith('/messages');
    this.#idBytes = this.#isMessages || list.endsWith('/pins') || list === LATER ? uuidBytes : textBytes;
    this.#become({ list, count: 0 }, WHOLE);
  }

  /**
   * Applies a `snapshot`, `diff` or `page` frame: all of it, or nothing.
   *
   * @returns {{ verdict: string, why?: string, changes?: any }}
   */
  apply(frame) {
    const rows = this.#rows;
    const reloaded = new Set();
    let refusal;
    try {
      const apply = { snapshot: this.#snapshot, diff: this.#diff, page: this.#page }[frame.type];
      const touched = rows.change((touched) => (refusal = apply.call(this, frame, rows, touched, reloaded)));
      return refusal ?? { verdict: 'applied', changes: changesOf(frame.type, this, touched, reloaded) };
    } catch ({ why = 'malformed' }) {
      return refuse('restart', why); // other errors come from fields that are missing or of another type
    }
  }

  #become(fields, ranges) {
    const more = ranges[0][0] > 0;
    const state = { ...this.state, ...fields, ranges, more, sections: this.#rows.sections() };
    const missing = more || ranges[2] ? undefined : state.count - this.#rows.byId.size;
    this.state = Object.freeze({ ...state, gaps: gapsOf(ranges, state, missing) });
  }

  /** Removes the rows outside of the ranges. */
  #leave(ranges) {
    for (const row of this.#rows.byId.values()) if (!holds(ranges, row)) this.#rows.put(row.id);
  }

  /** Drops ranges that a `resume` could not name: those that are farthest from a sort key. */
  #nearest(ranges, sort) {
    if (ranges.length <= MOST_RANGES) return ranges;
    const [first, last] = [ranges[0], ranges.at(-2)];
    const far = sort - first[1] > last[0] - sort ? first : last;
    const left = ranges.filter((range) => range !== far);
    this.#leave(left);
    return this.#nearest(left, sort);
  }

  #diff(frame, rows, touched, reloaded) {
    const { epoch, from, to, count, counts, missing, start, kept, groups = [], ranges: left, ...operations } = frame;
    const { state } = this;
    const moves = kept >= 0; // it begins with the held rows, in whatever epoch they are
    const here = moves || epoch === state.epoch;
    if (!moves && here && to <= state.revision) {
      if (to === state.revision) this.#prove(frame, state.ranges, to);
      if (to < state.revision || !left) return refuse('ignored', 'duplicate');
    } else if (!here || from !== state.revision) return refuse('resume', here ? 'gap' : 'other_epoch');
    for (const key in operations) if (Array.isArray(frame[key]) && !OPERATIONS[key]) contradict('unknown_operation');
    const operate = operating({ rows, touched, reloaded, anew: moves });
    if (moves) keep(rows, kept, groups, frame.ins);
    for (const kind in OPERATIONS) for (const op of frame[kind] ?? []) operate(kind, op);
    let ranges = left ? intersect(state.ranges, left) : state.ranges;
    if (frame.ins?.some((row) => !holds(ranges, row))) contradict();
    if (left) this.#leave(ranges);
    // Rows before the list's beginning were trimmed.
    while (rows.first()?.sort < start) rows.put(rows.first().id);
    ranges = begin(ranges, start);
    checkOrder(rows, touched);
    this.#prove(frame, ranges, to);
    this.#become({ epoch, revision: to, count, counts, missing }, rows.byId.size === count ? WHOLE : this.#nearest(ranges, this.#at));
  }

  #snapshot({ epoch, revision, joined, more, count, counts, missing, digest, sections, kept }, rows, touched, reloaded) {
    rows.clear(sections);
    for (const { id: section, rows: those } of sections)
      for (const row of those) {
        if (epoch !== this.state.epoch || touched.get(row.id)?.rev !== row.rev) reloaded.add(row.id);
        rows.put(row.id, { ...row, section });
      }
    checkOrder(rows, touched);
    const ranges = more ? [[rows.first().sort, Infinity]] : WHOLE;
    if (!kept) this.#prove({ count, digest }, ranges); // what an earlier client held is proved by the next diff
    this.#newestPage = 0;
    this.#become({ epoch, revision, joined, count, counts, missing }, ranges);
  }

  #page({ epoch, revision, from, to, rows: those }, rows, touched, reloaded) {
    const { state } = this;
    if (epoch !== state.epoch) return refuse('ignored', 'other_epoch');
    // Rows that were deleted since would come back.
    if (revision < state.revision) return refuse('again', 'stale_page');
    for (const row of those) {
      if (!holds([[from, to]], row)) contradict();
      const old = rows.byId.get(row.id);
      // A row that is missing in a held range is one that a diff will bring.
      if (old ? row.rev <= old.rev : holds(state.ranges, row)) continue;
      reloaded.add(row.id);
      rows.put(row.id, { ...row, section: old?.section ?? state.sections[+(row.sort > state.joined)].id });
    }
    checkOrder(rows, touched);
    this.#newestPage = Math.max(this.#newestPage, revision);
    const ranges = join(state.ranges, from, Math.min(to, state.revision));
    this.#become({}, this.#nearest(ranges, from));
  }

  /** Drops all but the newest `keep` rows; they can be paged in again. */
  trim(keep) {
    const rows = this.#rows;
    const excess = rows.byId.size - keep;
    if (excess <= 0) return;
    const touched = rows.change(() => {
      const sections = rows.sections();
      rows.clear(sections);
      for (const row of rowsOf({ sections }).slice(excess)) rows.put(row.id, row);
    });
    this.#become({}, intersect(this.state.ranges, [{ from: rows.first().sort }]));
    return changesOf('trim', this, touched);
  }

  /** Throws unless the held rows agree with the frame's proofs, as far as they can be checked. */
  #prove({ count, digest, ranges: proven = [] }, ranges, revision = this.#newestPage) {
    if (revision < this.#newestPage) return;
    const { size } = this.#rows.byId;
    const depth = Math.min(PROVEN_ROWS, count);
    const [tail] = ranges.at(-1);
    const last = this.#rows.sections().flatMap(({ rows }) => rows.slice(-PROVEN_ROWS)).slice(-depth || size);
    const isWhole = ranges.length === 1 && !tail;
    const isCovered = size >= depth && !(last[0]?.sort < tail);
    if (size > count || (isWhole && size < count) || (isCovered && this.#digest(last) !== digest)) contradict('diverged');
    for (const { from, to = Infinity, count, digest } of proven) {
      const part = [...this.#rows.byId.values()].filter((row) => holds([[from, to]], row));
      if (count >= 0 && (part.length !== count || this.#digest(part) !== digest)) contradict('diverged');
    }
  }

  #digest(rows) {
    return rows.reduce((sum, row) => (sum + rowHash(row, this.#idBytes)) >>> 0, 0);
  }

  get(id) {
    return this.#rows.byId.get(id);
  }

  /** `at`: the sort key of the row that the user looks at, if any. */
  resume(at) {
    const { epoch, revision, joined, ranges } = this.state;
    this.#at = at ?? Infinity;
    const held = ranges.map((range) => range.map((sort) => Math.min(sort, revision)));
    // Messages that were kept without `joined` are only shown until the server's come.
    if (epoch && joined >= 0) return { epoch, revision, joined, ...(this.#isMessages ? { ranges: held, at } : naming(rowsOf(this.state))) };
  }
}

/** Names the held rows in a `resume`, or their sums if they are many, if each has a tag. */
function naming(rows) {
  if (!rows.length || !rows.every(({ tag }) => tag)) return {};
  return rows.length > MOST_HELD ? { sums: sumsOf(rows) } : { rows: rows.map(({ id, tag }) => [id, tag]) };
}

export const replica = (list) => new Replica(list);
