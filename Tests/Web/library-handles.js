/** Several handles of one list: each lives by itself, and the list is followed as long as one of them does. */

import { Diffroom } from '../diffroom.js';
import { equal, handClock, handSockets, random, test } from './checks.js';
import { Model, slowDigest, uuidOf } from './model.js';

const WELCOME = { type: 'welcome', user: 'ann', server: 'test', heartbeat: 25_000, limits: { pending: 256, text: 8192, memberships: 5000 } };
const MESSAGES = 'room/r/messages';

/** Each kind of list, with the row that has a number. */
const KINDS = {
  [MESSAGES]: ['socket', (number) => ({ id: uuidOf(number), author: 'bob', time: number, text: 'hi' })],
  'room/r/members': ['online', (number) => ({ id: `p${number}` })],
  'me/rooms': ['rooms', (number) => ({ id: `r${number}`, tag: `t${number}`, unread: 0, mentions: 0, read: 0 })],
  'me/threads': ['rooms', (number) => ({ id: `r/thread/${uuidOf(number)}`, tag: `t${number}`, unread: 0, mentions: 0, read: 0, root: { id: uuidOf(number), author: 'bob', time: number, text: 'tea' } })],
  'me/mentions': ['mentions', (number) => ({ id: `r/${number}`, tag: `t${number}`, room: 'r', message: `${number}`, author: 'bob', time: number, text: '@ann', read: false })],
  'room/r/pins': ['pins', (number) => ({ id: uuidOf(number), tag: `t${number}`, author: 'bob', time: number, text: 'hi' })],
  'me/people': ['people', (number) => ({ id: `p${number}`, tag: `t${number}`, name: 'P' })],
  'me/drafts': ['drafts', (number) => ({ id: `r${number}`, tag: `t${number}`, text: 'half', time: number })],
};

function setUp(name) {
  const clock = handClock();
  const sockets = handSockets();
  const environment = { WebSocket: sockets.WebSocket, now: clock.now, after: clock.after, cancel: clock.cancel, random: () => 0.5 };
  const chat = new Diffroom({ url: 'ws://test/', user: 'ann', environment });
  const greet = () => {
    sockets.last.onopen();
    sockets.last.answer('hello', WELCOME);
  };
  const asked = (type) => sockets.last.frames.filter((frame) => frame.type === type && (frame.list ?? name) === name);

  /** A handle that keeps the ids it would draw, by `changes` alone. */
  function follow(options) {
    const drawn = new Map();
    const seen = { drawn, whys: [], errors: [], standings: [] };
    const onChange = ({ changes: { why, deleted, inserted, moved, reloaded, reconfigured } }) => {
      seen.whys.push(why);
      const touched = [...deleted, ...[...moved, ...reloaded, ...reconfigured].map(({ id }) => id)];
      seen.errors.push(...touched.filter((id) => !drawn.has(id)), ...inserted.filter(({ id }) => drawn.has(id)));
      for (const id of deleted) drawn.delete(id);
      for (const row of inserted) drawn.set(row.id, row);
    };
    const list = chat.subscribe(name, { onChange, onError: (error) => seen.errors.push(error), onStanding: ({ role }) => seen.standings.push(role), ...options });
    return Object.assign(seen, { list, ids: () => [...drawn.keys()].sort() });
  }
  return { chat, clock, sockets, greet, asked, follow };
}

/** A list to which a row comes with each revision. */
function setUpList(name) {
  const base = setUp(name);
  const [section, make] = KINDS[name];
  const rows = [];
  const push = () => rows.push({ sort: rows.length + 1, rev: rows.length + 1, ...make(rows.length + 1) });
  const proof = () => ({ count: rows.length, digest: slowDigest(rows.slice(-32)) });
  const snapshot = () => ({ type: 'snapshot', list: name, epoch: 'e', revision: rows.length, joined: 0, why: 'fresh', more: false, sections: [{ id: section, rows: [...rows] }, { id: 'other', rows: [] }], ...proof() });
  const diff = (from) => ({ type: 'diff', list: name, epoch: 'e', from, to: rows.length, ins: rows.slice(from).map((row) => ({ ...row, section })), ...proof() });
  const ids = () => rows.map(({ id }) => id).sort();

  /** One row more, which the server tells. */
  const grow = () => {
    push();
    base.sockets.last.say(diff(rows.length - 1));
  };
  for (let number = 0; number < 3; number++) push();
  return { ...base, rows, push, snapshot, diff, ids, grow };
}

