/** `me/blocked`, the users whom the user has blocked. */

import { Diffroom, replica } from '../diffroom.js';
import { equal, handClock, handSockets, ok, random, test } from './checks.js';
import { slowDigest } from './model.js';

const WELCOME = { type: 'welcome', user: 'ann', server: 'test', heartbeat: 25_000, limits: { pending: 256, text: 8192, blocked: 1000 }, time: 1 };
const NAMES = ['bob', 'cid', 'Zoë', 'Иван', '王', 'nell'];

const rowsOf = ({ sections }) => sections.flatMap(({ rows }) => rows);

/** The list done the slow way: every state that it ever had, and differences by comparing them. */
class BlockedModel {
  states = [[]];
  #random;

  constructor(random) {
    this.#random = random;
  }

  get head() {
    return this.states.length - 1;
  }

  step() {
    const { below, pick } = this.#random;
    const rev = this.states.length;
    const rows = new Map(this.states.at(-1).map((row) => [row.id, row]));
    const id = pick(NAMES);
    if (rows.has(id) && below(3)) rows.delete(id);
    else rows.set(id, { id, section: 'blocked', sort: 10 * rev, rev, tag: `${rev}`, time: 1_000 * rev });
    this.states.push([...rows.values()].sort((a, b) => a.sort - b.sort));
  }

  #proof(revision) {
    const rows = this.states[revision];
    return { count: rows.length, digest: slowDigest(rows.slice(-32)) };
  }

  snapshot() {
    const rows = this.states[this.head].map(({ section, ...row }) => row);
    return { type: 'snapshot', list: 'me/blocked', epoch: 'e', revision: this.head, joined: this.head, why: 'fresh', more: false, sections: [{ id: 'blocked', rows }], ...this.#proof(this.head) };
  }

  /** A user who was blocked again between two states has moved, and has another time. */
  diff(from, to = this.head) {
    const [before, after] = [from, to].map((revision) => new Map(this.states[revision].map((row) => [row.id, row])));
    const changed = [...after.values()].filter(({ id, rev }) => before.has(id) && before.get(id).rev !== rev);
    const parts = {
      del: [...before.keys()].filter((id) => !after.has(id)),
      mov: changed.map(({ id, section, sort, rev }) => ({ id, section, sort, rev })),
      ins: [...after.values()].filter(({ id }) => !before.has(id)),
      cfg: changed.map(({ section, sort, ...row }) => row),
    };
    return { type: 'diff', list: 'me/blocked', epoch: 'e', from, to, ...parts, ...this.#proof(to) };
  }
}

for (let seed = 1; seed <= 40; seed++)
  test(`blocks and unblocks lead to the list as it is (seed ${seed})`, () => {
    const { below, ...chance } = random(seed);
    const model = new BlockedModel({ below, ...chance });
    const held = replica('me/blocked');
    for (let steps = below(10); steps; steps--) model.step();
    equal(held.apply(model.snapshot()).verdict, 'applied');
    for (let round = 0; round < 40; round++) {
      const from = model.head;
      for (let steps = 1 + below(3); steps; steps--) model.step();
      const { verdict, changes } = held.apply(model.diff(from));
      equal(verdict, 'applied');
      equal(rowsOf(held.state), model.states.at(-1));
      for (const row of [...changes.moved, ...changes.inserted]) ok(row === held.get(row.id), 'a change has the row that is held');
      equal(held.resume().rows ?? [], model.states.at(-1).map(({ id, tag }) => [id, tag]));
    }
  });

function setUp() {
  const clock = handClock();
  const sockets = handSockets();
  const environment = { WebSocket: sockets.WebSocket, now: clock.now, after: clock.after, cancel: clock.cancel, random: () => 0.5 };
  const chat = new Diffroom({ url: 'ws://test/', user: 'ann', environment });
  const greet = () => {
    sockets.last.onopen();
    sockets.last.answer('hello', WELCOME);
  };
  const sent = () => sockets.last.frames.filter(({ type }) => type === 'block');
  const asked = () => sent().map(({ user, on }) => [user, on]);
  return { chat, clock, sockets, greet, sent, asked };
}

const outcome = (promise) => promise.then(() => 'done', ({ error, reason }) => ({ error, reason }));

test('a user is blocked and unblocked, by the name that stands in rows', async () => {
  const { chat, sockets, greet, sent, asked } = setUp();
  greet();
  const all = [chat.block('bob', true), chat.block('Zoe\u0308', false, { command: 'x' })].map(outcome);
  for (const { ref } of sent()) sockets.last.say({ type: 'ok', ref });

  equal(await Promise.all(all), ['done', 'done']);
  equal(asked(), [['bob', true], ['Zoe\u0308', false]]);
  equal(Object.keys(sent()[1]).sort(), ['on', 'ref', 'type', 'user']);
});

test('blocks of one user are sent one by one, and outlive the connection', async () => {
  const { chat, clock, sockets, greet, sent, asked } = setUp();
  const all = [['bob', true], ['bob', false], ['cid', true], ['bob', true]].map(([user, on]) => outcome(chat.block(user, on)));
  greet();
  equal(asked(), [['bob', true], ['cid', true]]);
  sockets.last.end();
  clock.advance(1000);
  greet();
  for (let answered = 0; answered < 4; answered++) sockets.last.say({ type: 'ok', ref: sent()[answered].ref });

  equal(asked(), [['bob', true], ['cid', true], ['bob', false], ['bob', true]]);
  equal(await Promise.all(all), ['done', 'done', 'done', 'done']);
});

test('a room of the same name as a blocked user waits for nothing', () => {
  const { chat, greet, sockets } = setUp();
  greet();
  chat.block('bob', true);
  chat.join('bob');

  equal(sockets.last.frames.map(({ type }) => type).slice(-2), ['block', 'join']);
});

test('a refused block is final, and a busy server is asked again', async () => {
  const { chat, clock, sockets, greet, asked } = setUp();
  greet();
  const full = outcome(chat.block('bob', true));
  sockets.last.answer('block', { type: 'error', error: 'too_large', reason: 'blocked', message: 'too many' });
  const busy = outcome(chat.block('cid', true));
  sockets.last.answer('block', { type: 'error', error: 'unavailable', reason: 'overloaded', message: 'busy', retryAfter: 400 });
  clock.advance(2_000);
  sockets.last.answer('block', { type: 'ok' });

  equal([await full, await busy, asked().length], [{ error: 'too_large', reason: 'blocked' }, 'done', 3]);
});
