/** `me/rooms`, and joining and leaving. */

import { Diffroom, replica } from '../diffroom.js';
import { equal, handClock, handSockets, ok, random, test } from './checks.js';
import { SidebarModel } from './sidebar-model.js';

const WELCOME = { type: 'welcome', user: 'ann', server: 'test', heartbeat: 25_000, limits: { pending: 256, text: 8192, memberships: 5000 } };

function setUp() {
  const clock = handClock();
  const sockets = handSockets();
  const environment = { WebSocket: sockets.WebSocket, now: clock.now, after: clock.after, cancel: clock.cancel, random: () => 0.5 };
  const chat = new Diffroom({ url: 'ws://test/', user: 'ann', environment });
  const greet = () => {
    sockets.last.onopen();
    sockets.last.answer('hello', WELCOME);
  };
  const asked = (...types) => sockets.last.frames.filter(({ type }) => types.includes(type)).map(({ ref, ...frame }) => frame);
  return { chat, clock, sockets, greet, asked };
}

const rowsOf = ({ sections }) => sections.flatMap(({ rows }) => rows);

for (let seed = 1; seed <= 60; seed++)
  test(`rooms that come, go, move, are read and are called otherwise lead to the list as it is (seed ${seed})`, () => {
    const model = new SidebarModel(random(seed));
    const held = replica('me/rooms');
    for (let steps = model.random.below(20); steps; steps--) model.step();
    equal(held.apply(model.snapshot()).verdict, 'applied');

    for (let round = 0; round < 60; round++) {
      const from = model.head;
      for (let ticks = 1 + model.random.below(4); ticks; ticks--) model.step();
      const { verdict, changes } = held.apply(model.diff(from));
      equal(verdict, 'applied');
      equal(rowsOf(held.state), model.at());
      const named = model.at().length ? { rows: model.at().map(({ id, tag }) => [id, tag]) } : {};
      const { rows = [], ...position } = held.resume();
      equal([held.state.more, held.state.gaps, position], [false, [], { epoch: 'one', revision: model.head, joined: held.state.joined }]);
      equal([...rows].sort(), [...(named.rows ?? [])].sort());
      for (const row of [...changes.moved, ...changes.reconfigured]) ok(row === held.get(row.id), 'a change names the row that is held');
    }
  });

for (let seed = 1; seed <= 60; seed++)
  test(`whoever names the rows that they hold is told what has changed, also by another server (seed ${seed})`, () => {
    const model = new SidebarModel(random(seed));
    const held = replica('me/rooms');
    for (let steps = 5 + model.random.below(20); steps; steps--) model.step();
    equal(held.apply(model.snapshot()).verdict, 'applied');

    for (let round = 0; round < 20; round++) {
      const before = rowsOf(held.state);
      const resume = held.resume();
      if (!resume.rows) return;
      for (let steps = model.random.below(3); steps; steps--) model.step();
      model.restart(`epoch ${round}`);
      for (let steps = model.random.below(2); steps; steps--) model.step();
      const { verdict, changes } = held.apply(model.answer(resume));
      equal(verdict, 'applied');
      equal(rowsOf(held.state), model.at());
      equal([held.state.epoch, held.state.revision], [model.epoch, model.head]);
      const told = new Set([...changes.inserted, ...changes.reloaded, ...changes.moved, ...changes.reconfigured].map(({ id }) => id));
      for (const { id, tag } of before) {
        const row = held.get(id);
        if (row?.tag === tag && row.rev === 1) ok(!told.has(id), `${id} has not changed`);
      }

      for (let steps = 1 + model.random.below(3); steps; steps--) model.step();
      equal(held.apply(model.diff(held.state.revision)).verdict, 'applied');
      equal(rowsOf(held.state), model.at());
    }
  });

test('a list of rooms is followed, cut and resumed like any other, and asks for no page', async () => {
  const { chat, clock, sockets, greet, asked } = setUp();
  const model = new SidebarModel(random(3));
  for (let step = 0; step < 9; step++) model.step();
  const told = [];
  const rooms = chat.subscribe('me/rooms', { onChange: ({ changes }) => told.push(changes.why) });
  greet();
  sockets.last.answer('subscribe', model.snapshot());
  const cutAt = model.head;
  sockets.last.end();
  model.step();
  clock.advance(1000);
  greet();
  const { rows, ...position } = asked('subscribe')[0].resume;
  equal(position, { epoch: 'one', revision: cutAt, joined: cutAt });
  equal(rows, model.at(cutAt).map(({ id, tag }) => [id, tag]));
  sockets.last.answer('subscribe', model.diff(cutAt));

  equal(rowsOf(rooms.snapshot()), model.at());
  equal([told, await rooms.older(), asked('page')], [['snapshot', 'diff'], false, []]);
});