const soon = () => Promise.resolve();

for (const name of Object.keys(KINDS)) {
  test(`${name}: a second handle begins with the current state, and both go on`, async () => {
    const { follow, greet, sockets, asked, snapshot, grow, ids } = setUpList(name);
    const first = follow();
    greet();
    sockets.last.answer('subscribe', snapshot());
    const second = follow();
    equal(second.whys, [], 'not before subscribe() has returned');
    await soon();
    equal([second.ids(), second.whys, asked('subscribe').length], [ids(), ['snapshot'], 1]);

    grow();
    grow();

    equal([first.ids(), second.ids()], [ids(), ids()]);
    equal([first.errors, second.errors, first.whys.length, second.whys.length], [[], [], 3, 3]);
    equal(first.list.snapshot() === second.list.snapshot(), true);
  });

  test(`${name}: a second handle before the answer begins with it, and asks for nothing more`, async () => {
    const { follow, greet, sockets, asked, snapshot, ids } = setUpList(name);
    const handles = [follow(), follow()];
    greet();
    handles.push(follow());
    await soon();
    sockets.last.answer('subscribe', snapshot());

    equal([handles.map((handle) => handle.ids()), asked('subscribe').length], [[ids(), ids(), ids()], 1]);
  });

  test(`${name}: news that comes before a second handle has begun is part of what it begins with`, async () => {
    const { follow, greet, sockets, snapshot, grow, ids } = setUpList(name);
    follow();
    greet();
    sockets.last.answer('subscribe', snapshot());
    const second = follow();
    grow();
    await soon();

    equal([second.ids(), second.errors, second.whys.length], [ids(), [], 1]);
  });

  test(`${name}: a handle that ends leaves the other, and the last one ends the list`, async () => {
    const { follow, greet, sockets, asked, snapshot, grow, ids } = setUpList(name);
    const [first, second] = [follow(), follow()];
    greet();
    sockets.last.answer('subscribe', snapshot());
    const before = ids();
    first.list.unsubscribe();
    first.list.unsubscribe();
    equal(asked('unsubscribe'), []);
    grow();
    equal([first.ids(), second.ids()], [before, ids()]);
    second.list.unsubscribe();
    equal(asked('unsubscribe').length, 1);
    grow();
    equal(second.whys.length, 2);
  });

  test(`${name}: a list let go of by name goes on for as many handles as are left`, async () => {
    const { chat, follow, greet, sockets, asked, snapshot, grow, ids } = setUpList(name);
    const handles = [follow(), follow(), follow()];
    greet();
    sockets.last.answer('subscribe', snapshot());
    chat.unsubscribe(name);
    chat.unsubscribe(name);
    grow();
    equal([handles.map((handle) => handle.ids()), asked('unsubscribe').length], [[ids(), ids(), ids()], 0]);
    chat.unsubscribe(name);
    equal(asked('unsubscribe').length, 1);
    chat.unsubscribe(name);
    equal(asked('unsubscribe').length, 1);
  });

  test(`${name}: a handle that comes back is told what has changed meanwhile`, async () => {
    const { follow, greet, sockets, asked, snapshot, grow, ids } = setUpList(name);
    const [first] = [follow(), follow()];
    greet();
    sockets.last.answer('subscribe', snapshot());
    first.list.unsubscribe();
    grow();
    first.list.rejoin();
    await soon();
    equal([first.ids(), first.errors, first.whys], [ids(), [], ['snapshot', 'snapshot']]);
    grow();
    equal([first.ids(), asked('subscribe').length], [ids(), 1]);
  });

  test(`${name}: all handles are resumed by one request, and told what came`, async () => {
    const { follow, greet, sockets, clock, asked, snapshot, push, diff, ids } = setUpList(name);
    const handles = [follow(), follow()];
    greet();
    sockets.last.answer('subscribe', snapshot());
    sockets.last.end();
    push();
    clock.advance(1000);
    greet();
    sockets.last.answer('subscribe', diff(3));

    equal([handles.map((handle) => handle.ids()), asked('subscribe').length], [[ids(), ids()], 1]);
  });

  test(`${name}: both handles hear that the list has ended, and one that comes back brings both`, async () => {
    const { follow, greet, sockets, asked, snapshot, diff, push, ids } = setUpList(name);
    const [first, second] = [follow(), follow()];
    greet();
    sockets.last.answer('subscribe', snapshot());
    sockets.last.say({ type: 'ended', list: name, why: 'kicked', message: 'out' });
    equal([first.errors.length, second.errors.length], [1, 1]);
    push();
    first.list.rejoin();
    second.list.rejoin();
    equal(asked('subscribe').length, 2);
    sockets.last.answer('subscribe', diff(3));

    equal([first.ids(), second.ids()], [ids(), ids()]);
  });

  test(`${name}: a handle that has ended finds the list that others follow since`, async () => {
    const { follow, greet, sockets, asked, snapshot, grow, ids } = setUpList(name);
    const first = follow();
    greet();
    sockets.last.answer('subscribe', snapshot());
    first.list.unsubscribe();
    sockets.last.answer('unsubscribe', { type: 'ok' });
    const second = follow();
    sockets.last.answer('subscribe', snapshot());
    grow();
    first.list.rejoin();
    await soon();

    equal([first.ids(), second.ids(), first.errors], [ids(), ids(), []]);
    equal([first.list.snapshot() === second.list.snapshot(), asked('subscribe').length], [true, 2]);
  });
}

