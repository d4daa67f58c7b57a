import { replica, uuid } from '../diffroom.js';
import { equal, ok, random, test } from './checks.js';
import { Model, slowDigest } from './model.js';

const rowsOf = (reader) => reader.state.sections.flatMap(({ rows }) => rows.map(({ section, ...row }) => row));
const shape = (reader) => JSON.stringify(reader.state);

function reader(model, limit, joined) {
  const made = replica('room/r/messages');
  equal(made.apply(model.snapshot(limit, joined)).verdict, 'applied');
  return made;
}

function modelOf(seed, steps, options) {
  const model = new Model(random(seed), options);
  for (let step = 0; step < steps; step++) model.step();
  return model;
}

for (let seed = 1; seed <= 60; seed++) {
  test(`diffs of any stride lead to the list as it is, moves and all (seed ${seed})`, () => {
    const model = modelOf(seed, 30, { moves: true });
    const held = reader(model, 500);

    for (let round = 0; round < 40; round++) {
      const from = model.head;
      for (let steps = 1 + model.random.below(6); steps; steps--) model.step();
      equal(held.apply(model.diff(from)).verdict, 'applied');
      equal(rowsOf(held), model.at(model.head), `revision ${model.head}`);
    }
  });
}

for (let seed = 1; seed <= 120; seed++) {
  test(`windows, pages that cross diffs, and resumes stay a gapless end of the list (seed ${seed})`, () => {
    const model = modelOf(seed, 150);
    const held = reader(model, 32 + model.random.below(20));

    for (let round = 0; round < 30; round++) {
      const asked = held.state.revision;
      const before = held.state.more && model.random.next() < 0.4 ? held.state.ranges[0][0] : undefined;
      for (let steps = model.random.below(8); steps; steps--) model.step();
      const paged = asked + model.random.below(model.head - asked + 1);
      const seen = asked + model.random.below(model.head - asked + 1);
      if (seen > asked) equal(held.apply(model.diff(asked, seen)).verdict, 'applied');
      if (before !== undefined) equal(held.apply(model.page({ before }, 32, paged)).verdict, paged < seen ? 'again' : 'applied');
      const step = seen + model.random.below(model.head - seen + 1);
      const revs = held.state.sections.flatMap(({ rows }) => rows);
      if (step > seen) equal(held.apply(model.diff(seen, step)).verdict, 'applied');
      for (const { id, rev } of revs) ok(!(held.get(id)?.rev < rev), 'no row goes back in time');
      if (model.head > step) equal(held.apply(model.diff(step)).verdict, 'applied');
      if (model.random.next() < 0.1) equal(held.apply(model.snapshot(40, held.state.joined)).verdict, 'applied');
      expectEnd(held, model);
    }
  });
}

/** The rows held are the last of the list, ordered, each once; and rows that came later than the reader stand in `socket`. */
function expectEnd(held, model) {
  const rows = rowsOf(held);
  equal(rows, model.at(model.head).slice(-rows.length || Infinity), `revision ${model.head}`);
  ok(held.state.more || rows.length === model.at(model.head).length, 'nothing is missing when there is no more');
  for (const { id, rows } of held.state.sections) for (const row of rows) equal([row.section, held.get(row.id) === row], [id, true]);
}

for (let seed = 1; seed <= 40; seed++) {
  test(`the changes told are the changes made (seed ${seed})`, () => {
    const model = modelOf(seed, 60, { moves: true });
    const held = reader(model, 500);
    const shown = new Map(rowsOf(held).map((row) => [row.id, row]));

    for (let round = 0; round < 30; round++) {
      const from = model.head;
      for (let steps = 1 + model.random.below(5); steps; steps--) model.step();
      const frame = model.random.next() < 0.2 ? model.snapshot(500) : model.diff(from);
      const { changes } = held.apply(frame);
      for (const id of changes.deleted) ok(shown.delete(id), `${id} was shown`);
      for (const row of changes.inserted) ok(!shown.has(row.id), `${row.id} was not shown`);
      for (const { section, ...row } of [changes.inserted, changes.moved, changes.reloaded, changes.reconfigured].flat()) shown.set(row.id, row);
      equal([...shown.values()].sort((a, b) => a.sort - b.sort), model.at(model.head));
    }
  });
}

