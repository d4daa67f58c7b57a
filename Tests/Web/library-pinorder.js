/** The order of pinned messages, with what waits for an answer. */

import { placeFor, withWaiting } from '../pinorder.js';
import { equal, random, test } from './checks.js';

const rowsOf = (ids) => [...ids].map((id) => ({ id }));
const find = (id) => (id === 'x' ? undefined : { id });
const shown = (ids, ...waiting) => withWaiting(rowsOf(ids), waiting, find).map(({ id }) => id).join('');

test('pinorder: pinning, moving and unpinning show before their answers', () => {
  equal(shown('abc', { action: 'pin', message: 'd' }), 'abcd');
  equal(shown('abc', { action: 'pin', message: 'b' }), 'abc');
  equal(shown('abc', { action: 'pin', message: 'd', before: 'b' }), 'adbc');
  equal(shown('abc', { action: 'pin', message: 'a', after: 'c' }), 'bca');
  equal(shown('abc', { action: 'unpin', message: 'b' }), 'ac');
  equal(shown('abc', { action: 'unpin', message: 'b' }, { action: 'pin', message: 'b' }), 'acb');
});

test('pinorder: what the server would refuse, or is not known, changes nothing', () => {
  equal(shown('abc', { action: 'pin', message: 'a', after: 'd' }), 'abc');
  equal(shown('abc', { action: 'pin', message: 'x' }), 'abc');
  equal(shown('abc', { action: 'unpin', message: 'd' }), 'abc');
});

test('pinorder: a place brings a row to its index, and again changes nothing', () => {
  const { below, pick } = random(7);
  for (let turn = 0; turn < 500; turn++) {
    const ids = 'abcdefgh'.slice(0, 1 + below(8));
    const message = pick(ids);
    const index = below(ids.length + 4) - 2;
    const place = placeFor(rowsOf(ids), message, index);
    const to = Math.min(Math.max(index, 0), ids.length - 1);
    if (!place) equal(ids[to], message);
    else equal(shown(ids, { action: 'pin', message, ...place }, { action: 'pin', message, ...place })[to], message);
  }
});
