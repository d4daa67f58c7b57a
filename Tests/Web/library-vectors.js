/** docs/protocol/vectors: what anybody's client must make of a list's frames. */

import { begunMention, canBeSeen, entered, everyoneIn, isReduced, mentionsIn, replica, splitAtMentions, sumsOf, threadRoot } from '../diffroom.js';
import { kindOf } from '../kinds.js';
import { equal, test, vectors } from './checks.js';

const files = ['operations', 'windows', 'ranges', 'refusals', 'members', 'rooms', 'threads', 'people', 'drafts', 'later', 'blocked', 'pins'];
/** That there is nothing may be said in two ways. */
const plain = ({ reactions, typing, read, ...row }) => ({
  ...row, ...(reactions?.length && { reactions }), ...(typing && { typing }), ...((read || row.unread >= 0) && { read }),
});

for (const name of files)
  for (const { title, steps } of await vectors(name))
    test(`vectors, ${name}: ${title}`, () => {
      const held = replica(steps[0].frame.list);
      for (const { frame, outcome, after } of steps) {
        const { verdict, why } = held.apply(frame);
        equal(verdict === 'applied' || verdict === 'ignored' ? verdict : why, outcome);
        equal(held.state.sections.flatMap(({ rows }) => rows.map(plain)), after.rows);
        const { revision, more, counts, missing, ranges } = held.state;
        const spans = after.ranges && ranges.map((range) => range.filter(Number.isFinite));
        const { missing: databases } = after;
        equal({ revision, more, counts, missing, spans }, { revision: after.revision, more: after.more, counts: after.counts, missing: databases, spans: after.ranges });
      }
    });

for (const [name, list] of [['digests', 'room/r/messages'], ['member-digests', 'room/r/members'], ['room-digests', 'me/rooms'], ['mention-digests', 'me/mentions'], ['people-digests', 'me/people'], ['pin-digests', 'room/r/pins'], ['later-digests', 'me/later'], ['blocked-digests', 'me/blocked']])
  for (const [index, { rows, digest }] of (await vectors(name)).entries())
    test(`vectors, ${name}: the ${index + 1}. of ${rows.length} rows`, () => {
      const sections = [{ id: 'first', rows }, { id: 'second', rows: [] }];
      const frame = { type: 'snapshot', epoch: 'e', revision: 1, joined: 1, more: false, count: rows.length, digest, sections };
      equal(replica(list).apply(frame).verdict, 'applied');
    });

for (const { rows, sums } of await vectors('row-sums'))
  test(`vectors, row-sums: ${rows.length} rows`, () => equal(sumsOf(rows.map(([id, tag]) => ({ id, tag }))), sums));

for (const { entered: text, stored, told = false, refused = false } of await vectors('entered-text'))
  test(`vectors, entered-text: ${JSON.stringify(text)}`, () => {
    equal(canBeSeen(entered(text)), !refused);
    if (refused) return;
    equal(entered(text), stored);
    equal(entered(stored), stored);
    equal(isReduced(text), told);
  });

for (const { text, people, mentions, everyone = false } of await vectors('mentions'))
  test(`vectors, mentions: ${text.slice(0, 60)} with ${people}`, () => {
    equal(mentionsIn(text, people), mentions);
    equal(everyoneIn(text, people), everyone);
    equal(mentionsIn(text, new Set([...people].reverse())), mentions);
    equal(splitAtMentions(text, people).map((part, index) => (index % 2 ? `@${part}` : part)).join('').replaceAll('＠', '@'), text.normalize().replaceAll('＠', '@'));
  });

for (const { name, room, root } of await vectors('names'))
  test(`vectors, names: ${JSON.stringify(name)}`, () => {
    equal(kindOf(name) !== undefined, room !== undefined);
    if (room) equal(threadRoot(name), root && { room, id: root });
  });

for (const { text, begun } of await vectors('offers')) test(`vectors, offers: ${text.slice(0, 60)}`, () => equal(begunMention(text)?.typed, begun));