test('more rooms are asked for from where the list stands, one step at a time, and as many after a cut', async () => {
  const { chat, clock, sockets, greet, asked } = setUp();
  const model = new SidebarModel(random(4));
  for (let step = 0; step < 9; step++) model.step();
  const rooms = chat.subscribe('me/rooms', { limit: 100 });
  rooms.grow(100); // nothing is there yet
  greet();
  sockets.last.answer('subscribe', model.snapshot());
  const { head } = model;
  rooms.grow(100);
  rooms.grow(100); // the answer is awaited
  equal(asked('subscribe').slice(1), [{ type: 'subscribe', list: 'me/rooms', limit: 200, resume: { epoch: 'one', revision: head, joined: head } }]);
  model.step();
  sockets.last.answer('subscribe', model.diff(head));
  equal(rowsOf(rooms.snapshot()), model.at());
  rooms.grow(Infinity);
  sockets.last.end();
  clock.advance(1000);
  greet();

  equal(asked('subscribe').map(({ limit }) => limit), [5000]);
});

test('joins and leaves are said once each in the order of all commands, and again with their ids after a cut', async () => {
  const { chat, clock, sockets, greet, asked: all } = setUp();
  const ids = [];
  const asked = (...types) => all(...types).map(({ command, ...frame }) => (command && ids.push(command), frame));
  greet();
  const outcomes = [chat.join('r'), chat.leave('s'), chat.join('s')];
  chat.send('r', 'hello', { id: 'an-id' });
  const said = [{ type: 'join', room: 'r' }, { type: 'leave', room: 's' }, { type: 'send', room: 'r', id: 'an-id', text: 'hello' }];
  equal(asked('join', 'leave', 'send'), said);
  const { ref } = sockets.last.frames.find(({ type }) => type === 'join');
  sockets.last.say({ type: 'ok', list: 'room/r/messages', revision: 7, ref });
  equal(await outcomes[0], { list: 'room/r/messages', revision: 7 });

  sockets.last.end();
  clock.advance(1000);
  greet();
  equal(asked('join', 'leave', 'send'), said.slice(1));
  sockets.last.answer('leave', { type: 'ok', list: 'room/s/messages', revision: 8 });
  equal(asked('join'), [{ type: 'join', room: 's' }]);
  equal(ids.map((id) => id.length), [36, 36, 36, 36]);
  equal(ids[1], ids[2]); // the leave of before and after the cut
  equal(new Set(ids).size, 3);
});

test('of one room settings go one after the other, in their order also after one that has to be said again', async () => {
  const { chat, clock, sockets, greet, asked: all } = setUp();
  const asked = (type) => all(type).map(({ command, ...frame }) => (command?.length === 36 ? frame : { command }));
  greet();
  chat.set('r', { pinned: 1048576, muted: true });
  chat.set('r', { pinned: false });
  chat.set('s', { marked: true });
  const [first, other] = [{ type: 'settings', room: 'r', pinned: 1048576, muted: true }, { type: 'settings', room: 's', marked: true }];
  equal(asked('settings'), [first, other]);
  const { ref } = sockets.last.frames.find(({ type }) => type === 'settings');
  sockets.last.say({ type: 'error', error: 'unavailable', retryAfter: 100, ref });
  clock.advance(1000);
  equal(asked('settings'), [first, other, first]);
  sockets.last.answer('settings', { type: 'ok', list: 'room/r/messages', revision: 8 });
  equal(asked('settings').at(-1), { type: 'settings', room: 'r', pinned: false });
});

test('all that is there is called read now or not at all', async () => {
  const { chat, clock, sockets, greet, asked } = setUp();
  chat.read('r');
  greet();
  equal(asked('read'), []);
  chat.read('r');
  equal(asked('read'), [{ type: 'read', room: 'r' }]);
  sockets.last.answer('read', { type: 'error', error: 'rate_limited', retryAfter: 100 });
  clock.advance(1000);
  equal(asked('read').length, 2);

  sockets.last.end();
  clock.advance(1000);
  greet();
  equal(asked('read'), []);
});

test('many rooms are marked as read with a request for each two hundred, and only while there is a connection', async () => {
  const { chat, sockets, greet, asked } = setUp();
  const rooms = Array.from({ length: 201 }, (_, number) => `r${number}`);
  chat.readAll(rooms);
  greet();
  equal(asked('read'), []);
  chat.readAll(new Set(rooms));
  equal(asked('read'), [{ type: 'read', rooms: rooms.slice(0, 200) }, { type: 'read', rooms: ['r200'] }]);
  sockets.last.answer('read', { type: 'ok', rooms: [{ room: 'r200', revision: 7 }] });
  chat.readAll([]);
  equal(asked('read').length, 2);
});

test('a room that one may not join rejects with the server’s error', async () => {
  const { chat, sockets, greet } = setUp();
  greet();
  const outcome = chat.join('r');
  sockets.last.answer('join', { type: 'error', error: 'forbidden', message: 'no' });

  equal(await outcome.catch(({ error, message }) => [error, message]), ['forbidden', 'no']);
});

