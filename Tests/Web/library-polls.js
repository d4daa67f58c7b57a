/** Which messages are polls, and what is typed for one. */

import { isVote, messageOf, pollIn, pollOf, typedPoll } from '../polls.js';
import { equal, test } from './checks.js';

const lunch = { question: 'Lunch?', options: ['Pizza', 'Sushi'] };

test('polls: what is typed, sent and read is one poll', () => {
  equal(pollIn(' Lunch? |Pizza| Sushi '), lunch);
  equal(messageOf(lunch), { text: 'Lunch?\n1️⃣ Pizza\n2️⃣ Sushi', data: { kind: 'poll', ...lunch } });
  equal(pollOf(messageOf(lunch)), lunch);
  equal(typedPoll(lunch), '/poll Lunch? | Pizza | Sushi');
  equal(['1️⃣', '2️⃣', '3️⃣', '👍'].map((emoji) => isVote(lunch, emoji)), [true, true, false, false]);
});

test('polls: data that is no poll shows the text', () => {
  const wrong = [undefined, {}, { kind: 'card', ...lunch }, { kind: 'poll' }, { ...lunch }, { kind: 'poll', question: '', options: ['a', 'b'] }, { kind: 'poll', question: 'q', options: 'ab' }];
  const options = [[], ['a'], ['a', 2], ['a', ' '], Array.from('abcdefghij'), { 0: 'a', 1: 'b', length: 2 }];
  for (const data of [...wrong, ...options.map((options) => ({ kind: 'poll', question: 'q', options }))]) equal(pollOf({ data }), undefined);
  for (const typed of ['', 'Lunch?', 'Lunch? | Pizza', ' | a | b', 'q | a | | b', Array.from('qabcdefghij').join('|')]) equal(pollIn(typed), undefined);
});
