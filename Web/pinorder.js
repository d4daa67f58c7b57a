/** The order of a room's pinned messages, with the actions that the server has not answered. */

/**
 * Returns the rows as they are when the actions, `{action, message, before, after}`, are done one after the other. One that the
 * server would refuse changes nothing.
 *
 * @param find returns the message with an id, for one that is not pinned yet
 */
export const withWaiting = (rows, waiting, find) => waiting.reduce((shown, action) => after(shown, action, find), rows);

function after(rows, { action, message, before, after }, find) {
  const held = rows.find(({ id }) => id === message);
  const others = rows.filter(({ id }) => id !== message);
  if (action === 'unpin') return others;
  const row = held ?? find(message);
  const beside = before ?? after;
  const at = others.findIndex(({ id }) => id === beside);
  if (!row || (beside && at < 0)) return rows;
  if (!beside) return held ? rows : [...rows, row];
  const index = at + (before ? 0 : 1);
  return [...others.slice(0, index), row, ...others.slice(index)];
}

/** Returns the place that brings a row to an index among the rows: beside the one that it comes to. Nothing if it is there. */
export function placeFor(rows, message, index) {
  const from = rows.findIndex(({ id }) => id === message);
  const to = Math.min(Math.max(index, 0), rows.length - 1);
  if (from < 0 || to === from) return undefined;
  return to < from ? { before: rows[to].id } : { after: rows[to].id };
}
