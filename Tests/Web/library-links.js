/** The web addresses that the page makes links of. */

import { linksIn } from '../addresses.js';
import { equal, random, test, vectors } from './checks.js';

for (const { text, links } of await vectors('links'))
  test(`vectors, links: ${JSON.stringify(text)}`, () => equal(linksIn(text).map(({ href }) => href), links));

test('each link stands in the text where it says, and none overlaps another', () => {
  const chance = random(7);
  const parts = ['https://a.example/', 'http://b', '(', ')', '[', ']', '.', '。', '’', "'", ' ', 'x', '中', '\u200b', '🦊', '\ud800'];
  for (let round = 0; round < 2_000; round++) {
    const text = Array.from({ length: chance.below(12) }, () => chance.pick(parts)).join('');
    let end = 0;
    for (const { href, index } of linksIn(text)) {
      equal(text.slice(index, index + href.length), href);
      equal(index >= end, true, text);
      end = index + href.length;
    }
  }
});
