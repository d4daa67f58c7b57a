/** Threads: their names, the field of the message that they answer, and what is sent to them. */

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

test('a reply is pending in its thread', () => {
  const clock = handClock();
  const sockets = handSockets();
  const environment = { WebSocket: sockets.WebSocket, now: clock.now, after: clock.after, cancel: clock.cancel };
  const chat = new Diffroom({ url: 'ws://test/', user: 'ann', environment });
  const room = threadName('lobby', ID);
  const [thread, lobby] = [room, 'lobby'].map((name) => chat.subscribe(`room/${name}/messages`));
  sockets.last.onopen();
  sockets.last.answer('hello', { type: 'welcome', user: 'ann', server: 'test', heartbeat: 25_000, limits: { pending: 256, text: 8192 } });
  chat.send(room, 'yes');

  equal(sockets.last.frames.at(-1).room, room);
  equal([thread, lobby].map((list) => list.snapshot().pending.map(({ text }) => text)), [['yes'], []]);
});
