/** The changes of a list between two states, as subscribers get them. */

import { rowsOf, same } from './orderedrows.js';

const stateOf = ({ tag, rev }) => tag ?? rev;

export const noChanges = (why) => ({ why, deleted: [], inserted: [], moved: [], reloaded: [], reconfigured: [] });

/** Returns the changes of an action, from the former states of the touched rows. */
export function changesOf(why, rows, touched, reloaded) {
  const changes = noChanges(why);
  for (const [id, old] of touched) {
    const row = rows.get(id);
    if (old && !row) changes.deleted.push(id);
    else if (row && !old) changes.inserted.push(row);
    else if (row) {
      if (!same(old, row)) changes.moved.push(row);
      if (reloaded?.has(id)) changes.reloaded.push(row);
      else if (same(old, row) && stateOf(row) !== stateOf(old)) changes.reconfigured.push(row);
    }
  }
  return changes;
}

/** Returns the changes from a snapshot, or from nothing, to the present one. Each row that has changed counts as replaced. */
export function changesSince(before, snapshot, rows, why) {
  const touched = new Map(rowsOf(snapshot).map(({ id }) => [id]));
  for (const row of before ? rowsOf(before) : []) {
    if (rows.get(row.id) === row) touched.delete(row.id);
    else touched.set(row.id, row);
  }
  return changesOf(why, rows, touched, touched);
}