test('rows may change places with each other', () => {
  const model = modelOf(6, 40);
  const held = reader(model, 50, 0);
  const from = model.head;
  const [one, two, ...rest] = model.at(from);
  const swapped = [{ ...two, sort: one.sort, rev: from + 1 }, { ...one, sort: two.sort, rev: from + 1 }, ...rest];
  model.states.push(swapped);

  equal(held.apply(model.diff(from)).verdict, 'applied');
  equal(rowsOf(held), swapped);
});

test('a diff that fails in its middle changes nothing', () => {
  const model = modelOf(7, 80, { moves: true });
  const from = model.head;
  for (let step = 0; step < 20; step++) model.step();
  const good = model.diff(from);
  const held = replica('room/r/messages');
  held.apply(model.snapshot(500, from, from));
  const before = shape(held);

  for (const [what, bad] of [
    ['a sort that is no integer', { ...good, ins: [...good.ins, { id: uuid(), section: 'socket', sort: 'x', rev: 999 }] }],
    ['a section that there is not', { ...good, ins: [...good.ins, { id: uuid(), section: 'attic', sort: 9999, rev: 9999 }] }],
    ['a row without an id', { ...good, ins: [...good.ins, { section: 'socket', sort: 9999, rev: 9999 }] }],
    ['an unsafe integer', { ...good, ins: [...good.ins, { id: uuid(), section: 'socket', sort: 2 ** 60, rev: 999 }] }],
    ['operations that are no list', { ...good, cfg: 7 }],
    ['null among the operations', { ...good, cfg: [...good.cfg, null] }],
    ['a wrong digest', { ...good, digest: good.digest ^ 1 }],
    ['a wrong count', { ...good, count: good.count - 1 }],
    ['an operation nobody knows', { ...good, swp: [[1, 2]] }],
  ]) {
    equal(held.apply(bad).verdict, 'restart', what);
    equal(shape(held), before, what);
  }
  equal(held.apply(good).verdict, 'applied');
});

test('a snapshot that is not what it claims changes nothing', () => {
  const model = modelOf(8, 40);
  const held = reader(model, 50);
  const before = shape(held);
  model.step();

  equal(held.apply({ ...model.snapshot(50), digest: 1 }).verdict, 'restart');
  equal(shape(held), before);
});

test('a diff applies only to its own revision and epoch', () => {
  const model = modelOf(9, 40);
  const held = reader(model, 50);
  const at = model.head;
  model.step('insert');
  model.step('insert');

  equal(held.apply(model.diff(at + 1)), { verdict: 'resume', why: 'gap' });
  equal(held.apply({ ...model.diff(at), epoch: 'two' }), { verdict: 'resume', why: 'other_epoch' });
  equal(held.apply(model.diff(at)).verdict, 'applied');
  equal(held.apply(model.diff(at)), { verdict: 'ignored', why: 'duplicate' });
  equal(held.apply(model.diff(at, at + 1)), { verdict: 'ignored', why: 'duplicate' });
});

test('an empty diff still proves that what is held is right', () => {
  const model = modelOf(10, 40);
  const held = reader(model, 50);

  equal(held.apply(model.diff(model.head)).verdict, 'ignored');
  equal(held.apply({ ...model.diff(model.head), digest: 5 }).verdict, 'restart');
});

test('fields that nobody knows are passed over', () => {
  const model = modelOf(11, 40);
  const held = reader(model, 50);
  const from = model.head;
  model.step('insert');

  equal(held.apply({ ...model.diff(from), weather: 'fine', at: { x: 1 } }).verdict, 'applied');
});

test('a reconfigure says all light fields: those it leaves out are gone, and nothing else is touched', () => {
  const held = replica('room/r/members');
  const row = { id: 'ann', sort: 1, rev: 1, typing: true, read: 4 };
  const sections = [{ id: 'online', rows: [row] }, { id: 'offline', rows: [] }];
  const proof = (rev) => ({ count: 1, digest: slowDigest([{ ...row, rev }]), counts: { online: 1, offline: 0 } });
  held.apply({ type: 'snapshot', epoch: 'e', revision: 1, joined: 1, more: false, sections, ...proof(1) });
  const { changes } = held.apply({ type: 'diff', epoch: 'e', from: 1, to: 2, cfg: [{ id: 'ann', rev: 2, read: 5, sort: 7 }], ...proof(2) });

  equal(changes.reconfigured, [{ id: 'ann', section: 'online', sort: 1, rev: 2, read: 5 }]);
});

