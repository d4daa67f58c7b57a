/** Ranges of sort keys: `[from, to]` with both ends, ascending, with gaps between them. The last one has no end. */

export const WHOLE = [[0, Infinity]];

export const holds = (ranges, { sort }) => ranges.some(([from, to]) => from <= sort && sort <= to);

/** Returns the ranges with another one. Those that overlap or touch become one. */
export function join(ranges, from, to) {
  if (from > to) return ranges;
  const joined = [];
  for (const range of [...ranges, [from, to]].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (range[0] <= last?.[1] + 1) last[1] = Math.max(last[1], range[1]);
    else joined.push([...range]);
  }
  return joined;
}

/** Returns the parts of the ranges that lie in others. */
export function intersect(ranges, others) {
  const parts = others.flatMap(({ from, to = Infinity }) => ranges.map((range) => [Math.max(range[0], from), Math.min(range[1], to)]));
  return parts.reduce((all, part) => join(all, ...part), []);
}

/** Returns the ranges of a list that begins at `start`: what is before that is no gap. */
export function begin(ranges, start = 0) {
  const left = ranges.filter(([, to]) => to >= start);
  return left[0][0] > start ? left : join(left, 0, start);
}

let gapsMade = 0;

/** Returns the gaps between ranges. One that was there keeps its id; of two parts of one, the later keeps it. */
export function gapsOf(ranges, { gaps = [], joined, sections }, count) {
  const made = [];
  for (let index = ranges.length; --index; ) {
    const [[, after], [sort]] = ranges.slice(index - 1);
    const known = gaps.findLast((gap) => gap.after < sort - 1 && after < gap.sort - 1 && made.every(({ id }) => id !== gap.id));
    const gap = { id: known?.id ?? `gap-${++gapsMade}`, section: sections[+(sort > joined)].id, sort, after, count };
    made.unshift(JSON.stringify(gap) === JSON.stringify(known) ? known : gap);
  }
  return made;
}
