/** Lists that begin with what an earlier page has kept. */

import { Diffroom } from '../diffroom.js';
import { equal, handClock, handSockets, test } from './checks.js';
import { slowDigest } from './model.js';

const WELCOME = { type: 'welcome', user: 'ann', server: 'test', heartbeat: 25_000, limits: { pending: 256, text: 8192, memberships: 5000 } };
const ROOM = (number, rev = number) => ({ id: `r${number}`, tag: `t${number}-${rev}`, sort: number, rev, unread: 0, mentions: 0, read: 0 });
const MESSAGE = (number) => ({ id: `00000000-0000-4000-8000-00000000000${number}`, sort: number, rev: number, author: 'bob', time: number, text: 'hi' });

function setUp(list, kept) {
  const clock = handClock();
  const sockets = handSockets();
  const environment = { WebSocket: sockets.WebSocket, now: clock.now, after: clock.after, cancel: clock.cancel, random: () => 0.5 };
  const chat = new Diffroom({ url: 'ws://test/', user: 'ann', environment });
  const seen = [];
  const handle = chat.subscribe(list, { kept, onChange: ({ snapshot, changes }) => seen.push([changes.why, snapshot.sections.flatMap(({ rows }) => rows).map(({ id }) => id)]), onError: ({ error }) => seen.push(['error', error]) });
  const begin = () => {
    sockets.last.onopen();
    sockets.last.answer('hello', WELCOME);
    return sockets.last.frames.find(({ type }) => type === 'subscribe').resume;
  };
  return { begin, handle, seen, sockets, chat };
}

const rooms = (rows, more) => ({ epoch: 'e', revision: 3, joined: 0, more: false, count: rows.length, sections: [{ id: 'rooms', rows: rows.map((row) => ({ ...row, section: 'rooms' })) }], ...more });

test('a kept list is there before the connection, and is resumed', async () => {
  const [kept, now] = [[ROOM(1), ROOM(2)], [ROOM(1), ROOM(2), ROOM(3)]];
  const { begin, seen, sockets } = setUp('me/rooms', rooms(kept));
  await Promise.resolve();
  equal(seen, [['held', ['r1', 'r2']]]);
  const resume = begin();
  equal([resume.epoch, resume.revision, resume.rows], ['e', 3, [['r1', 't1-1'], ['r2', 't2-2']]]);
  sockets.last.answer('subscribe', { type: 'diff', list: 'me/rooms', epoch: 'f', from: 3, to: 1, kept: 1, ins: [{ ...ROOM(3, 1), section: 'rooms' }], count: 3, digest: slowDigest(now.map((row) => ({ ...row, rev: 1 }))) });
  equal(seen.slice(1), [['diff', ['r1', 'r2', 'r3']]]);
});

test('a kept list that is as of now is told to be', async () => {
  const { begin, seen, sockets } = setUp('me/rooms', rooms([ROOM(1), ROOM(2)]));
  await Promise.resolve();
  begin();
  sockets.last.answer('subscribe', { type: 'diff', list: 'me/rooms', epoch: 'e', from: 3, to: 3, count: 2, digest: slowDigest([ROOM(1), ROOM(2)]) });
  equal(seen.map(([why]) => why), ['held', 'diff']);
});

test('a kept list that is wrong is fetched anew', async () => {
  const { begin, chat, seen, sockets } = setUp('me/rooms', rooms([ROOM(1), ROOM(2)]));
  begin();
  sockets.last.answer('subscribe', { type: 'diff', list: 'me/rooms', epoch: 'f', from: 3, to: 1, kept: 1, count: 2, digest: 7 });
  equal([seen.at(-1), chat.resyncs], [['error', 'diverged'], 1]);
});

test('kept messages without a beginning of their own are shown until the server has sent its own', async () => {
  const rows = [MESSAGE(1), MESSAGE(2)];
  const kept = { epoch: 'e', revision: 2, more: true, count: 9, sections: [{ id: 'history', rows }, { id: 'socket', rows: [] }] };
  const { begin, handle, seen, sockets } = setUp('room/r/messages', kept);
  await Promise.resolve();
  equal([seen, handle.snapshot().more], [[['held', rows.map(({ id }) => id)]], true]);
  equal(begin(), undefined);
  const now = [...rows, MESSAGE(3)];
  sockets.last.answer('subscribe', { type: 'snapshot', list: 'room/r/messages', epoch: 'e', revision: 3, joined: 3, why: 'fresh', more: false, count: 3, digest: slowDigest(now), sections: [{ id: 'history', rows: now }, { id: 'socket', rows: [] }] });
  equal(seen.at(-1), ['snapshot', now.map(({ id }) => id)]);
});

for (const [what, kept] of Object.entries({ 'no sections': { epoch: 'e' }, 'rows in no order': rooms([ROOM(2), { ...ROOM(3), sort: 2 }]), text: 'rooms', 'a row without an id': rooms([{ sort: 1 }]) })) {
  test(`a list that was kept badly begins as if nothing was: ${what}`, async () => {
    const { begin, seen } = setUp('me/rooms', kept);
    await Promise.resolve();
    equal([seen, begin()], [[], undefined]);
  });
}