test('a revision may change nothing but the counts', () => {
  const held = replica('room/r/members');
  const sections = [{ id: 'online', rows: [] }, { id: 'offline', rows: [] }];
  const nobody = { epoch: 'e', count: 0, digest: 0 };
  held.apply({ type: 'snapshot', revision: 1, joined: 1, more: false, sections, counts: { online: 0, offline: 0 }, ...nobody });
  equal(held.apply({ type: 'diff', from: 1, to: 2, counts: { online: 3, offline: 0 }, ...nobody }).verdict, 'applied');

  equal([held.state.revision, held.state.counts.online], [2, 3]);
});

for (let seed = 1; seed <= 200; seed++) {
  test(`ranges hold what the list has there, through absences, pages and what is let go of (seed ${seed})`, () => {
    const model = modelOf(seed, 60 + (seed % 200));
    const held = reader(model, 32 + model.random.below(20));
    const known = new Set(keys(model).filter((key) => key >= held.state.ranges[0][0]));

    for (let round = 0; round < 25; round++) {
      const { revision } = held.state;
      const [live, comeBack] = [model.random.next() < 0.5, model.random.next() < 0.3];
      for (let steps = model.random.below(comeBack ? 120 : 8); steps; steps--) model.step();
      if (comeBack) returns(held, model, known);
      else if (live) turn(held, model, known);
      else if (model.head > revision) equal(held.apply(model.diff(revision)).verdict, 'applied');
      const [tail] = held.state.ranges.at(-1);
      for (let key = Math.max(revision + 1, tail); key <= model.head; key++) known.add(key);
      expectRanges(held, model, known);
    }
  });
}

const keys = (model) => Array.from({ length: model.head + 1 }, (_, key) => key);

/** A reader comes back after an absence; the server may let go of a range. */
function returns(held, model, known) {
  const limit = 8 + model.random.below(40);
  const position = held.resume(model.random.below(model.head));
  const answer = model.resume(position, limit, () => model.random.next() < 0.1);
  equal(held.apply(answer).verdict, 'applied');
  const left = ({ from, to = Infinity }, key) => from <= key && key <= to;
  for (const key of keys(model)) {
    if (key > position.revision) known.add(key);
    if (!answer.ranges.some((range) => left(range, key))) known.delete(key);
  }
}

/** A page comes from a revision that the reader has not reached; diffs follow. */
function turn(held, model, known) {
  const { revision, ranges, gaps } = held.state;
  const { random } = model;
  const key = random.below(model.head + 2);
  const gap = random.pick(gaps) ?? { sort: ranges[0][0], after: random.below(revision) };
  const row = random.pick(model.at(revision));
  const around = random.pick([{ revision: key }, { time: key }, ...(row ? [{ id: row.id }] : [])]);
  const place = random.pick([{ before: gap.sort || 1 }, { after: gap.after }, { around }, { before: gap.sort + gap.after + 1, after: gap.after }]);
  const page = model.page(place, 1 + random.below(40), revision + random.below(model.head - revision + 1));
  equal(held.apply(page).verdict, 'applied');
  for (let key = page.from; key <= Math.min(page.to, revision); key++) known.add(key);
  if (random.next() < 0.3) return returns(held, model, known); // the connection was lost meanwhile
  const step = revision + random.below(model.head - revision + 1);
  if (step > revision) equal(held.apply(model.diff(revision, step)).verdict, 'applied');
  if (step > revision && rowsOf(held).length === model.at(step).length) for (let key = 0; key <= step; key++) known.add(key);
  if (model.head > step) equal(held.apply(model.diff(step)).verdict, 'applied');
}

/** The keys known are those of the ranges, the rows held are those of the list there, and each gap is between two ranges. */
function expectRanges(held, model, known) {
  const { ranges, gaps, more, count } = held.state;
  const rows = rowsOf(held);
  const all = model.at(model.head);
  const inside = (key) => ranges.some(([from, to]) => from <= key && key <= to);
  // Whoever holds as many rows as there are holds the whole list: the next diff tells.
  if (ranges.length === 1 && !more) for (const key of keys(model)) known.add(key);
  equal(keys(model).filter(inside), [...known].sort((a, b) => a - b), `revision ${model.head}`);
  equal(rows, all.filter(({ sort }) => inside(sort)), `revision ${model.head}`);
  equal([gaps.map(({ after, sort }) => [after, sort]), more], [ranges.slice(1).map(([before], index) => [ranges[index][1], before]), !inside(0)]);
  equal(new Set(gaps.map(({ id }) => id)).size, gaps.length);
  for (const gap of gaps) ok(gap.count === undefined || (gaps.length === 1 && gap.count === count - rows.length), 'the rows of a gap are counted');
}

