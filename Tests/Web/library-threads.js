/** Threads: their names, the field of the message that they answer, what is sent to them, and following them. */

import { Diffroom, replica, threadName, threadRoot } from '../diffroom.js';
import { equal, handClock, handSockets, test } from './checks.js';
import { slowDigest } from './model.js';

const ID = '5f0c7d2e-8a41-4c59-9b7e-21d3c6a0f1b2';
const DIRECT = `@${'0'.repeat(32)}`;

test('the name of a thread has its room and its root', () => {
  for (const room of ['lobby', `~${ID}`, DIRECT]) equal(threadRoot(threadName(room, ID)), { room, id: ID });
});

for (const name of ['', 'lobby', 'lobby/thread', `lobby/thread/${ID.toUpperCase()}`, `lobby/thread/${ID}/thread/${ID}`, `lobby/threads/${ID}`, `/thread/${ID}`, `lobby/thread/${ID}/`])
  test(`no thread has the name ${name || 'that is empty'}`, () => equal(threadRoot(name), undefined));

test('`thread` is a light field of a message: `cfg` replaces it, and `rea` and `app` leave it', () => {
  const held = replica('room/r/messages');
  const thread = { count: 2, time: 1_700_000_005_000, people: ['bob', 'cid'] };
  const row = { id: ID, sort: 1, rev: 1, author: 'ann', time: 1, text: 'tea', open: true };
  const sections = [{ id: 'history', rows: [] }, { id: 'socket', rows: [{ ...row, thread: { ...thread, count: 1 } }] }];
  const proof = (rev) => ({ count: 1, digest: slowDigest([{ ...row, rev }]) });
  held.apply({ type: 'snapshot', epoch: 'e', revision: 1, joined: 0, more: false, sections, ...proof(1) });
  const apply = (to, operations) => held.apply({ type: 'diff', epoch: 'e', from: to - 1, to, ...operations, ...proof(to) }).verdict;
  const likes = [{ emoji: '👍', users: ['bob'] }];

  equal(apply(2, { cfg: [{ id: ID, rev: 2, thread }] }), 'applied');
  equal(apply(3, { rea: [{ id: ID, rev: 3, add: likes }] }), 'applied');
  equal(apply(4, { app: [{ id: ID, rev: 4, at: 3, text: '!' }] }), 'applied');
  const { open, ...whole } = row;
  equal(held.get(ID), { ...whole, section: 'socket', rev: 4, text: 'tea!', reactions: likes, thread });
  equal(apply(5, { cfg: [{ id: ID, rev: 5, reactions: likes }] }), 'applied');
  equal(held.get(ID), { ...whole, section: 'socket', rev: 5, text: 'tea!', reactions: likes });
});

function setUp() {
  const clock = handClock();
  const sockets = handSockets();
  const environment = { WebSocket: sockets.WebSocket, now: clock.now, after: clock.after, cancel: clock.cancel, random: () => 0.5 };
  const chat = new Diffroom({ url: 'ws://test/', user: 'ann', environment });
  const greet = () => {
    sockets.last.onopen();
    sockets.last.answer('hello', { type: 'welcome', user: 'ann', server: 'test', heartbeat: 25_000, limits: { pending: 256, text: 8192 } });
  };
  const cut = () => {
    sockets.last.end();
    clock.advance(1000);
    greet();
  };
  const asked = (...types) => sockets.last.frames.filter(({ type }) => types.includes(type)).map(({ ref, command, ...frame }) => frame);
  return { chat, sockets, greet, cut, asked };
}

const room = threadName('lobby', ID);

test('a reply is pending in its thread', () => {
  const { chat, sockets, greet } = setUp();
  const [thread, lobby] = [room, 'lobby'].map((name) => chat.subscribe(`room/${name}/messages`));
  greet();
  chat.send(room, 'yes');

  equal(sockets.last.frames.at(-1).room, room);
  equal([thread, lobby].map((list) => list.snapshot().pending.map(({ text }) => text)), [['yes'], []]);
});

