/** The web addresses that the page makes links of. */

import { linksIn } from '../addresses.js';
import { equal, random, test } from './checks.js';

const CASES = {
  'see https://en.example.org/wiki/Foo_(bar) there': ['https://en.example.org/wiki/Foo_(bar)'],
  '(https://a.example/x)': ['https://a.example/x'],
  '[text](https://a.example/x).': ['https://a.example/x'],
  '(see https://a.example/Foo_(bar)), and': ['https://a.example/Foo_(bar)'],
  'https://a.example/x?y=[1]': ['https://a.example/x?y=[1]'],
  'https://a.example/{id}/x': ['https://a.example/{id}/x'],
  'http://[::1]:8080/x': ['http://[::1]:8080/x'],
  '见 https://a.example/docs。谢谢': ['https://a.example/docs'],
  '见https://a.example/docs，谢谢': ['https://a.example/docs'],
  'https://a.example/docs（说明）': ['https://a.example/docs'],
  '「https://a.example/docs」': ['https://a.example/docs'],
  '«https://a.example/docs»': ['https://a.example/docs'],
  'https://a.example/docs؟ نعم': ['https://a.example/docs'],
  'https://a.example/wiki/中文 there': ['https://a.example/wiki/中文'],
  'https://a.example/été?': ['https://a.example/été'],
  'https://пример.example/путь!': ['https://пример.example/путь'],
  'https://a.example/x\u200b next': ['https://a.example/x'],
  'https://a.example/x\u3164next': ['https://a.example/x'],
  'https://a.example/x\u2800next': ['https://a.example/x'],
  'https://a.example/x\u202enext': ['https://a.example/x'],
  'https://a.example/x\u3000next': ['https://a.example/x'],
  "https://a.example/it's/here": ["https://a.example/it's/here"],
  'https://a.example/it’s/here’': ['https://a.example/it’s/here'],
  "'https://a.example/x'": ['https://a.example/x'],
  '"https://a.example/x"': ['https://a.example/x'],
  '`https://a.example/x`': ['https://a.example/x'],
  '<https://a.example/x>': ['https://a.example/x'],
  '**https://a.example/x**': ['https://a.example/x'],
  'https://a.example/x..., https://b.example?!': ['https://a.example/x', 'https://b.example'],
  'https://a.example/x#a:b;c,d.e': ['https://a.example/x#a:b;c,d.e'],
  'HTTPS://A.EXAMPLE/X': ['HTTPS://A.EXAMPLE/X'],
  'https:// nothing, https://, http://.': [],
  'xhttps://a.example': [],
  'ftp://a.example javascript:alert(1)': [],
};

for (const [text, links] of Object.entries(CASES)) {
  test(`the links in ${JSON.stringify(text)}`, () => equal(linksIn(text).map(({ href }) => href), links));
}

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
