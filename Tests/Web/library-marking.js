/** The marks that keys put around what is selected. */

import { withoutMarks } from '../markdown.js';
import { remarked } from '../marking.js';
import { equal, random, test } from './checks.js';

/** Presses a key; `[` and `]` are the ends of what is selected. */
function pressed(text, mark) {
  const [start, end] = [text.indexOf('['), text.indexOf(']') - 1];
  const plain = text.replace(/[[\]]/g, '');
  const { start: from, end: to, text: put, select } = remarked(plain, start, end, mark);
  const made = plain.slice(0, from) + put + plain.slice(to);
  return `${made.slice(0, select[0])}[${made.slice(...select)}]${made.slice(select[1])}`;
}

for (const [before, mark, after] of [
  ['a [word] b', '**', 'a **[word]** b'],
  ['a **[word]** b', '**', 'a [word] b'],
  ['a [**word**] b', '**', 'a [word] b'],
  ['a **[word]** b', '*', 'a ***[word]*** b'],
  ['a ***[word]*** b', '**', 'a *[word]* b'],
  ['a ***[word]*** b', '*', 'a **[word]** b'],
  ['a[ word ]b', '*', 'a *[word]* b'],
  ['a []b', '**', 'a **[]**b'],
  ['a **[]**b', '**', 'a []b'],
  ['[x]', '~~', '~~[x]~~'],
  ['[`x`]', '`', '[x]'],
  ['see [a\nb] c', '`', 'see \n```\n[a\nb]\n```\n c'],
  ['[a\nb]', '`', '```\n[a\nb]\n```'],
  ['[]', '`', '`[]`'],
])
  test(`${mark} on ${JSON.stringify(before)}`, () => equal(pressed(before, mark), after));

test('a key pressed twice leaves the text as it was', () => {
  const chance = random(9);
  for (let round = 0; round < 500; round++) {
    const [start, size, mark] = [chance.below(6), 1 + chance.below(4), chance.pick(['*', '**', '~~', '`'])];
    const text = 'abcdefghijk';
    const once = remarked(text, start, start + size, mark);
    const marked = text.slice(0, once.start) + once.text + text.slice(once.end);
    const twice = remarked(marked, ...once.select, mark);
    equal(marked.slice(0, twice.start) + twice.text + marked.slice(twice.end), text);
    equal(withoutMarks(marked), text);
  }
});
