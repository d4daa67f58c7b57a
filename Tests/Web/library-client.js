import { Diffroom, uuid } from '../diffroom.js';
import { equal, handClock, handSockets, ok, random, test } from './checks.js';
import { Model, slowDigest } from './model.js';

const WELCOME = { type: 'welcome', user: 'ann', server: 'test', heartbeat: 25_000, limits: { pending: 256, text: 8192 } };
const MESSAGES = 'room/r/messages';

/** A client whose clock, sockets and luck a test holds in its hands. */
function setUp({ luck = () => 0.5, ...options } = {}) {
  const clock = handClock();
  const sockets = handSockets();
  const states = [];
  const environment = { WebSocket: sockets.WebSocket, now: clock.now, after: clock.after, cancel: clock.cancel, random: () => luck() };
  const chat = new Diffroom({ url: 'ws://test/', user: 'ann', onState: (state) => states.push(state), environment, ...options });
  const greet = () => {
    sockets.last.onopen();
    sockets.last.answer('hello', WELCOME);
  };
  return { chat, clock, sockets, states, greet };
}

/** A client that reads one list. */
function setUpReader(steps = 60, options) {
  const model = new Model(random(1));
  for (let step = 0; step < steps; step++) model.step('insert');
  const told = [];
  const errors = [];
  const client = setUp();
  const list = client.chat.subscribe(MESSAGES, { ...options, onChange: (change) => told.push(change), onError: (error) => errors.push(error) });
  const join = (frame = model.snapshot(50)) => {
    client.greet();
    return client.sockets.last.answer('subscribe', frame);
  };
  const asked = (type) => client.sockets.last.frames.filter((frame) => frame.type === type);
  return { ...client, model, list, told, errors, join, asked };
}

const ids = (list) => list.snapshot().sections.flatMap(({ rows }) => rows.map(({ id }) => id));

// Coming and coming back

test('says hello with the name, or with the token, and speaks the subprotocol', () => {
  const named = setUp();
  named.greet();
  equal([named.sockets.last.subprotocol, named.sockets.last.frames[0]], ['diffroom.v1.json', { type: 'hello', user: 'ann', ref: 1 }]);

  const proven = setUp({ token: 'abc' });
  proven.greet();
  equal(proven.sockets.last.frames[0], { type: 'hello', token: 'abc', ref: 1 });
});

test('asks for a token for each connection, and when the one shown ends soon', async () => {
  const tokens = ['one', 'two', 'three'];
  const { clock, sockets, states } = setUp({ token: async () => tokens.shift() });
  const shown = async (type) => {
    await Promise.resolve();
    return sockets.last.frames.findLast((frame) => frame.type === type)?.token;
  };

  sockets.last.onopen();
  equal(await shown('hello'), 'one');
  sockets.last.answer('hello', WELCOME);
  sockets.last.say({ type: 'expiring', in: 9000 });
  equal(await shown('token'), 'two');
  sockets.last.answer('token', { type: 'ok' });
  sockets.last.end(4005);
  clock.advance(states.at(-1).delay + 1);
  sockets.last.onopen();
  equal(await shown('hello'), 'three');
});

test('without a token it tries again later; a token that comes too late is not said', async () => {
  let fail;
  const { chat, sockets } = setUp({ token: () => new Promise((_, reject) => (fail = reject)) });
  sockets.last.onopen();
  fail(Error('nobody is logged in'));
  await Promise.resolve();
  await Promise.resolve();
  equal([chat.state, sockets.last.frames.length], ['waiting', 0]);

  let late;
  const other = setUp({ token: () => new Promise((resolve) => (late = resolve)) });
  const before = other.sockets.last;
  before.onopen();
  before.end();
  late('late');
  await Promise.resolve();
  equal(before.frames.length, 0);
});

test('a list that is no longer granted ends, says why, and takes nothing more', () => {
  const { errors, join, sockets, told } = setUpReader();
  join();
  const before = told.length;
  sockets.last.say({ type: 'ended', list: MESSAGES, why: 'forbidden', message: 'you may not' });
  equal([errors.at(-1).why, errors.at(-1).message, told.length], ['forbidden', 'you may not', before]);
});

