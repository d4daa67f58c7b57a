/** The pages of a list. */

import { refusal } from './requests.js';

/**
 * Returns a function that requests a page of a list, once at a time for each place. It resolves to the page's rows; `handle` gets each answer
 * first, and returns `again` if the page must be requested again.
 */
export function pager({ name, link, isReady }, handle) {
  const underWay = new Map();

  function request(frame, resolve) {
    link.request(frame, (answer) => (handle(answer, frame) === 'again' ? request(frame, resolve) : resolve(answer.rows ?? [])));
  }

  return async (place, limit = 100) => {
    if (!isReady()) return [];
    const key = JSON.stringify(place);
    const paging = underWay.get(key) ?? new Promise((resolve) => request({ type: 'page', list: name, ...place, limit }, resolve)).finally(() => underWay.delete(key));
    underWay.set(key, paging);
    return paging;
  };
}

export const hasRows = ({ length }) => length > 0;

/** The pages of a list. Their rows arrive by `onChange`. `handle` applies a page to the list. */
export function pages({ name, link, rows, isReady, handle }) {
  const page = pager({ name, link, isReady }, (answer) => answer.type === 'page' && handle(answer));
  const older = async (limit) => rows.state.more && hasRows(await page({ before: rows.state.ranges[0][0] }, limit));
  const fill = async ({ after, sort }, side, limit) => hasRows(await page(side === 'after' ? { after } : { after, before: sort }, limit));

  /** Resolves to the row that the page is around. */
  async function goTo(place, limit) {
    const those = rows.get(place.id) ? [place] : await page({ around: place }, limit);
    const target = those.find(({ id, sort, time }) => id === place.id || sort >= place.revision || time >= place.time) ?? those.at(-1);
    return rows.get(target?.id);
  }

  return { older, fill, goTo, fetch: (id) => fetchMessage(link, name, id) };
}

/** Resolves to a message of a list as it is now, which does not become one of the rows; to nothing if it is gone. */
export async function fetchMessage(link, list, id) {
  const answer = await new Promise((resolve) => link.request({ type: 'page', list, around: { id }, limit: 1 }, resolve));
  if (!answer.rows && answer.error !== 'not_found') throw refusal(answer);
  return answer.rows?.find((row) => row.id === id);
}
