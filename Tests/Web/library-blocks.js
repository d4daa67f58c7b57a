/** Who is blocked for the page, with the commands that wait, and what is not shown of them. */

import { FOLDED, isBlocked, isFolded, isOutOfReach, onFoldsChange, setBlocked, shownTextOf, unfold, withBlocks } from '../blocks.js';
import { equal, random, test } from './checks.js';

const names = (rows, commands) => withBlocks(rows, commands).filter(({ isGoing }) => !isGoing).map(({ id }) => id);
const marks = (rows, commands) => withBlocks(rows, commands).map(({ id, isChanging, isGoing }) => [id, Boolean(isChanging), Boolean(isGoing)]);
const BOB = { id: 'bob', time: 1 };

test('a waiting block adds a user, and a waiting unblock leaves the row until the server has it', () => {
  equal(marks([BOB], [{ user: 'cid', on: true }, { user: 'bob', on: false }]), [['bob', false, true], ['cid', true, false]]);
});

test('what changes nothing has no mark', () => {
  equal(marks([BOB], [{ user: 'bob', on: true }, { user: 'cid', on: false }]), [['bob', false, false]]);
});

test('a block that is taken back before the server has it leaves nothing', () => {
  equal(marks([], [{ user: 'bob', on: true }, { user: 'bob', on: false }]), []);
  equal(marks([BOB], [{ user: 'bob', on: false }, { user: 'bob', on: true }]), [['bob', true, false]]);
});

for (let seed = 1; seed <= 20; seed++)
  test(`of waiting blocks and unblocks the last of each user holds (seed ${seed})`, () => {
    const { below, pick } = random(seed);
    const users = ['bob', 'cid', 'eve'];
    const rows = users.filter(() => below(2)).map((id) => ({ id, time: 1 }));
    const commands = Array.from({ length: below(8) }, () => ({ user: pick(users), on: below(2) === 1 }));
    const last = new Map(commands.map(({ user, on }) => [user, on]));
    equal(names(rows, commands).sort(), users.filter((user) => last.get(user) ?? rows.some(({ id }) => id === user)));
  });

test('a message of a blocked user is folded until it is asked for, and the others stay folded', () => {
  let changes = 0;
  onFoldsChange(() => changes++);
  const [one, two] = [{ id: '1', author: 'bob', text: 'one' }, { id: '2', author: 'bob', text: 'two' }];
  setBlocked(['bob']);
  setBlocked(['bob']);
  equal([shownTextOf(one), isFolded(two), isBlocked('bob'), isBlocked('cid'), changes], [FOLDED, true, true, false, 1]);
  unfold('1');
  equal([shownTextOf(one), shownTextOf(two), changes], ['one', FOLDED, 2]);
  setBlocked([]);
  equal([shownTextOf(two), changes], ['two', 3]);
});

test('the direct room with a blocked user is out of reach, as is their invitation', () => {
  const direct = `@${'0'.repeat(32)}`;
  setBlocked(['bob']);
  const rows = [
    { id: direct, section: 'rooms', people: ['bob'] }, { id: direct, section: 'rooms', people: ['bob', 'cid'] }, { id: direct, section: 'rooms', people: ['cid'] },
    { id: 'lobby', section: 'rooms' }, { id: 'tea', section: 'invited', by: 'bob' }, { id: 'tea', section: 'invited', by: 'cid' }, { id: 'tea', section: 'invited' },
  ];
  equal(rows.map(isOutOfReach), [true, false, false, false, true, false, false]);
  setBlocked([]);
});