test('a handle that throws does not silence the others', () => {
  const { follow, greet, sockets, snapshot, grow, ids } = setUpList(MESSAGES);
  const thrown = [];
  follow({ onChange: () => { throw Error('mine'); } });
  const second = follow();
  const attempt = (action) => {
    try {
      action();
    } catch ({ message }) {
      thrown.push(message);
    }
  };
  greet();
  attempt(() => sockets.last.answer('subscribe', snapshot()));
  attempt(grow);

  equal([second.ids(), thrown], [ids(), ['mine', 'mine']]);
});

test('a second handle is told the rights that the first one knows', async () => {
  const { follow, greet, sockets, snapshot } = setUpList(MESSAGES);
  const first = follow();
  greet();
  sockets.last.say({ type: 'standing', room: 'r', role: 'read' });
  sockets.last.answer('subscribe', snapshot());
  const second = follow();
  await soon();
  sockets.last.say({ type: 'standing', room: 'r', role: 'own' });

  equal([first.standings, second.standings], [['read', 'own'], ['read', 'own']]);
});

test('a second handle is told the rest of a mute, and nothing of one that is over', async () => {
  const { follow, greet, sockets, clock, snapshot } = setUpList(MESSAGES);
  const spans = [];
  const onStanding = ({ mutedFor }) => spans.push(mutedFor);
  follow({ onStanding });
  greet();
  sockets.last.say({ type: 'standing', room: 'r', role: 'write', mutedFor: 5_000 });
  sockets.last.answer('subscribe', snapshot());
  for (const time of [1_500, 3_500]) {
    clock.advance(time);
    follow({ onStanding });
    await soon();
  }

  equal(spans, [5_000, 3_500, undefined]);
});

test('rows that one handle trims stay until the others trim them, too', () => {
  const { follow, greet, sockets } = setUp(MESSAGES);
  const model = new Model(random(1));
  for (let step = 0; step < 60; step++) model.step('insert');
  const [first, second] = [follow(), follow()];
  greet();
  sockets.last.answer('subscribe', model.snapshot(50));
  first.list.trim(20);
  equal([first.ids().length, second.ids().length], [50, 50]);
  second.list.trim(30);
  equal([first.ids().length, second.ids().length], [30, 30]);
  second.list.unsubscribe();
  first.list.trim(20);
  equal(first.ids().length, 20);
  equal([first.errors, second.errors], [[], []]);
});

for (const name of ['me/rooms', 'me/threads'])
  test(`a second handle with a larger limit brings more rows of ${name} for both`, async () => {
    const { follow, greet, sockets, asked, snapshot, diff, push, ids } = setUpList(name);
    const first = follow({ limit: 100 });
    greet();
    sockets.last.answer('subscribe', snapshot());
    const second = follow({ limit: 300 });
    follow({ limit: 200 });
    equal(asked('subscribe').map(({ limit }) => limit), [100, 300]);
    push();
    sockets.last.answer('subscribe', diff(3));
    await soon();

    equal([first.ids(), second.ids()], [ids(), ids()]);
  });
