/** `me/drafts`, and storing what was written and not sent. */

import { Diffroom, replica } from '../diffroom.js';
import { equal, handClock, handSockets, ok, random, test } from './checks.js';
import { slowDigest } from './model.js';

const WELCOME = { type: 'welcome', user: 'ann', server: 'test', heartbeat: 25_000, limits: { pending: 256, text: 8192, drafts: 100 } };
const ANSWER = '00000001-0000-4000-8000-000000000001'; // a message's id

const plain = (frame) => JSON.parse(JSON.stringify(frame));
const rowsOf = ({ sections }) => sections.flatMap(({ rows }) => rows);

/** A person's drafts done the slow way: every state that they ever had, and differences by comparing them. */
class DraftsModel {
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
    const drafts = new Map(this.states.at(-1).map((row) => [row.id, row]));
    for (let changes = below(4); changes >= 0; changes--) {
      const id = `room-${below(5)}`;
      const fields = { replyTo: pick([undefined, ANSWER]), mentions: pick([undefined, ['bob'], ['bob', 'cid']]), everyone: pick([undefined, true]), data: pick([undefined, { kind: 'poll' }]) };
      const sort = 10 * rev + changes;
      if (!below(4)) drafts.delete(id);
      else drafts.set(id, { id, section: 'drafts', sort, rev, tag: `${sort}`, text: `text ${rev}`, time: sort, ...fields });
    }
    this.states.push([...drafts.values()].sort((a, b) => a.sort - b.sort).map(plain));
  }

  #proof(revision) {
    const rows = this.states[revision];
    return { count: rows.length, digest: slowDigest(rows.slice(-32)) };
  }

  snapshot() {
    const rows = this.states[this.head].map(({ section, ...row }) => row);
    return { type: 'snapshot', list: 'me/drafts', epoch: 'e', revision: this.head, joined: this.head, why: 'fresh', more: false, sections: [{ id: 'drafts', rows }], ...this.#proof(this.head) };
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
    return plain({ type: 'diff', list: 'me/drafts', epoch: 'e', from, to, ...parts, ...this.#proof(to) });
  }
}

for (let seed = 1; seed <= 40; seed++)
  test(`drafts that are written, changed and removed lead to the list as it is (seed ${seed})`, () => {
    const { below, ...chance } = random(seed);
    const model = new DraftsModel({ below, ...chance });
    const held = replica('me/drafts');
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
  const drafts = () => sockets.last.frames.filter(({ type }) => type === 'draft').map(({ ref, type, ...frame }) => frame);
  return { chat, clock, sockets, greet, drafts };
}

const outcome = (promise) => promise.then(() => 'stored', ({ error, reason }) => ({ error, reason }));

test('a draft is stored as it would be sent, and removed without a text', async () => {
  const { chat, sockets, greet, drafts } = setUp();
  greet();
  const stored = outcome(chat.draft('lobby', { text: 'one\r\ntwo\u0007', replyTo: ANSWER, mentions: ['bob'], data: { kind: 'poll' } }));
  sockets.last.answer('draft', { type: 'ok' });
  const removed = outcome(chat.draft('lobby', null));
  sockets.last.answer('draft', { type: 'ok' });

  equal([await stored, await removed], ['stored', 'stored']);
  equal(drafts(), [{ room: 'lobby', text: 'one\ntwo', replyTo: ANSWER, mentions: ['bob'], data: { kind: 'poll' } }, { room: 'lobby' }]);
});

test('a draft without a connection, or whose answer is lost, is not stored by the next one', async () => {
  const { chat, clock, sockets, greet, drafts } = setUp();
  const early = outcome(chat.draft('lobby', { text: 'early' }));
  greet();
  const late = outcome(chat.draft('lobby', { text: 'late' }));
  sockets.last.end();
  clock.advance(1000);
  greet();

  equal([await early, await late, drafts()], [{}, {}, []]);
});

test('a draft that is refused is not sent again', async () => {
  const { chat, clock, sockets, greet, drafts } = setUp();
  greet();
  const refused = outcome(chat.draft('lobby', { text: ' ' }));
  sockets.last.answer('draft', { type: 'error', error: 'bad_request', reason: 'invalid', message: 'text: nothing to see' });
  clock.advance(5_000);

  equal([await refused, drafts().length], [{ error: 'bad_request', reason: 'invalid' }, 1]);
});

test('a draft that a busy server puts off is repeated, unless a later one has taken its place', async () => {
  const { chat, clock, sockets, greet, drafts } = setUp();
  const busy = { type: 'error', error: 'unavailable', reason: 'overloaded', message: 'busy', retryAfter: 400 };
  greet();
  const first = outcome(chat.draft('lobby', { text: 'first' }));
  const other = outcome(chat.draft('tea', { text: 'other' }));
  for (const { ref } of sockets.last.frames.filter(({ type }) => type === 'draft')) sockets.last.say({ ...busy, ref });
  const second = outcome(chat.draft('lobby', { text: 'second' }));
  sockets.last.answer('draft', { type: 'ok' });
  clock.advance(2_000);
  sockets.last.answer('draft', { type: 'ok' });

  equal([await first, await second, await other], ['stored', 'stored', 'stored']);
  equal(drafts().map(({ text }) => text), ['first', 'other', 'second', 'other']);
});

test('drafts are followed as other lists are, and resumed with their tags', () => {
  const { chat, clock, sockets, greet } = setUp();
  const model = new DraftsModel(random(7));
  const seen = [];
  for (let steps = 6; steps; steps--) model.step();
  chat.subscribe('me/drafts', { onChange: ({ snapshot }) => seen.push(rowsOf(snapshot)) });
  greet();
  sockets.last.answer('subscribe', model.snapshot());
  const from = model.head;
  model.step();
  sockets.last.say(model.diff(from));
  sockets.last.end();
  clock.advance(1000);
  greet();
  const { resume } = sockets.last.frames.find(({ type }) => type === 'subscribe');

  equal(seen, [model.states[from], model.states.at(-1)]);
  equal(resume.rows, model.states.at(-1).map(({ id, tag }) => [id, tag]));
});