const ROOT = { id: ID, author: 'bob', time: 1, text: 'tea?' };
const FOLLOWED = { id: room, sort: 1, rev: 1, tag: 'one', unread: 1, mentions: 0, read: 1, title: 'Lobby', root: ROOT };

/** A list of the followed threads with one row. */
function followed() {
  const held = replica('me/threads');
  const proof = (rev) => ({ count: 1, digest: slowDigest([{ ...FOLLOWED, rev }]) });
  const sections = ['invited', 'pinned', 'rooms', 'archived'].map((id) => ({ id, rows: id === 'rooms' ? [FOLLOWED] : [] }));
  const first = { type: 'snapshot', epoch: 'e', revision: 1, joined: 1, more: false, sections, ...proof(1) };
  const diff = (to, operations) => ({ type: 'diff', epoch: 'e', from: to - 1, to, ...operations, ...proof(to) });
  return { held, first, diff };
}

test('`root` is a light field of a followed thread: `cfg` replaces it, and one without it takes it away', () => {
  const { held, first, diff } = followed();
  held.apply(first);
  const { title, root, ...counted } = FOLLOWED;
  const damaged = { id: ID, damaged: true };
  const cfg = ({ sort, ...light }) => [light];

  equal(held.apply(diff(2, { cfg: cfg({ ...FOLLOWED, rev: 2, root: damaged }) })).verdict, 'applied');
  equal(held.get(room), { ...FOLLOWED, section: 'rooms', rev: 2, root: damaged });
  equal(held.apply(diff(3, { cfg: cfg({ ...counted, rev: 3 }) })).verdict, 'applied');
  equal(held.get(room), { ...counted, section: 'rooms', rev: 3 });
});

test('the followed threads are resumed by their rows', () => {
  const { first, diff } = followed();
  const { chat, sockets, greet, cut, asked } = setUp();
  const threads = chat.subscribe('me/threads');
  greet();
  equal(asked('subscribe'), [{ type: 'subscribe', list: 'me/threads', limit: 50 }]);
  sockets.last.answer('subscribe', { ...first, list: 'me/threads' });
  cut();

  equal(asked('subscribe')[0].resume, { epoch: 'e', revision: 1, joined: 1, rows: [[room, 'one']] });
  const { sort, ...light } = FOLLOWED;
  sockets.last.answer('subscribe', { ...diff(2, { cfg: [{ ...light, rev: 2, unread: 0, muted: true }] }), list: 'me/threads' });
  equal(threads.get(room), { ...FOLLOWED, section: 'rooms', rev: 2, unread: 0, muted: true });
});

test('a thread is followed, muted and left without a connection, each once and in this order', () => {
  const { chat, sockets, greet, cut, asked } = setUp();
  chat.join(room);
  chat.set(room, { muted: true });
  chat.leave(room);
  equal(asked('join', 'settings', 'leave'), []);
  greet();
  equal(asked('join', 'settings', 'leave'), [{ type: 'join', room }]);
  cut();
  equal(asked('join', 'settings', 'leave'), [{ type: 'join', room }]);
  for (const type of ['join', 'settings']) sockets.last.answer(type, { type: 'ok', list: `room/${room}/messages`, revision: 3 });

  equal(asked('join', 'settings', 'leave'), [{ type: 'join', room }, { type: 'settings', room, muted: true }, { type: 'leave', room }]);
});

test('the read mark of a thread is repeated after a cut, once its replies are there', () => {
  const { chat, sockets, greet, cut, asked } = setUp();
  const sections = ['history', 'socket'].map((id) => ({ id, rows: [] }));
  const replies = { type: 'snapshot', list: `room/${room}/messages`, epoch: 'e', revision: 4, joined: 4, more: false, sections, count: 0, digest: 0 };
  chat.subscribe(`room/${room}/messages`);
  greet();
  sockets.last.answer('subscribe', replies);
  chat.read(room, 4);
  cut();
  equal(asked('read'), []);
  sockets.last.answer('subscribe', replies);

  equal(asked('read'), [{ type: 'read', room, revision: 4 }]);
});
