/** The times that the page offers, and the rows of `me/later` with commands that wait. */

import { becomeDue, contentOf, withCommands } from '../laterrows.js';
import { daysUntil, faultOf, fieldOf, timesFor } from '../latertimes.js';
import { equal, test } from './checks.js';

const at = (...date) => new Date(...date).getTime();
const offered = (purpose, now) => timesFor(purpose, now).map(({ label, at }) => [label, at]);
const HOUR = 3_600_000;

test('a message can be sent in an hour, this evening, tomorrow and on Monday', () => {
  const now = at(2026, 10, 4, 16, 30); // a Wednesday
  equal(offered('send', now), [['In 1 hour', now + HOUR], ['This evening', at(2026, 10, 4, 18)], ['Tomorrow', at(2026, 10, 5, 9)], ['Monday', at(2026, 10, 9, 9)]]);
});

test('in the evening the evening is not offered, and on Sunday only one of tomorrow and Monday', () => {
  const now = at(2026, 10, 8, 17, 0); // a Sunday
  equal(offered('send', now), [['In 1 hour', now + HOUR], ['Tomorrow', at(2026, 10, 9, 9)]]);
});

test('Monday is the next one, also on a Monday', () => {
  equal(offered('send', at(2026, 10, 9, 20)).at(-1), ['Monday', at(2026, 10, 16, 9)]);
});

test('a reminder has shorter times, and all are in their order', () => {
  const now = at(2026, 11, 30, 7, 0); // over the end of a year
  equal(offered('remind', now), [['In 20 minutes', now + HOUR / 3], ['In 1 hour', now + HOUR], ['In 3 hours', now + 3 * HOUR], ['Tomorrow', at(2026, 11, 31, 9)], ['Monday', at(2027, 0, 4, 9)]]);
});

test('a time is in the future, and within a year', () => {
  const now = at(2026, 10, 4, 16, 30);
  equal([NaN, now, now + 1, now + 367 * 24 * HOUR].map((time) => Boolean(faultOf(time, now))), [true, true, false, true]);
});

test('a field has the time of day of this browser', () => {
  equal(fieldOf(at(2026, 0, 2, 3, 4)), '2026-01-02T03:04');
  equal(new Date(fieldOf(at(2026, 5, 2, 23, 59))).getTime(), at(2026, 5, 2, 23, 59));
});

test('days are counted as calendars do', () => {
  const now = at(2026, 2, 28, 23, 59);
  equal([at(2026, 2, 28, 0), at(2026, 2, 29, 0), at(2026, 2, 30, 23), at(2026, 2, 27, 23)].map((time) => daysUntil(time, now)), [0, 1, 2, -1]);
});

const hello = { id: 'a', section: 'waiting', sort: 9, room: 'lobby', at: 9, text: 'hello', mentions: ['bob'] };
const reminder = { id: 'b', section: 'due', sort: 3, room: 'tea', at: 3, message: 'm' };
const brief = (rows) => rows.map(({ id, section, at, text, isChanging, isGoing }) => [id, section, at, text, Boolean(isChanging), Boolean(isGoing)]);

test('commands that wait show what they do, one after the other', () => {
  const commands = [
    { id: 'c', content: { room: 'tea', at: 7, text: 'new' } },
    { id: 'a', content: { ...contentOf(hello), at: 8 } },
    { id: 'a', content: null },
    { id: 'b', content: { ...contentOf(reminder), at: 20 } },
    { id: 'gone', content: null },
  ];
  equal(brief(withCommands([reminder, hello], commands, 5)), [['c', 'waiting', 7, 'new', true, false], ['a', 'waiting', 8, 'hello', true, true], ['b', 'waiting', 20, undefined, true, false]]);
});

test('a reminder of the past is due, and a message of the past is about to be sent', () => {
  const commands = [{ id: 'b', content: contentOf(reminder) }, { id: 'a', content: { ...contentOf(hello), at: 1 } }];
  equal(brief(withCommands([], commands, 5)), [['b', 'due', 3, undefined, true, false], ['a', 'waiting', 1, 'hello', true, false]]);
});

test('a row becomes due once', () => {
  const due = { ...hello, section: 'due' };
  equal(becomeDue([hello], [due]), [due]);
  equal([becomeDue([due], [due]), becomeDue([], [due]), becomeDue([hello], [hello])], [[], [], []]);
});