test('comes back with full jitter, doubled up to 30 s', () => {
  const { clock, sockets, states } = setUp({ luck: () => 0.999 });

  for (const longest of [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    sockets.last.end();
    equal(Math.round(states.at(-1).delay), Math.round(longest * 0.999));
    const before = sockets.made.length;
    clock.advance(states.at(-1).delay - 1);
    equal(sockets.made.length, before);
    clock.advance(2);
    equal(sockets.made.length, before + 1);
  }
});

test('jitter reaches down to nothing', () => {
  const { sockets, states } = setUp({ luck: () => 0 });
  sockets.last.end();
  equal(states.at(-1).delay, 0);
});

test('a connection that worked for a while starts the waits anew', () => {
  const { clock, sockets, states, greet } = setUp();
  for (let round = 0; round < 4; round++) {
    sockets.last.end();
    clock.advance(states.at(-1).delay);
  }
  greet();
  clock.advance(5_001);
  sockets.last.end();
  equal(states.at(-1).delay, 250);
});

test('waits for as long as the server said, and jitter', () => {
  const { clock, sockets, states, greet } = setUp();
  greet();
  sockets.last.say({ type: 'bye', code: 1012, reason: 'restart', retryAfter: 3000 });
  sockets.last.end(1012);

  equal([states.at(-1).state, states.at(-1).delay, states.at(-1).reason], ['waiting', 3250, 'restart']);
  clock.advance(3249);
  equal(sockets.made.length, 1);
  clock.advance(2);
  equal(sockets.made.length, 2);
});

for (const code of [4500, 4501, 4502, 4999])
  test(`stays away after close code ${code}, until told otherwise`, () => {
    const { chat, clock, sockets, greet } = setUp();
    greet();
    sockets.last.end(code, 'no');
    clock.advance(3_600_000);
    equal([chat.state, sockets.made.length], ['stopped', 1]);

    chat.connect();
    equal([chat.state, sockets.made.length], ['connecting', 2]);
  });

for (const code of [1000, 1001, 1006, 1008, 1011, 1012, 1013, 4000, 4002, 4003, 4499])
  test(`comes back after close code ${code}`, () => {
    const { chat, sockets, greet } = setUp();
    greet();
    sockets.last.end(code);
    equal(chat.state, 'waiting');
  });

test('why a connection ended is told with its code, whether it comes back or not', () => {
  for (const [code, state] of [[1006, 'waiting'], [1009, 'waiting'], [4005, 'waiting'], [4502, 'stopped']]) {
    const { sockets, states, greet } = setUp();
    greet();
    sockets.last.end(code, 'so it is');
    equal([states.at(-1).state, states.at(-1).code, states.at(-1).reason], [state, code, 'so it is']);
  }
});

for (const said of ['', 'hello', '{"type":"pong"', 'null', '7', '[]'])
  test(`what is no frame (${said || 'nothing'}) ends the connection, which comes back`, () => {
    const { chat, clock, sockets, states, greet } = setUp();
    greet();
    sockets.last.saySo(said);
    equal([chat.state, states.at(-1).code, states.at(-1).reason, sockets.last.closed], ['waiting', 1002, 'not a frame', true]);
    clock.advance(states.at(-1).delay);
    equal(chat.state, 'connecting');
  });

test('a name is said as one, however it was typed', () => {
  const { sockets, greet } = setUp({ user: 'Jose\u0301' });
  greet();
  equal(sockets.last.frames[0].user, 'Jos\u00e9');
});

test('a refused hello ends it; one that may pass later does not', () => {
  const refused = setUp();
  refused.sockets.last.onopen();
  refused.sockets.last.answer('hello', { type: 'error', error: 'unauthorized', message: 'no such token' });
  equal([refused.chat.state, refused.states.at(-1).error, refused.states.at(-1).reason], ['stopped', 'unauthorized', 'no such token']);

  const later = setUp();
  later.sockets.last.onopen();
  later.sockets.last.answer('hello', { type: 'error', error: 'unavailable', message: 'starting', retryAfter: 700 });
  equal([later.chat.state, later.states.at(-1).delay], ['waiting', 950]);
});

test('when the network is back it tries soon, but keeps its jitter and what the server asked for', () => {
  const { chat, clock, sockets, states } = setUp();
  for (let round = 0; round < 8; round++) {
    sockets.last.end();
    clock.advance(states.at(-1).delay);
  }
  sockets.last.end();
  equal(states.at(-1).delay, 15_000);
  chat.hurry();
  equal(states.at(-1).delay, 250);
  clock.advance(250);
  sockets.last.say({ type: 'bye', code: 1013, reason: 'full', retryAfter: 9000 });
  sockets.last.end(1013);
  chat.hurry();
  equal(states.at(-1).delay, 9250);
});

// In Node there is neither window nor document.
const inBrowser = globalThis.document ? test : () => {};

inBrowser('the online event is what hurries it', () => {
  const { sockets, states } = setUp();
  for (let round = 0; round < 3; round++) sockets.last.end();
  window.dispatchEvent(new Event('online'));
  equal(states.at(-1).delay, 250);
});

test('close() ends it for good', () => {
  const { chat, clock, sockets, greet } = setUp();
  greet();
  chat.close();
  clock.advance(3_600_000);
  equal([chat.state, sockets.made.length, sockets.last.closed], ['stopped', 1, true]);
});

inBrowser('a client that is closed leaves nothing behind in the page', () => {
  const listening = new Set();
  const originals = [window, document].map((target) => {
    const { addEventListener, removeEventListener } = target;
    target.addEventListener = (name, heard) => listening.add(heard) && addEventListener.call(target, name, heard);
    target.removeEventListener = (name, heard) => listening.delete(heard) && removeEventListener.call(target, name, heard);
    return () => Object.assign(target, { addEventListener, removeEventListener });
  });
  try {
    const { chat, clock, sockets, greet } = setUp();
    greet();
    sockets.last.end();
    clock.advance(1000);
    equal(listening.size, 2);
    chat.close();
    equal(listening.size, 0);

    chat.connect();
    sockets.last.end(4500, 'no');
    equal(listening.size, 0);
  } finally {
    for (const restore of originals) restore();
  }
});

test('a list that is let go of before the connection stands asks nothing', () => {
  const { chat, sockets, greet } = setUp();
  chat.subscribe(MESSAGES);
  chat.unsubscribe(MESSAGES);
  equal(sockets.last.frames.length, 0);
  greet();
  equal(sockets.last.frames.map(({ type }) => type), ['hello']);
});

// Silence

test('speaks up after a heartbeat in which it said nothing, however much it heard', () => {
  const { clock, sockets, greet } = setUp();
  greet();
  for (let second = 0; second < 24; second++) {
    clock.advance(1000);
    sockets.last.say({ type: 'news' });
  }
  equal(sockets.last.frames.length, 1);
  clock.advance(1000);
  equal(sockets.last.frames.at(-1).type, 'ping');
});

test('gives a silent connection up after the heartbeat and 10 s', () => {
  const { chat, clock, sockets, greet } = setUp();
  greet();
  clock.advance(34_999);
  equal([chat.state, sockets.last.frames.filter(({ type }) => type === 'ping').length], ['online', 1]);
  clock.advance(1);
  equal([chat.state, sockets.made[0].closed], ['waiting', true]);
});

test('an answer keeps it', () => {
  const { chat, clock, sockets, greet } = setUp();
  greet();
  for (let round = 0; round < 10; round++) {
    clock.advance(25_000);
    sockets.last.answer('ping', { type: 'pong' });
  }
  equal([chat.state, sockets.made.length], ['online', 1]);
});

test('a connection that never opens is given up after 10 s', () => {
  const { chat, clock } = setUp();
  clock.advance(10_000);
  equal(chat.state, 'waiting');
});

// Lists

test('subscribes, and tells what is there', () => {
  const { told, join, model, list } = setUpReader();
  const { limit, resume } = join();

  equal([limit, resume], [50, undefined]);
  equal([told[0].changes.why, told[0].changes.inserted.length, told[0].snapshot.more], ['snapshot', 50, true]);
  equal(ids(list), model.at(60).slice(-50).map(({ id }) => id));
});

test('resumes where it stood, after any end', () => {
  const { sockets, clock, join, model, list, told } = setUpReader();
  join();
  sockets.last.end();
  for (let step = 0; step < 9; step++) model.step('insert');
  clock.advance(1000);
  const { resume } = join(model.diff(60));

  equal(resume, { epoch: 'one', revision: 60, joined: 60, ranges: [[11, 60]] });
  equal(told.at(-1).changes.inserted.length, 9);
  equal(list.snapshot().sections[1].rows.length, 9);
});

test('a snapshot instead of a diff keeps what is the same as it was', () => {
  const { sockets, clock, join, model, told } = setUpReader();
  join();
  sockets.last.end();
  model.step('insert');
  clock.advance(1000);
  join(model.snapshot(50, 60));

  const { inserted, deleted, reloaded, moved } = told.at(-1).changes;
  equal([inserted.length, deleted.length, reloaded.length, moved.length], [1, 1, 0, 0]);
});

test('a gap is filled by a subscribe that resumes; what comes before its answer is not taken', () => {
  const { sockets, join, model, list, asked } = setUpReader();
  join();
  for (let step = 0; step < 5; step++) model.step('insert');
  sockets.last.say(model.diff(62));
  sockets.last.say(model.diff(60));
  equal([asked('subscribe').length, asked('subscribe')[1].resume.revision, list.snapshot().revision], [2, 60, 60]);

  sockets.last.answer('subscribe', model.diff(60));
  equal(list.snapshot().revision, 65);
});

test('a digest that does not fit is counted, told, and answered by a subscribe without resume', () => {
  const { chat, clock, sockets, join, model, list, asked, errors } = setUpReader();
  join();
  model.step('insert');
  sockets.last.say({ ...model.diff(60), digest: 1 });
  clock.advance(0);

  equal([chat.resyncs, errors[0].error, asked('subscribe').length, asked('subscribe')[1].resume], [1, 'diverged', 2, null]);
  equal(list.snapshot().revision, 60);
  sockets.last.answer('subscribe', model.snapshot(50));
  equal(list.snapshot().revision, 61);
});

test('a server that keeps being wrong is asked less and less often', () => {
  const { chat, clock, sockets, join, model } = setUpReader();
  join();
  model.step('insert');
  sockets.last.say({ ...model.diff(60), digest: 1 });
  clock.advance(0);
  const waits = [];
  for (let round = 0; round < 5; round++) {
    sockets.last.answer('subscribe', { ...model.snapshot(50), digest: 1 });
    waits.push(clock.next());
    clock.advance(waits.at(-1));
  }
  equal(waits, [500, 1000, 2000, 4000, 8000]);
  equal(chat.resyncs, 6);
});

test('a snapshot that nobody asked for is taken: a slow reader gets one', () => {
  const { sockets, join, model, list } = setUpReader();
  join();
  for (let step = 0; step < 300; step++) model.step('insert');
  sockets.last.say(model.snapshot(50, 60));

  equal([list.snapshot().revision, list.snapshot().sections[1].rows.length], [360, 50]);
});

test('a list that is not there is told, and asked for again on the next connection only', () => {
  const { sockets, clock, join, errors, asked } = setUpReader();
  join({ type: 'error', error: 'not_found', message: 'no such list' });
  clock.advance(20_000);
  equal([errors.length, asked('subscribe').length], [1, 1]);

  sockets.last.end();
  clock.advance(1000);
  join();
  equal(errors.length, 1);
});

test('a subscribe that is refused for now is said again', () => {
  const { clock, join, errors, asked } = setUpReader();
  join({ type: 'error', error: 'unavailable', message: 'busy', retryAfter: 400 });
  clock.advance(700);
  equal([errors.length, asked('subscribe').length], [0, 2]);
});

test('older pages come in front, one at a time', async () => {
  const { sockets, join, model, list, asked } = setUpReader(200);
  join();
  const first = list.older(100);
  const second = list.older(100);
  equal(asked('page').map(({ before, limit }) => [before, limit]), [[151, 100]]);
  sockets.last.answer('page', model.page({ before: 151 }, 100));

  equal([await first, await second, ids(list).length], [true, true, 150]);
});

test('a page that was too much for now is asked for again when it may be', async () => {
  const { sockets, join, model, list, asked, clock } = setUpReader(200);
  join();
  const paged = list.older(100);
  sockets.last.answer('page', { type: 'error', error: 'rate_limited', message: 'slowly', retryAfter: 900 });
  clock.advance(899);
  equal(asked('page').length, 1);
  clock.advance(251);
  equal(asked('page').map(({ before, limit }) => [before, limit]), [[151, 100], [151, 100]]);
  sockets.last.answer('page', model.page({ before: 151 }, 100));

  equal([await paged, ids(list).length], [true, 150]);
});

test('a page that diffs have overtaken is asked for again', async () => {
  const { sockets, join, model, list, asked } = setUpReader(200);
  join();
  const page = model.page({ before: 151 }, 100);
  const paged = list.older(100);
  model.step('delete');
  sockets.last.say(model.diff(200));
  sockets.last.answer('page', page);
  equal([asked('page').length, ids(list).length], [2, list.snapshot().sections[0].rows.length]);
  sockets.last.answer('page', model.page({ before: asked('page')[1].before }, 100));

  equal(await paged, true);
  equal(ids(list), model.at(201).slice(-ids(list).length).map(({ id }) => id));
});

test('a page that is lost with its connection may be asked for again', async () => {
  const { sockets, clock, join, model, list, asked } = setUpReader(200);
  join();
  const lost = list.older(100);
  sockets.last.end();
  equal(await lost, false);
  clock.advance(1000);
  join(model.diff(200));
  list.older(100);
  equal(asked('page').length, 1);
});

/** A reader who was at row 20 of 60, while 100 rows came, and holds the last 10 of them. */
function setUpAbsence() {
  const client = setUpReader(60, { at: () => 20 });
  const { sockets, clock, model, greet } = client;
  client.join();
  sockets.last.end();
  for (let step = 0; step < 100; step++) model.step('insert');
  clock.advance(1000);
  greet();
  const { resume } = sockets.last.answer('subscribe', model.resume({ revision: 60, ranges: [[11, 60]] }, 10));
  return { ...client, resume };
}

test('whoever was away for long keeps the rows held, and is told of the gap', () => {
  const { list, told, resume, model } = setUpAbsence();
  const { gaps, more, sections } = list.snapshot();

  equal([resume.ranges, resume.at, told.at(-1).changes.deleted, more], [[[11, 60]], 20, [], true]);
  equal(sections.flatMap(({ rows }) => rows.map(({ sort }) => sort)), model.at(160).map(({ sort }) => sort).filter((sort) => (sort > 10 && sort <= 60) || sort > 150));
  equal(gaps.map(({ section, sort, after, count }) => ({ section, sort, after, count })), [{ section: 'socket', sort: 151, after: 60 }]);
  const [rows, index] = list.placeOf(gaps[0]);
  equal(rows[index].sort, 151);
});

test('a gap is filled from the side that is asked for, each page once', async () => {
  const { list, asked, sockets, model } = setUpAbsence();
  const [gap] = list.snapshot().gaps;
  const filled = [list.fill(gap, 'before', 40), list.fill(gap, 'before', 40)];
  sockets.last.answer('page', model.page({ after: 60, before: 151 }, 40));
  equal(await Promise.all(filled), [true, true]);
  const [left] = list.snapshot().gaps;
  const rest = list.fill(left, 'after', 50);
  sockets.last.answer('page', model.page({ after: 60 }, 50));
  equal([await rest, left.id, list.snapshot().gaps], [true, gap.id, []]);

  equal(asked('page').map(({ before, after, limit }) => ({ before, after, limit })), [{ before: 151, after: 60, limit: 40 }, { after: 60, limit: 50 }]);
});

test('goes to a message, wherever it is', async () => {
  const { list, asked, sockets, model } = setUpAbsence();
  const [held, far, early] = [30, 100, 5].map((revision) => model.at(160).find(({ sort }) => sort === revision));
  equal((await list.goTo({ id: held.id })).sort, 30);
  equal(asked('page').length, 0);

  const wanted = list.goTo({ id: far.id });
  sockets.last.answer('page', model.page({ around: { id: far.id } }, 100));
  equal((await wanted).sort, 100);
  const day = list.goTo({ time: early.time }, 40);
  equal(asked('page')[1], { type: 'page', list: MESSAGES, around: { time: 5 }, limit: 40, ref: asked('page')[1].ref });
  sockets.last.answer('page', model.page({ around: { time: early.time } }, 40));
  equal((await day).sort, 5);
});

test('what is not there cannot be gone to', async () => {
  const { list, sockets } = setUpAbsence();
  const wanted = list.goTo({ id: 'gone' });
  sockets.last.answer('page', { type: 'error', error: 'not_found', message: 'no such message' });

  equal(await wanted, undefined);
});

test('one message is fetched without becoming a row', async () => {
  const { list, sockets, model, asked } = setUpAbsence();
  const before = list.snapshot();
  const far = model.at(160).find(({ sort }) => sort === 100);
  const wanted = list.fetch(far.id);
  equal(asked('page'), [{ type: 'page', list: MESSAGES, around: { id: far.id }, limit: 1, ref: asked('page')[0].ref }]);
  sockets.last.answer('page', model.page({ around: { id: far.id } }, 1));
  equal((await wanted).sort, 100);

  const gone = list.fetch('gone');
  sockets.last.answer('page', { type: 'error', error: 'not_found', message: 'no such message' });
  equal(await gone, undefined);

  const refused = list.fetch('refused').catch(({ error }) => error);
  sockets.last.answer('page', { type: 'error', error: 'forbidden', message: 'not for you' });
  equal(await refused, 'forbidden');
  equal(list.snapshot(), before);
  sockets.last.end(1006);
  equal(await list.fetch('offline').catch(() => 'rejected'), 'rejected');
});

// Commands

test('what is said is pending at once, and replaced by its row', async () => {
  const { chat, sockets, join, model, list, told, asked } = setUpReader();
  join();
  const done = chat.send('r', 'hello', { replyTo: 'quoted-id' });
  const [pending] = list.snapshot().pending;
  equal([told.at(-1).changes.why, pending.author, pending.text, pending.replyTo], ['pending', 'ann', 'hello', 'quoted-id']);
  const [{ id, room, text, replyTo }] = asked('send');
  equal([id, room, text, replyTo], [pending.id, 'r', 'hello', 'quoted-id']);

  model.step('insert');
  const row = model.at(61).at(-1);
  row.id = id;
  sockets.last.say(model.diff(60));
  equal([list.snapshot().pending.length, ids(list).at(-1)], [0, id]);
  sockets.last.answer('send', { type: 'ok', list: MESSAGES, revision: 61 });
  equal((await done).id, id);
});

test('whom a message mentions is said with it, pending with it, and replaced by an edit', () => {
  const { chat, join, list, asked } = setUpReader();
  join();
  chat.send('r', 'hello @bob', { mentions: ['bob'] });
  chat.edit('r', 'some-id', 'and @cid', { mentions: ['cid'] });
  chat.edit('r', 'some-id', 'and nobody');

  equal([asked('send')[0].mentions, list.snapshot().pending[0].mentions], [['bob'], ['bob']]);
  equal(asked('edit').map(({ text, mentions }) => [text, mentions]), [['and @cid', ['cid']], ['and nobody', undefined]]);
});

test('that a message mentions everybody is said with it, and pending with it', () => {
  const { chat, join, list, asked } = setUpReader();
  join();
  chat.send('r', '@room', { everyone: true });
  chat.edit('r', 'some-id', '@room', { everyone: true });

  equal([asked('send')[0].everyone, list.snapshot().pending[0].everyone, asked('edit')[0].everyone], [true, true, true]);
});

test('data is sent and pending with a message, and an edit may have it alone', () => {
  const { chat, join, list, asked } = setUpReader();
  join();
  const poll = { kind: 'poll' };
  chat.send('r', 'tea?', { data: poll });
  chat.edit('r', 'some-id', undefined, { data: {} });

  equal([asked('send')[0].data, list.snapshot().pending[0].data], [poll, poll]);
  equal([asked('edit')[0].data, 'text' in asked('edit')[0]], [{}, false]);
});

test('an answer that overtakes the row leaves the message pending until the row is there', async () => {
  const { chat, sockets, join, model, list, asked } = setUpReader();
  join();
  const done = chat.send('r', 'hello');
  sockets.last.answer('send', { type: 'ok', list: MESSAGES, revision: 61 });
  equal([(await done).revision, list.snapshot().pending.length], [61, 1]);

  model.step('insert');
  model.at(61).at(-1).id = asked('send')[0].id;
  sockets.last.say(model.diff(60));
  equal(list.snapshot().pending.length, 0);
});

test('a message can be said again with the id that it had on an earlier page', () => {
  const { chat, join, asked, list } = setUpReader();
  chat.send('r', 'hello', { id: 'an-id' });
  equal([list.snapshot().pending[0].id, list.snapshot().revision], ['an-id', undefined]);
  join();
  equal(asked('send').map(({ id, text }) => [id, text]), [['an-id', 'hello']]);
});

test('a message that was carried out and is not in the window is no longer pending', () => {
  const { chat, sockets, clock, join, model, list } = setUpReader();
  join();
  chat.send('r', 'hello');
  sockets.last.end();
  for (let step = 0; step < 100; step++) model.step('insert');
  clock.advance(1000);
  join(model.snapshot(50, 60));
  equal(list.snapshot().pending.length, 1);
  sockets.last.answer('send', { type: 'ok', list: MESSAGES, revision: 61 });
  equal(list.snapshot().pending.length, 0);
});

test('what was not answered is said again after a reconnect: same ids, same order, once each', () => {
  const { chat, sockets, clock, join, model, asked } = setUpReader();
  join();
  chat.send('r', 'one');
  chat.edit('r', 'some-id', 'two');
  chat.react('r', 'some-id', '👍', true);
  sockets.last.answer('edit', { type: 'ok', list: MESSAGES, revision: 61 });
  const first = sockets.last.frames.filter(({ type }) => type === 'send' || type === 'react');
  sockets.last.end();
  chat.send('r', 'while away');
  clock.advance(1000);
  join(model.diff(60));

  const again = sockets.last.frames.filter(({ type }) => !['hello', 'subscribe'].includes(type));
  const unnumbered = ({ ref, ...frame }) => frame;
  equal(again.slice(0, 2).map(unnumbered), first.map(unnumbered));
  equal([again.length, again[2].text, asked('subscribe').length], [3, 'while away', 1]);
});

test('what a server has lost, with its history, is said again', () => {
  const { chat, sockets, clock, join, asked } = setUpReader();
  join();
  chat.send('r', 'hello');
  sockets.last.answer('send', { type: 'ok', list: MESSAGES, revision: 61 });
  const [{ id }] = asked('send');
  sockets.last.end();
  clock.advance(1000);
  const other = new Model(random(2));
  other.epoch = 'two';
  join(other.snapshot(50));

  equal(asked('send').map((frame) => frame.id), [id]);
});

test('an edit, a deletion, a reaction and a moderation have the command that their caller gives, so that the server knows a repeat', () => {
  const { chat, sockets, join } = setUpReader();
  join();
  const command = uuid();
  chat.edit('r', 'm', 'new', { command });
  chat.delete('r', 'm', { command });
  chat.react('r', 'm', '👍', true, { command });
  chat.moderate('r', 'unmute', { user: 'bob', command });
  equal(sockets.last.frames.slice(-4).map((frame) => [frame.type, frame.command]), ['edit', 'delete', 'react', 'moderate'].map((type) => [type, command]));
});

test('edits, deletes and reactions carry a command of their own, and reject with the server’s error', async () => {
  const { chat, sockets, join } = setUpReader();
  join();
  const outcomes = [chat.edit('r', 'm', 'new'), chat.delete('r', 'm'), chat.react('r', 'm', '👍', false)];
  const frames = sockets.last.frames.slice(-3);
  equal(frames.map(({ ref, command, ...frame }) => frame), [
    { type: 'edit', room: 'r', id: 'm', text: 'new' },
    { type: 'delete', room: 'r', id: 'm' },
    { type: 'react', room: 'r', id: 'm', emoji: '👍', on: false },
  ]);
  equal(new Set(frames.map(({ command }) => command)).size, 3);

  for (const type of ['edit', 'delete', 'react']) sockets.last.answer(type, { type: 'error', error: 'forbidden', message: 'not yours' });
  for (const outcome of outcomes) equal(await outcome.catch(({ error, message }) => [error, message]), ['forbidden', 'not yours']);
});

test('a refused message stays with its reason until it is discarded', () => {
  const { chat, sockets, clock, join, model, list } = setUpReader();
  join();
  chat.send('r', 'x');
  sockets.last.answer('send', { type: 'error', error: 'too_large', message: 'too long' });
  const [refused] = list.snapshot().pending;
  equal([refused.error, refused.message], ['too_large', 'too long']);

  sockets.last.end();
  clock.advance(1000);
  join(model.diff(60));
  equal(sockets.last.frames.filter(({ type }) => type === 'send').length, 0);
  chat.discard(refused.id);
  equal(list.snapshot().pending.length, 0);
});

test('what is larger than the server takes is not said, fails with the reason, and holds up nothing', async () => {
  const { chat, sockets, join, asked, list } = setUpReader();
  const sent = chat.send('r', 'ü'.repeat(5000)); // before anybody knows the limits
  join();
  const edited = chat.edit('r', 'm', 'x'.repeat(8193));
  chat.send('r', 'short');

  equal(await sent.catch(({ error, message }) => [error, message]), ['too_large', 'text: has 10000 bytes, at most 8192 are taken']);
  equal(await edited.catch(({ error }) => error), 'too_large');
  equal([list.snapshot().pending.map(({ error }) => error), sockets.last.frames.filter(({ type }) => type === 'edit').length], [['too_large', undefined], 0]);
  equal(asked('send').map(({ text }) => text), ['short']);
});

for (const pending of [1, 2, 5])
  test(`a server that takes ${pending} requests at once is never asked for more, by lists and commands together`, () => {
    const { chat, sockets } = setUp();
    const names = ['r', 's', 't'].map((room) => `room/${room}/messages`);
    const lists = names.map((name) => chat.subscribe(name));
    chat.subscribe('me/mentions');
    for (let number = 0; number < 10; number++) chat.send('r', `${number}`);
    sockets.last.onopen();
    sockets.last.answer('hello', { ...WELCOME, limits: { pending, text: 8192 } });
    chat.unsubscribe(names[2]);

    const open = sockets.last.frames.slice(1);
    for (let answered = 0, most = 0, next; ; answered++) {
      most = Math.max(most, open.length);
      ok(most <= pending, `${most} at once`);
      if (!(next = open.shift())) {
        equal([answered, most], [15, pending]);
        break;
      }
      const before = sockets.last.frames.length;
      const rows = { epoch: 'e', revision: 0, joined: 0, why: 'fresh', sections: [], more: false, count: 0, digest: 0 };
      sockets.last.say({ ...(next.type === 'subscribe' ? { type: 'snapshot', ...rows } : { type: 'ok', revision: 1 }), list: next.list ?? names[0], ref: next.ref });
      open.push(...sockets.last.frames.slice(before));
    }
    equal(lists.map((list) => list.snapshot().revision), [0, 0, 0]);
    equal(sockets.last.frames.filter(({ type }) => type === 'send').map(({ text }) => text), [...'0123456789']);
    ok(sockets.last.frames.findIndex(({ type }) => type === 'unsubscribe') > sockets.last.frames.findIndex(({ list }) => list === names[2]));
  });

/** A reader of `me/mentions` with so many in all: the newest 100 are in the list, and a test answers for the others. */
function setUpMentions(count) {
  const { chat, sockets, greet } = setUp();
  const all = Array.from({ length: count }, (_, number) => ({ id: `r/${number}`, sort: number, rev: 1, room: 'r', message: `${number}`, author: 'bob', time: number, text: '@ann', read: false }));
  const list = chat.subscribe('me/mentions');
  const rows = () => all.slice(-100);
  const proof = () => ({ count: rows().length, digest: slowDigest(rows().slice(-32)) });
  greet();
  sockets.last.answer('subscribe', { type: 'snapshot', list: 'me/mentions', epoch: 'e', revision: 1, joined: 1, why: 'fresh', sections: [{ id: 'mentions', rows: rows() }], more: false, ...proof() });
  let revision = 1;
  /** The list changes from what it was to the newest of all. */
  const follow = (before) => {
    const [was, is] = [new Set(before), new Set(rows())];
    const ins = rows().filter((row) => !was.has(row)).map((row) => Object.assign(row, { rev: revision + 1, section: 'mentions' }));
    sockets.last.say({ type: 'diff', list: 'me/mentions', epoch: 'e', from: revision, to: ++revision, del: before.filter((row) => !is.has(row)).map(({ id }) => id), ins, ...proof() });
  };
  const change = (action) => {
    const before = rows();
    action(all);
    follow(before);
  };
  const pages = () => sockets.last.frames.filter(({ type }) => type === 'page');
  /** Answers the last request for a page. */
  const answer = () => {
    const { before, limit, ref } = pages().at(-1);
    const past = all.filter(({ time }) => time < before.time);
    sockets.last.say({ type: 'page', list: 'me/mentions', epoch: 'e', rows: past.slice(-limit), more: past.length > limit, ref });
  };
  const held = () => [...list.snapshot().older, ...list.snapshot().sections[0].rows].map(({ id }) => id);
  return { all, list, change, pages, answer, held };
}

test('older mentions come in front of the newest ones, until there are none', async () => {
  const { all, list, pages, answer, held } = setUpMentions(150);
  equal([list.snapshot().more, list.snapshot().older], [true, []]);
  const came = list.older(30);
  equal(pages().map(({ list, before, limit }) => [list, before, limit]), [['me/mentions', { id: 'r/50', time: 50 }, 30]]);
  answer();
  equal([await came, held(), list.snapshot().more], [true, all.slice(20).map(({ id }) => id), true]);
  list.older(30);
  list.older(30);
  answer();
  equal([pages().length, held(), list.snapshot().more], [2, all.map(({ id }) => id), false]);
  equal([await list.older(), pages().length], [false, 2]);
});

test('what newer mentions push out of the list is asked for, and what is deleted goes', () => {
  const { all, list, change, pages, answer, held } = setUpMentions(300);
  list.older(150);
  answer();
  change((all) => all.push(...Array.from({ length: 5 }, (_, number) => ({ ...all[0], id: `r/${number + 300}`, message: `${number + 300}`, sort: number + 300, time: number + 300 }))));
  equal(pages().at(-1).before, { id: 'r/205', time: 205 });
  answer();
  equal(held(), all.slice(50).map(({ id }) => id));
  change((all) => all.splice(-10, 10));
  equal(held(), all.slice(50).map(({ id }) => id));
  change((all) => all.splice(198, 1));
  equal([held(), pages().length], [all.slice(50).map(({ id }) => id), 2]);
});

test('where there are few mentions nothing is older', async () => {
  const few = setUpMentions(99);
  equal([few.list.snapshot().more, await few.list.older(), few.pages().length], [false, false, 0]);
});

test('what waits for its turn when the connection ends is said on the next one', () => {
  const { chat, clock, sockets, states } = setUp();
  const greet = () => {
    sockets.last.onopen();
    sockets.last.answer('hello', { ...WELCOME, limits: { pending: 1, text: 8192 } });
  };
  chat.subscribe(MESSAGES);
  chat.subscribe('me/mentions');
  chat.send('r', 'x');
  greet();
  equal(sockets.last.frames.map(({ type }) => type), ['hello', 'subscribe']);
  sockets.last.end();
  clock.advance(states.at(-1).delay + 1);
  greet();

  for (const type of ['subscribe', 'subscribe', 'send']) sockets.last.answer(type, { type: 'error', error: 'forbidden', message: 'no' });
  equal(sockets.last.frames.map(({ type, list }) => list ?? type), ['hello', MESSAGES, 'me/mentions', 'send']);
});

for (const code of [1003, 1007, 1009])
  test(`what ends the connection with ${code} is found, fails, and what was said with it goes on`, async () => {
    const { chat, sockets, clock, states, join, model, asked } = setUpReader();
    join();
    const outcomes = ['one', 'bad', 'three'].map((text) => chat.send('r', text));
    sockets.last.end(code);
    for (let round = 0; round < 2; round++) {
      clock.advance(states.at(-1).delay);
      join(model.diff(60));
      // The server takes what it can, and ends with what it cannot.
      for (let at = 0; asked('send')[at]; at++) {
        equal(asked('send').length, at + 1, 'one at a time');
        const { text, ref } = asked('send')[at];
        if (text === 'bad') sockets.last.end(code);
        else sockets.last.say({ type: 'ok', list: MESSAGES, revision: 61, ref });
        if (text === 'bad') break;
      }
    }
    equal(await outcomes[1].catch(({ error, message }) => [error, message.includes(code)]), ['too_large', true]);
    equal((await Promise.all([outcomes[0], outcomes[2]])).length, 2);
    equal(asked('send').filter(({ text }) => text === 'bad').length, 0);
  });

test('a command that must wait is said again when it may be, and nothing new overtakes it', () => {
  const { chat, clock, sockets, join, asked } = setUpReader();
  join();
  chat.send('r', 'one');
  sockets.last.answer('send', { type: 'error', error: 'rate_limited', message: 'slowly', retryAfter: 2000 });
  chat.send('r', 'two');
  equal(asked('send').length, 1);
  clock.advance(2250);
  equal(asked('send').map(({ text }) => text), ['one', 'one', 'two']);
  equal(asked('send')[0].id, asked('send')[1].id);
});

test('a room that must wait holds up no other one', () => {
  const { chat, clock, sockets, join, asked } = setUpReader();
  join();
  chat.send('r', 'too soon');
  sockets.last.answer('send', { type: 'error', error: 'rate_limited', message: 'slow mode', retryAfter: 5000 });
  chat.send('s', 'elsewhere');
  chat.join('s');
  chat.send('r', 'behind it');
  equal([asked('send').map(({ text }) => text), asked('join').length], [['too soon', 'elsewhere'], 1]);
  clock.advance(5250);
  equal(asked('send').slice(2).map(({ text }) => text), ['too soon', 'behind it']);
});

test('a subscribe that must wait is not said again for a list that was left', () => {
  const { chat, clock, sockets, greet, asked } = setUpReader();
  greet();
  sockets.last.answer('subscribe', { type: 'error', error: 'unavailable', message: 'busy', retryAfter: 1000 });
  chat.unsubscribe(MESSAGES);
  clock.advance(1250);
  equal(asked('subscribe').length, 1);
});

test('what was under way with a command that must wait is said again in the old order', () => {
  const { chat, clock, sockets, join, asked } = setUpReader();
  join();
  const slowly = { type: 'error', error: 'rate_limited', message: 'slowly', retryAfter: 1000 };
  for (const text of ['one', 'two', 'three']) chat.send('r', text);
  for (const { ref } of asked('send')) sockets.last.say({ ...slowly, ref });
  clock.advance(1250);
  equal(asked('send').map(({ text }) => text), ['one', 'two', 'three', 'one', 'two', 'three']);
});

// Who is there

const plain = ({ ref, ...frame }) => frame;

test('typing is said at once, again after three seconds in which it went on, and no more often', () => {
  const { chat, clock, join, asked } = setUpReader();
  join();
  for (let key = 0; key < 40; key++) {
    chat.typing('r', true);
    clock.advance(100);
  }
  equal(asked('typing').map(plain), [1, 2].map(() => ({ type: 'typing', room: 'r', on: true })));
  chat.typing('other', true);
  equal(asked('typing').at(-1).room, 'other');
});

test('the end of typing is said once, and not after a message, which says it too', () => {
  const { chat, join, asked } = setUpReader();
  join();
  chat.typing('r', false);
  chat.typing('r', true);
  chat.typing('r', false);
  chat.typing('r', false);
  equal(asked('typing').map(({ on }) => on), [true, false]);

  chat.typing('r', true);
  chat.send('r', 'done');
  chat.typing('r', false);
  chat.typing('r', true);
  equal(asked('typing').map(({ on }) => on), [true, false, true, true]);
});

test('a read mark only grows, and is said again on another connection, as typing may be', () => {
  const { chat, sockets, clock, join, model, asked } = setUpReader();
  join();
  chat.typing('r', true);
  for (const revision of [50, 60, 60, 55]) chat.read('r', revision);
  equal(asked('read').map(plain), [50, 60].map((revision) => ({ type: 'read', room: 'r', revision })));

  sockets.last.end();
  chat.typing('r', true);
  chat.read('r', 61);
  clock.advance(1000);
  join(model.diff(60));
  chat.typing('r', true);
  equal(sockets.last.frames.map(({ type }) => type), ['hello', 'subscribe', 'read', 'typing']);
  equal(asked('read')[0].revision, 61);
});

test('in another history nothing has been read yet', () => {
  const { chat, sockets, clock, join, model, asked } = setUpReader();
  join();
  chat.read('r', 60);
  sockets.last.end();
  clock.advance(1000);
  join({ ...model.snapshot(50), epoch: 'two' });
  equal(asked('read'), []);
  chat.read('r', 55);
  equal(asked('read').map(({ revision }) => revision), [55]);
});

test('the mark of a room that is not followed any more is not said again; when it is read again, it is', () => {
  const { chat, sockets, clock, join, list, model, asked } = setUpReader();
  join();
  chat.read('r', 60);
  chat.unsubscribe('room/r/members');
  chat.unsubscribe(MESSAGES);
  sockets.last.end();
  clock.advance(1000);
  sockets.last.onopen();
  sockets.last.answer('hello', WELCOME);
  equal(sockets.last.frames.map(({ type }) => type), ['hello']);

  list.rejoin();
  sockets.last.answer('subscribe', model.diff(60));
  chat.read('r', 60);
  equal(asked('read').map(({ revision }) => revision), [60]);
});

test('what the server says to typing and reading disturbs nobody', () => {
  const { chat, sockets, join, told, errors } = setUpReader();
  join();
  chat.typing('r', true);
  chat.read('r', 99);
  for (const type of ['typing', 'read']) sockets.last.answer(type, { type: 'error', error: 'not_found', message: 'no' });
  equal([told.length, errors.length, chat.state], [1, 0, 'online']);
});

test('a client that is closed after the server has said bye stays away', () => {
  const { chat, sockets, clock, join } = setUpReader();
  join();
  sockets.last.say({ type: 'bye', reason: 'restart', retryAfter: 100 });
  chat.close();
  equal(chat.state, 'stopped');
  clock.advance(60_000);
  equal(sockets.made.length, 1);
});

test('nothing is sent on a socket that is closing, and a command waits for the next one', () => {
  const { chat, sockets, clock, join, asked } = setUpReader();
  join();
  sockets.last.readyState = 2;
  chat.send('r', 'late');
  chat.typing('r', true);
  equal(sockets.last.frames.filter(({ type }) => type === 'send' || type === 'typing'), []);

  sockets.last.end();
  clock.advance(1000);
  join();
  equal(asked('send').map(({ text }) => text), ['late']);
});

test('the latency is that of the last hello or ping', () => {
  const { chat, clock, sockets } = setUp();
  equal(chat.latency, undefined);
  sockets.last.onopen();
  clock.advance(40);
  sockets.last.answer('hello', WELCOME);
  equal(chat.latency, 40);

  chat.hurry();
  clock.advance(7);
  sockets.last.say({ type: 'news' });
  clock.advance(8);
  sockets.last.answer('ping', { type: 'pong' });
  equal(chat.latency, 15);
  chat.hurry();
  clock.advance(500);
  sockets.last.end();
  equal(chat.latency, 15);
});

test('no more commands are in flight than the server takes', () => {
  const { chat, sockets, asked } = setUpReader();
  sockets.last.onopen();
  sockets.last.answer('hello', { ...WELCOME, limits: { pending: 3 } });
  for (let said = 0; said < 9; said++) chat.send('r', `${said}`);
  equal(asked('send').length, 2); // the third in flight is the subscribe
  for (let answered = 0; answered < 2; answered++) sockets.last.say({ type: 'ok', list: MESSAGES, revision: 1, ref: asked('send')[answered].ref });
  equal(asked('send').length, 4);
  ok(asked('send').every(({ text }, index) => text === `${index}`), 'in order');
});

// Being put out

test('a list that the server ends is told, stays ended after the next connection, and begins again when subscribed to', () => {
  const { chat, sockets, clock, states, errors, join, greet, asked } = setUpReader();
  join();

  sockets.last.say({ type: 'ended', list: MESSAGES, why: 'kicked', message: 'out' });
  equal(errors, [{ type: 'ended', list: MESSAGES, why: 'kicked', message: 'out' }]);
  sockets.last.end();
  clock.advance(states.at(-1).delay);
  greet();
  equal(asked('subscribe').length, 0);

  chat.subscribe(MESSAGES);
  equal(asked('subscribe').length, 1);
});

test('a list that was ended can be joined again, from where it stood', () => {
  const { sockets, join, model, list, asked, told } = setUpReader();
  join();
  sockets.last.say({ type: 'ended', list: MESSAGES, why: 'kicked', message: 'out' });
  model.step('insert');
  list.rejoin();
  equal(asked('subscribe').at(-1).resume, { epoch: 'one', revision: 60, joined: 60, ranges: [[11, 60]] });
  sockets.last.answer('subscribe', model.diff(60));
  model.step('insert');
  sockets.last.say(model.diff(61));

  equal([list.snapshot().revision, told.length], [62, 3]);
});

// Snapshots

test('a snapshot is the same until something changes, and another one then', () => {
  const { chat, sockets, join, model, list, asked } = setUpReader();
  const { snapshot } = list; // as useSyncExternalStore takes it
  const nothing = snapshot();
  equal(nothing === snapshot(), true);
  join();
  const joined = snapshot();
  equal([joined === nothing, joined === snapshot(), nothing.sections.length], [false, true, 0]);
  sockets.last.say({ ...model.diff(60), from: 59 });
  sockets.last.say({ type: 'news' });
  equal(joined === snapshot(), true, 'nothing changed');

  chat.send('r', 'hello');
  const waiting = snapshot();
  equal([waiting === joined, waiting.pending.length, joined.pending.length], [false, 1, 0]);
  sockets.last.answer('send', { type: 'error', error: 'forbidden', message: 'no' });
  equal([snapshot().pending[0].error, waiting.pending[0].error], ['forbidden', undefined]);
  equal(asked('send').length, 1);
});

for (let seed = 1; seed <= 20; seed++)
  test(`no snapshot that was ever told changes, whatever comes after it (seed ${seed})`, () => {
    const { sockets, clock, join, list } = setUpReader();
    const told = [];
    const keep = () => told.at(-1)?.[0] === list.snapshot() || told.push([list.snapshot(), JSON.stringify(list.snapshot())]);
    const model = new Model(random(seed), { moves: true });
    for (let step = 0; step < 90; step++) model.step();
    join(model.snapshot(40));
    for (let round = 0; round < 25; round++) {
      keep();
      const from = list.snapshot().revision;
      model.step();
      const choice = model.random.next();
      if (choice < 0.2) sockets.last.say(model.snapshot(40, from));
      else if (choice < 0.3) {
        sockets.last.say({ ...model.diff(from), digest: 1 }); // all but the end of it is carried out, and taken back
        clock.advance(0);
        sockets.last.answer('subscribe', model.snapshot(40, from));
      } else sockets.last.say(model.diff(from));
      if (choice > 0.8) list.trim(20);
    }
    keep();

    ok(told.length >= 15, `${told.length} snapshots`);
    for (const [snapshot, then] of told) equal(JSON.stringify(snapshot), then);
  });

test('what the user may do is told before the list and when it changes', () => {
  const { chat, sockets, greet } = setUp();
  const told = [];
  chat.subscribe(MESSAGES, { onStanding: ({ role }) => told.push(role) });
  greet();

  sockets.last.say({ type: 'standing', room: 'r', role: 'read' });
  sockets.last.say({ type: 'standing', room: 'r', role: 'moderate' });
  sockets.last.say({ type: 'standing', room: 'other', role: 'own' });

  equal(told, ['read', 'moderate']);
});
