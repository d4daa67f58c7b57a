/** docs/protocol/vectors: what anybody's client must make of a list's frames. */

import { replica } from '../diffroom.js';
import { equal, test } from './checks.js';

const files = ['operations', 'windows', 'refusals'];
/** No reactions may be said in two ways. */
const plain = ({ reactions, ...row }) => (reactions?.length ? { ...row, reactions } : row);
const read = async (name) => (await fetch(`../vectors/${name}.json`)).json();

for (const name of files)
  for (const { title, steps } of await read(name))
    test(`vectors, ${name}: ${title}`, () => {
      const held = replica(steps[0].frame.list);
      for (const { frame, outcome, after } of steps) {
        if (frame.type === 'page') held.expectPage();
        const { verdict, why } = held.apply(frame);
        equal(verdict === 'applied' || verdict === 'ignored' ? verdict : why, outcome);
        equal(held.state.sections.flatMap(({ rows }) => rows.map(plain)), after.rows);
        equal([held.state.revision, held.state.more], [after.revision, after.more]);
      }
    });

for (const [index, { rows, digest }] of (await read('digests')).entries())
  test(`vectors, digests: the ${index + 1}. of ${rows.length} rows`, () => {
    const sections = [{ id: 'history', rows }, { id: 'socket', rows: [] }];
    const frame = { type: 'snapshot', epoch: 'e', revision: 1, joined: 1, more: false, count: rows.length, digest, sections };
    equal(replica('room/r/messages').apply(frame).verdict, 'applied');
  });
