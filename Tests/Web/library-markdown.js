/** The Markdown of messages. */

import { markdown, spoken, withoutMarks } from '../markdown.js';
import { equal, ok, random, test, vectors } from './checks.js';

for (const { text, tree, words } of await vectors('markdown'))
  test(`vectors, markdown: ${JSON.stringify(text)}`, () => {
    equal(markdown(text), tree);
    equal(withoutMarks(text), words);
  });

const HOSTILE = ['*', '**a ', '*a _b ', '[', '[ ', '`', '`` ` ', '> ', '>', '- ', '1. a\n', '- a\n  - b\n', '[a](https://x(', '[a](<https://x', '~~', '~~a', 'a*_', 'https://a]', 'https://a.example/.', 'https://a.....', '_a', '*a_', '\\', '```\n', '  \n', '[*a](https://x.y)', 'a**b c* ', '*`a`'];

for (const unit of HOSTILE)
  test(`64 kB of ${JSON.stringify(unit)} are read in linear time`, () => {
    const [text, start] = [unit.repeat(65_536 / unit.length), performance.now()];
    markdown(text);
    ok(performance.now() - start < 1_000, `${performance.now() - start} ms`); // a step over the text for each mark takes many seconds
  });

test('no text is lost: the words of a tree are the letters of its text', () => {
  const chance = random(11);
  const parts = ['a', 'b', '*', '**', '_', '~~', '`', '```', '\n', '\n\n', ' ', '> ', '- ', '1. ', '[', ']', '\\', '中', '🦊'];
  for (let round = 0; round < 5_000; round++) {
    const text = Array.from({ length: chance.below(20) }, () => chance.pick(parts)).join('');
    const letters = (of) => of.replace(/[^ab中🦊]/gu, '');
    if (!/(```|~~~)/.test(text)) equal(letters(withoutMarks(text)), letters(text), text);
    markdown(text);
  }
});

test('what stands in code mentions nobody', () => {
  equal(spoken('*@bob* and `@cid`').includes('@bob'), true);
  equal(spoken('*@bob* and `@cid`').includes('@cid'), false);
  equal(spoken('```\n@room\n```\n@ann').trim(), '@ann');
  equal(spoken('*plain* @ann'), '*plain* @ann');
});
