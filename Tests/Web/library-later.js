/** `me/later`, scheduled messages and reminders. */

import { Diffroom, replica } from '../diffroom.js';
import { equal, handClock, handSockets, ok, random, test } from './checks.js';
import { slowDigest } from './model.js';

const WELCOME = { type: 'welcome', user: 'ann', server: 'test', heartbeat: 25_000, limits: { pending: 256, text: 8192, later: 100 }, time: 1 };
const SECTIONS = ['due', 'waiting'];
const REFUSED = { error: 'forbidden', reason: 'muted', message: 'you are muted' };

const uuidOf = (number) => `0000000${number}-0000-4000-8000-000000000000`;
const plain = (frame) => JSON.parse(JSON.stringify(frame));
const rowsOf = ({ sections }) => sections.flatMap(({ rows }) => rows);
const inOrder = (a, b) => SECTIONS.indexOf(a.section) - SECTIONS.indexOf(b.section) || a.sort - b.sort;

/** A person's list done the slow way: every state that it ever had, and differences by comparing them. */
class LaterModel {
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
    for (let changes = below(4); changes >= 0; changes--) {
      const id = uuidOf(below(6));
      const sort = 10 * below(100) + changes;
      const said = { text: `text ${rev}`, replyTo: pick([undefined, uuidOf(9)]), mentions: pick([undefined, ['bob']]), everyone: pick([undefined, true]), data: pick([undefined, { kind: 'poll' }]) };
      const content = below(2) ? { ...said, refused: pick([undefined, REFUSED]) } : { message: uuidOf(8) };
      const isTaken = [...rows.values()].some((row) => row.id !== id && row.sort === sort);
      if (!below(4)) rows.delete(id);
      else if (!isTaken) rows.set(id, { id, section: pick(SECTIONS), sort, rev, tag: `${rev} ${changes}`, room: pick(['lobby', 'tea']), at: sort, ...content });
    }
    this.states.push([...rows.values()].sort(inOrder).map(plain));
  }

  #proof(revision) {
    const rows = this.states[revision];
    return { count: rows.length, digest: slowDigest(rows.slice(-32)) };
  }

  snapshot() {
    const rows = this.states[this.head];
    const sections = SECTIONS.map((id) => ({ id, rows: rows.filter(({ section }) => section === id).map(({ section, ...row }) => row) }));
    return { type: 'snapshot', list: 'me/later', epoch: 'e', revision: this.head, joined: this.head, why: 'fresh', more: false, sections, ...this.#proof(this.head) };
  }

  diff(from, to = this.head) {
    const [before, after] = [from, to].map((revision) => new Map(this.states[revision].map((row) => [row.id, row])));
    const changed = [...after.values()].filter(({ id, rev }) => before.has(id) && before.get(id).rev !== rev);
    const parts = {
      del: [...before.keys()].filter((id) => !after.has(id)),
      mov: changed.map(({ id, section, sort, rev }) => ({ id, section, sort, rev })),
      ins: [...after.values()].filter(({ id }) => !before.has(id)),
      cfg: changed.map(({ section, sort, ...row }) => row),
    };
    return plain({ type: 'diff', list: 'me/later', epoch: 'e', from, to, ...parts, ...this.#proof(to) });
  }
}

for (let seed = 1; seed <= 40; seed++)
  test(`what is scheduled, due and cancelled leads to the list as it is (seed ${seed})`, () => {
    const { below, ...chance } = random(seed);
    const model = new LaterModel({ below, ...chance });
    const held = replica('me/later');
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
  const asked = (kind) => sockets.last.frames.filter(({ type }) => type === kind).map(({ ref, type, ...frame }) => frame);
  return { chat, clock, sockets, greet, asked };
}

const outcome = (promise) => promise.then(() => 'done', ({ error, reason }) => ({ error, reason }));
const ONE = { room: 'lobby', at: 9, text: 'one\r\ntwo\u0007', mentions: ['bob'] };

test('a message is scheduled as it would be sent, a reminder is set, and either is cancelled', async () => {
  const { chat, sockets, greet, asked } = setUp();
  greet();
  const made = [chat.later(uuidOf(1), ONE, { command: uuidOf(7) }), chat.later(uuidOf(2), { room: 'tea', at: 8, message: uuidOf(3) }), chat.later(uuidOf(4), null)].map(outcome);
  for (const { ref } of sockets.last.frames.filter(({ type }) => type === 'later')) sockets.last.say({ type: 'ok', ref });

  equal(await Promise.all(made), ['done', 'done', 'done']);
  equal(asked('later'), [{ id: uuidOf(1), room: 'lobby', at: 9, text: 'one\ntwo', mentions: ['bob'] }, { id: uuidOf(2), room: 'tea', at: 8, message: uuidOf(3) }, { id: uuidOf(4) }]);
});

test('commands about one row are sent one by one, and outlive the connection', async () => {
  const { chat, clock, sockets, greet, asked } = setUp();
  const all = [chat.later(uuidOf(1), ONE), chat.later(uuidOf(1), { ...ONE, at: 10 }), chat.later(uuidOf(1), null), chat.later(uuidOf(2), ONE)].map(outcome);
  greet();
  equal(asked('later').map(({ id, at }) => [id, at]), [[uuidOf(1), 9], [uuidOf(2), 9]]);
  sockets.last.end();
  clock.advance(1000);
  greet();
  for (let answered = 0; answered < 4; answered++) sockets.last.say({ type: 'ok', ref: sockets.last.frames.filter(({ type }) => type === 'later')[answered].ref });

  equal(asked('later').map(({ id, at }) => [id, at]), [[uuidOf(1), 9], [uuidOf(2), 9], [uuidOf(1), 10], [uuidOf(1), undefined]]);
  equal(await Promise.all(all), ['done', 'done', 'done', 'done']);
});

test('a refusal is final, and a busy server is asked again', async () => {
  const { chat, clock, sockets, greet, asked } = setUp();
  greet();
  const late = outcome(chat.later(uuidOf(1), null));
  sockets.last.answer('later', { type: 'error', error: 'not_found', reason: 'not_waiting', message: 'gone' });
  const busy = outcome(chat.later(uuidOf(2), ONE));
  sockets.last.answer('later', { type: 'error', error: 'unavailable', reason: 'overloaded', message: 'busy', retryAfter: 400 });
  clock.advance(2_000);
  sockets.last.answer('later', { type: 'ok' });

  equal([await late, await busy, asked('later').length], [{ error: 'not_found', reason: 'not_waiting' }, 'done', 3]);
});

test('a message of a room that is not followed is fetched by its id', async () => {
  const { chat, sockets, greet, asked } = setUp();
  greet();
  const found = chat.fetch('tea', uuidOf(1));
  sockets.last.answer('page', { type: 'page', rows: [{ id: uuidOf(1), text: 'here' }] });
  const gone = chat.fetch('tea', uuidOf(2));
  sockets.last.answer('page', { type: 'error', error: 'not_found', reason: 'no_message', message: 'gone' });
  const refused = outcome(chat.fetch('den', uuidOf(3)));
  sockets.last.answer('page', { type: 'error', error: 'forbidden', reason: 'role', message: 'no' });

  equal([(await found).text, await gone, await refused], ['here', undefined, { error: 'forbidden', reason: 'role' }]);
  equal(asked('page')[0], { list: 'room/tea/messages', around: { id: uuidOf(1) }, limit: 1 });
});
