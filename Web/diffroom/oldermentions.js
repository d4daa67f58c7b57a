/** The mentions from before the list of the newest ones. */

import { hasRows, pager } from './pages.js';

const MOST_MENTIONS = 100; // the number of rows of `me/mentions`: where there are fewer, there are no older ones

/** Returns which of the rows stay before and behind a page that was asked for before a row, and whether it joins those before it. */
function aroundPage(held, before, { rows, more }) {
  const end = held.findIndex(({ id }) => id === before);
  const [past, rest] = end < 0 ? [held, []] : [held.slice(0, end), held.slice(end)];
  const start = past.findIndex(({ id }) => id === rows[0]?.id);
  const joins = more && start >= 0;
  return [past.slice(0, joins ? start : 0), rest, joins];
}

/**
 * The messages that mention the user from before the list of the newest: pages, as of when they were read. When rows go from
 * the list's beginning because newer ones are there, they are missing until a page before its first row brings them. `changed` is called
 * after each page.
 */
export function olderMentions({ name, link, rows, isReady, changed }) {
  let held = []; // in order, without a gap
  let more; // whether there are older ones; not known before the first page
  let seam; // the id of the list's row on which they join
  let isTorn = false; // whether rows are missing between them and the list
  let epoch;
  const request = pager({ name, link, isReady }, apply);

  const first = () => rows.state.sections[0]?.rows[0];
  const hasMore = () => isTorn || (more ?? rows.state.count >= MOST_MENTIONS);

  /** Applies the list's present rows. Of another epoch no page is kept: the user may see less now. */
  function follow() {
    if (epoch !== rows.state.epoch || !first()) [held, more, seam, isTorn] = [[], undefined, undefined, false];
    epoch = rows.state.epoch;
    isTorn = seam && !rows.get(seam) && !held.some(({ id }) => id === first().id);
    if (isTorn) page();
    else if (seam) [seam, held] = [first().id, held.filter(({ id }) => !rows.get(id))];
  }

  /** Applies a page. It replaces what was held of its part. */
  function apply(answer, { before: { id } }) {
    if (answer.type === 'error') [more, isTorn] = [false, false]; // an older server has none
    if (answer.type !== 'page' || answer.epoch !== epoch) return;
    const [past, rest, joins] = aroundPage(held, id, answer);
    held = [...past, ...answer.rows, ...rest];
    if (!joins) ({ more } = answer);
    if (!rest.length) seam = id;
    follow();
    changed();
  }

  async function page(limit) {
    const { id, time } = (!isTorn && held[0]) || first() || {};
    return hasRows(id ? await request({ before: { id, time } }, limit) : []);
  }

  return { follow, state: () => ({ older: Object.freeze([...held]), more: hasMore() }), older: async (limit) => hasMore() && page(limit) };
}