test('a gap keeps its id while it gets smaller, and while others come and go', () => {
  const model = new Model(random(21));
  const held = reader(model, 50);
  const insert = (times) => {
    while (times--) model.step('insert');
  };
  const ids = () => held.state.gaps.map(({ id }) => id);
  const turn = (place, limit) => held.apply(model.page(place, limit));
  insert(100);
  held.apply(model.resume(held.resume(), 10));
  const [first] = ids();
  turn({ before: 91 }, 5);
  turn({ after: 0 }, 5);
  equal(held.state.gaps, [{ id: first, section: 'socket', sort: 86, after: 5, count: 80 }]);
  insert(100);
  held.apply(model.resume(held.resume(), 10));
  const [, second] = ids();
  equal([ids()[0], ids().length, held.state.gaps[1].count], [first, 2, undefined]);
  turn({ around: { revision: 40 } }, 10);
  equal([ids().length, ids()[1], ids()[2]], [3, first, second]);
  turn({ before: 191, after: 100 }, 100);
  equal(ids().at(-1), first);
  model.step('delete');
  const { gaps } = held.state;
  held.apply(model.diff(200));
  equal(held.state.gaps.every((gap, index) => gap === gaps[index]), true, 'a gap that is as it was is the same object');
});

test('a reader with more ranges than a resume can name lets go of the farthest, and never of the end', () => {
  const model = new Model(random(22));
  for (let step = 0; step < 1000; step++) model.step('insert');
  const held = reader(model, 50);
  for (let at = 20; at < 900; at += 40) held.apply(model.page({ around: { revision: at } }, 4));
  equal([held.state.ranges.length, held.state.ranges[0][0] > 200, held.state.ranges.at(-1)], [16, true, [951, null]]);
  held.apply(model.page({ around: { revision: 1 } }, 4));
  equal([held.state.ranges[0], held.state.ranges.at(-1)], [[0, 4], [951, null]]);
  for (let step = 0; step < 100; step++) model.step('insert');
  held.apply(model.resume(held.resume(1), 50));

  equal([held.state.ranges.length, held.state.ranges[0], held.state.ranges.at(-1)], [16, [0, 4], [1051, null]]);
  equal(rowsOf(held), model.at(model.head).filter(({ sort }) => held.state.ranges.some(([from, to]) => from <= sort && sort <= to)));
});

test('a page of another epoch is not taken', () => {
  const model = modelOf(12, 120);
  const held = reader(model, 40);

  equal(held.apply({ ...model.page({ before: 50 }, 40), epoch: 'two' }), { verdict: 'ignored', why: 'other_epoch' });
});

test('the first page says that there is no more', () => {
  const model = modelOf(15, 120);
  const held = reader(model, 40);
  held.apply(model.page({ before: held.state.ranges[0][0] }, 500));

  equal([held.state.more, rowsOf(held)], [false, model.at(model.head)]);
});

test('trimmed rows can be paged in again', () => {
  const model = modelOf(13, 200);
  const held = reader(model, 500);
  const all = rowsOf(held);

  const { deleted } = held.trim(40);
  equal([deleted.length, rowsOf(held).length, held.state.more], [all.length - 40, 40, true]);
  held.apply(model.page({ before: held.state.ranges[0][0] }, 500));
  equal(rowsOf(held), all);
});

test('the digest is the slow one, up to the last safe integer', () => {
  const model = new Model(random(14));
  const rows = [1, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 17, Number.MAX_SAFE_INTEGER - 1].map((sort) => ({ id: uuid(), sort, rev: sort + 1 }));
  const frame = { ...model.snapshot(50), sections: [{ id: 'history', rows }, { id: 'socket', rows: [] }], count: rows.length, digest: slowDigest(rows) };

  equal(replica('room/r/messages').apply(frame).verdict, 'applied');
});

test('a uuid is of version 4 and never the same', () => {
  const made = new Set(Array.from({ length: 1000 }, uuid));
  equal(made.size, 1000);
  for (const id of made) ok(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id), id);
});