const ROOM = '~5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2';

test('a private room is made once, also if the answer is cut off, and its name is told', async () => {
  const { chat, clock, sockets, greet, asked } = setUp();
  const made = chat.create({ kind: 'private', title: 'Plans', people: ['bob', 'Zoe\u0308'] });
  greet();
  const [first] = asked('create');
  equal([first.command.length, { ...first, command: 0 }], [36, { type: 'create', command: 0, kind: 'private', title: 'Plans', people: ['bob', 'Zo\u00eb'] }]);

  sockets.last.end();
  clock.advance(1000);
  greet();
  equal(asked('create'), [first]);
  sockets.last.answer('create', { type: 'ok', list: `room/${ROOM}/messages`, revision: 3 });
  equal(await made, ROOM);
});

test('an open room is made under the name that one chooses', async () => {
  const { chat, sockets, greet, asked } = setUp();
  greet();
  const made = chat.create({ kind: 'open', room: 'tea', title: 'Tea' });
  equal({ ...asked('create')[0], command: 0 }, { type: 'create', command: 0, kind: 'open', room: 'tea', title: 'Tea', people: [] });
  sockets.last.answer('create', { type: 'ok', list: 'room/tea/messages', revision: 1 });

  equal(await made, 'tea');
});

test('a room that the server does not make rejects with its error', async () => {
  const { chat, sockets, greet } = setUp();
  greet();
  const made = chat.create({ kind: 'direct', people: ['bob'] });
  sockets.last.answer('create', { type: 'error', error: 'too_large', message: 'bob is in too many rooms' });

  equal(await made.catch(({ error, message }) => [error, message]), ['too_large', 'bob is in too many rooms']);
});

test('what a moderator does has an id, and is repeated with it', async () => {
  const { chat, clock, sockets, greet, asked } = setUp();
  greet();
  const done = chat.moderate(ROOM, 'appoint', { user: 'bob', role: 'write' });
  const [first] = asked('moderate');
  equal([first.command.length, { ...first, command: 0 }], [36, { type: 'moderate', room: ROOM, command: 0, action: 'appoint', user: 'bob', role: 'write' }]);

  sockets.last.end();
  clock.advance(1000);
  greet();
  equal(asked('moderate'), [first]);
  sockets.last.answer('moderate', { type: 'ok', list: `room/${ROOM}/messages`, revision: 4 });
  equal(await done, { list: `room/${ROOM}/messages`, revision: 4 });
});

test('members are found by pages, and a refusal or a lost connection rejects', async () => {
  const { chat, sockets, greet, asked } = setUp();
  greet();
  const list = `room/${ROOM}/members`;
  const rows = [{ id: 'anna', section: 'offline', sort: 4, rev: 0, since: 7, role: 'own' }];
  const found = chat.findMembers(ROOM, { find: 'ann', after: 'ann', limit: 1 });
  sockets.last.answer('page', { type: 'page', list, epoch: 'e', rows, more: true, after: 'anna' });
  const none = chat.findMembers(ROOM, { find: 'x' });
  sockets.last.answer('page', { type: 'page', list, epoch: 'e', rows: [], more: false });
  const refused = chat.findMembers(ROOM);
  sockets.last.answer('page', { type: 'error', error: 'forbidden', message: 'only readers may' });
  const lost = chat.findMembers(ROOM);
  sockets.last.end();

  equal(asked('page'), [{ find: 'ann', after: 'ann', limit: 1 }, { find: 'x' }, {}, {}].map((place) => ({ type: 'page', list, ...place })));
  const { rows: first, after } = await found;
  equal([first, after, (await none).rows, (await none).after], [rows, 'anna', [], undefined]);
  const why = ({ error, message }) => [error, message];
  equal(await refused.catch(why), ['forbidden', 'only readers may']);
  equal((await lost.catch(why))[0], undefined);
});

test('what moderators have done is asked for, and a refusal or a lost connection is told', async () => {
  const { chat, sockets, greet, asked } = setUp();
  greet();
  const entries = [{ revision: 3, time: 7, author: 'ann', action: 'kick', user: 'bob' }];
  const told = chat.audit(ROOM, { before: 4 });
  sockets.last.answer('audit', { type: 'audit', room: ROOM, entries, more: true });
  const refused = chat.audit(ROOM);
  sockets.last.answer('audit', { type: 'error', error: 'forbidden', message: 'only moderators may' });
  const lost = chat.audit(ROOM);
  sockets.last.end();

  equal(asked('audit'), [{ type: 'audit', room: ROOM, before: 4 }, { type: 'audit', room: ROOM }, { type: 'audit', room: ROOM }]);
  const { entries: found, more } = await told;
  equal([found, more], [entries, true]);
  const why = ({ error, message }) => [error, message];
  equal(await refused.catch(why), ['forbidden', 'only moderators may']);
  equal((await lost.catch(why))[0], undefined);
});
