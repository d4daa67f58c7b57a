/** The rows of a list in their order, found by binary search and by id. */

export const same = (one, other) => one.section === other.section && one.sort === other.sort;

export const rowsOf = ({ sections }) => sections.flatMap(({ rows }) => rows);

/** The error of a frame that contradicts the held rows. `why` is the outcome's name in docs/protocol-reference.md. */
class Contradiction extends Error {
  constructor(why) {
    super(why);
    this.why = why;
  }
}

/** Throws because a frame contradicts the held rows. */
export function contradict(why) {
  throw new Contradiction(why);
}

/** Returns the rows of a row's section, and its index in them: O(log rows). */
function placeIn(sections, { section, sort }) {
  const { rows } = sections.find(({ id }) => id === section);
  return [rows, lowerBound(rows, sort)];
}

/** Puts a row into its place in the sections, instead of another one. Either may be missing. */
function replace(sections, old, row) {
  if (old) {
    const [rows, from] = placeIn(sections, old);
    // While rows change places, two can have one sort key, so look for the row itself from there on.
    rows.splice(rows.indexOf(old, from), 1);
  }
  if (row) {
    const [rows, at] = placeIn(sections, row);
    rows.splice(at, 0, row);
  }
}

/**
 * Rows ordered by (section, sort), each known by its id. A change is made whole or not at all.
 *
 * Rows that a caller has read stay as they are: a changed row is another object, and each change begins with a copy of
 * the sections' lists of rows. Binary search and a map find a row.
 */
export function orderedRows() {
  let sections = [];
  const byId = new Map();
  let touched; // the former state of each row that the current change has touched
  const index = (id, row) => (row ? byId.set(id, row) : byId.delete(id));
  const first = () => sections.find(({ rows }) => rows.length)?.rows[0];

  /** Lets `action` change rows: all of it or, if it throws, nothing. Returns the former state of each touched row. */
  function change(action) {
    const before = sections;
    sections = before.map(({ id, rows }) => ({ id, rows: [...rows] }));
    touched = new Map();
    try {
      action(touched);
      return touched;
    } catch (error) {
      sections = before;
      for (const [id, row] of touched) index(id, row);
      throw error;
    }
  }

  /** Puts a row into its place, or removes it if `row` is missing. */
  function put(id, row) {
    if (row && !(id.length && [row.sort, row.rev].every(Number.isSafeInteger))) contradict();
    const old = byId.get(id);
    if (!touched.has(id)) touched.set(id, old);
    replace(sections, old, row);
    index(id, row);
  }

  /** Removes all rows, and sets the sections. */
  function clear(others) {
    for (const [id, row] of byId) touched.set(id, row);
    byId.clear();
    sections = others.map(({ id }) => ({ id, rows: [] }));
  }

  return { byId, sections: () => sections, first, change, put, clear, placeOf: (row) => placeIn(sections, row) };
}

/** Returns the first index whose row's sort is not below `sort`. */
export function lowerBound(rows, sort) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].sort < sort) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Throws if two of the touched rows have one place. */
export function checkOrder(rows, touched) {
  for (const id of touched.keys()) {
    const row = rows.byId.get(id);
    const [those, index] = row ? rows.placeOf(row) : [[]];
    if (those[index] !== row || (row && those[index + 1]?.sort === row.sort)) contradict();
  }
}
