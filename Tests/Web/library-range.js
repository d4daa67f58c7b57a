/** Which of the loaded rows the page draws. */

import { DrawnRange, MOST_ROWS } from '../drawnrange.js';
import { equal, ok, random, test } from './checks.js';

for (let seed = 1; seed <= 40; seed++)
  test(`the rows that are drawn have no gap, are not too many, and have the one that is read (seed ${seed})`, () => {
    const { below } = random(seed);
    const range = new DrawnRange();
    let rows = [];
    let at = Infinity; // the sort key that is read
    const add = (count, from) => Array.from({ length: count }, (_, index) => ({ sort: from + index * 2 }));
    const readAt = () => rows[Math.min(rows.findIndex(({ sort }) => sort >= at) >>> 0, rows.length - 1)];
    const acts = [
      () => (rows = [...rows, ...add(below(900), (rows.at(-1)?.sort ?? 1e6) + 1)]),
      () => (rows = [...add(100, (rows[0]?.sort ?? 1e6) - 201), ...rows]),
      () => (rows = rows.filter(() => below(20))),
      () => (rows = rows.slice(-9_000)),
      () => range.grow(rows, below(2) ? 1 : -1),
      () => range.reach(rows, (at = below(3) && rows.length ? rows[below(rows.length)].sort : Infinity)),
      () => (at = rows.filter((row) => range.holds(row))[below(MOST_ROWS)]?.sort ?? Infinity),
    ];
    for (let step = 0; step < 300; step++) {
      acts[below(acts.length)]();
      if (at === Infinity) range.reach(rows, at); // at the end, the reader is shown what comes
      range.bound(rows, at);
      const drawn = rows.filter((row) => range.holds(row));
      const first = rows.indexOf(drawn[0]);
      ok(drawn.length <= MOST_ROWS, `${drawn.length} rows`);
      equal(drawn, drawn.length ? rows.slice(first, first + drawn.length) : []);
      equal([range.isCutAbove(rows), range.isCutBelow(rows)], drawn.length ? [first > 0, first + drawn.length < rows.length] : [range.isCutAbove(rows), range.isCutBelow(rows)]);
      if (rows.length && range.reach(rows, at) === false) ok(range.holds(readAt()), 'what is read is drawn');
    }
  });

test('all rows are reached from the end, and then the end again', () => {
  const rows = Array.from({ length: 12_000 }, (_, sort) => ({ sort }));
  const range = new DrawnRange();
  range.bound(rows, Infinity);
  const seen = new Set();
  const look = () => rows.filter((row) => range.holds(row)).forEach(({ sort }) => seen.add(sort));
  for (look(); range.grow(rows, -1); look()) range.bound(rows, rows.find((row) => range.holds(row)).sort);
  equal([seen.size, range.isCutAbove(rows), range.isCutBelow(rows)], [rows.length, false, true]);
  while (range.grow(rows, 1)) range.bound(rows, rows.findLast((row) => range.holds(row)).sort);
  equal([range.isCutAbove(rows), range.isCutBelow(rows)], [true, false]);
});

test('the end is missing from when rows are cut off there until those into which the range grows are drawn', () => {
  const rows = Array.from({ length: 2_400 }, (_, sort) => ({ sort }));
  const range = new DrawnRange();
  range.bound(rows, 0);
  equal(range.isEndMissing(rows), false);
  range.noteDrawn();
  while (range.grow(rows, 1)) equal([range.isEndMissing(rows), range.reach(rows, rows.find((row) => range.holds(row)).sort)], [true, false]);
  equal([range.isCutBelow(rows), range.isEndMissing(rows), range.reach(rows, Infinity)], [false, true, true]);
  range.noteDrawn();
  equal([range.isEndMissing(rows), range.reach(rows, Infinity)], [false, false]);
  rows.push({ sort: 2_400 }); // what comes at the end is followed
  equal(range.isEndMissing(rows), false);
});
