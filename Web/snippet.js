/** The part of a found message that shows its matches. */

const BEFORE = 24; // characters before the first match
const MOST = 140; // characters of a snippet

/**
 * Returns a part of a text around the first match, cut at the matches: the odd ones are matches.
 *
 * @param {string} text
 * @param {readonly (readonly [number, number])[]} at the matches, in code points, as a search returns them
 * @returns {string[]}
 */
export function snippet(text, at) {
  const characters = [...text];
  const first = at[0]?.[0] ?? 0;
  const start = first > BEFORE ? first - BEFORE : 0;
  const end = Math.min(characters.length, start + MOST);
  const shown = at.filter(([from]) => from < end).flatMap(([from, to]) => [from, Math.min(to, end)]);
  const cuts = [start, ...shown, end];
  const parts = cuts.slice(1).map((to, index) => characters.slice(cuts[index], to).join(''));
  if (start > 0) parts[0] = `…${parts[0]}`;
  if (end < characters.length) parts[parts.length - 1] += '…';
  return parts;
}
