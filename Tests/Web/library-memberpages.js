/** The page's pages of members, and the lookup of those whom a user types. */

import { MemberLookup, MemberPages } from '../memberpages.js';
import { equal, test } from './checks.js';

const rowsOf = (names) => [...names].map((id) => ({ id, section: 'offline' }));

/** Pages of a room, whose list has rows for `held` of `count` people; a test answers the requests in their order. */
function setUp(held = 'a', count = 9) {
  const asked = [];
  const chat = { findMembers: (room, place) => new Promise((resolve, reject) => asked.push({ room, place, answer: (names, after) => resolve({ rows: rowsOf(names), after }), refuse: () => reject(Error('lost')) })) };
  const list = { get: (id) => (held.includes(id) ? { id } : undefined), snapshot: () => ({ counts: { offline: count }, sections: [{ id: 'offline', rows: rowsOf(held) }] }) };
  const pages = new MemberPages({ chat: () => chat, room: () => 'club', list: () => list });
  return { asked, pages };
}

/** Resolves when a request is there. */
async function requested(asked, number) {
  while (asked.length < number) await new Promise((resolve) => setTimeout(resolve));
  return asked[number - 1];
}

const names = (rows) => rows.map(({ id }) => id).join('');

test('memberpages: pages are loaded until one brings somebody without a row', async () => {
  const { asked, pages } = setUp('ab');
  const loading = pages.next();
  asked[0].answer('ab', 'b');
  (await requested(asked, 2)).answer('', 'f');
  (await requested(asked, 3)).answer('gh', 'h');
  equal([await loading, names(pages.loaded), pages.hasNext], [true, 'gh', true]);
  equal(asked.map(({ place }) => place.after), [undefined, 'b', 'f']);

  const last = pages.next();
  (await requested(asked, 4)).answer('');
  equal([await last, names(pages.loaded), pages.hasNext], [false, 'gh', false]);
});

test('memberpages: an answer about another room changes nothing', async () => {
  const { asked, pages } = setUp();
  const [loading, finding] = [pages.next(), pages.find('b', 5)];
  pages.enter();
  for (const { answer } of asked) answer('bc');
  equal([await loading, await finding, pages.known], [undefined, { rows: [], more: false }, []]);
});

test('memberpages: those who have gone are gone when the pages are loaded again', async () => {
  const { asked, pages } = setUp();
  const loading = pages.next();
  asked[0].answer('bcd', 'd');
  await loading;
  const renewing = pages.renew();
  (await requested(asked, 2)).answer('b', 'c');
  (await requested(asked, 3)).answer('de', 'e');
  await renewing;
  equal([names(pages.loaded), pages.hasNext], ['bde', true]);
});

test('memberpages: a search goes on behind answers with few people, up to its limit', async () => {
  const { asked, pages } = setUp();
  const finding = pages.find('x', 3);
  asked[0].answer('b', 'b');
  (await requested(asked, 2)).answer('', 'k');
  (await requested(asked, 3)).answer('lm', 'm');
  const { rows, more } = await finding;
  equal([names(rows), more, names(pages.known), pages.get('l').id], ['blm', true, 'blm', 'l']);
  equal(asked.map(({ place }) => [place.after, place.limit]), [[undefined, 3], ['b', 2], ['k', 2]]);
});

test('memberpages: only the newest text that is typed is answered', async () => {
  const { asked, pages } = setUp();
  const lookup = new MemberLookup(pages);
  const told = [];
  const seek = (text) => new Promise((resolve) => lookup.seek(text, 5, { onFound: ({ rows }) => resolve(told.push(`${text}: ${names(rows)}`)), onMiss: () => resolve(told.push(`${text} missed`)) }));
  seek('a');
  seek('ab');
  const first = await requested(asked, 1);
  const newest = seek('abc');
  first.answer('b', 'b'); // nobody waits for the rest of it
  (await requested(asked, 2)).answer('c');
  await newest;
  equal([told, asked.map(({ place }) => place.find)], [['abc: c'], ['ab', 'abc']]);

  const lost = seek('d');
  (await requested(asked, 3)).refuse();
  await lost;
  equal(told.at(-1), 'd missed');
});

test('memberpages: the server is not asked where everybody has a row', () => {
  const { asked, pages } = setUp('abc', 3);
  equal([new MemberLookup(pages).seek('a', 5, {}), asked.length], [false, 0]);
});
