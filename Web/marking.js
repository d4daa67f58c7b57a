/**
 * Returns the change that puts a mark around a part of a text, or takes it away: `text` in the place of what is from `start` to `end`,
 * and what is selected then. Blanks at the ends of the part stay outside, and code of several lines gets a fence.
 *
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @param {'*' | '**' | '~~' | '`'} mark
 * @returns {{ start: number, end: number, text: string, select: [number, number] }}
 */
export function remarked(text, start, end, mark) {
  while (start < end && /\s/.test(text[start])) start++;
  while (start < end && /\s/.test(text[end - 1])) end--;
  const part = text.slice(start, end);
  const { length } = mark;
  if (has(mark, text.slice(0, start), text.slice(end))) return { start: start - length, end: end + length, text: part, select: [start - length, end - length] };
  const inner = part.slice(length, -length);
  if (part.length > 2 * length && has(mark, part, part)) return { start, end, text: inner, select: [start, end - 2 * length] };
  const [before, behind] = mark === '`' && part.includes('\n') ? fence(text.slice(0, start), text.slice(end)) : [mark, mark];
  return { start, end, text: before + part + behind, select: [start + before.length, end + before.length] };
}

/** Returns whether a mark stands at the end of one text and at the beginning of another. Of three stars, one is emphasis and two are strong. */
function has(mark, before, behind) {
  const [sign] = mark;
  const count = Math.min(lengthAtEnd(before, sign), lengthAtEnd([...behind].reverse().join(''), sign));
  if (mark === '*') return count === 1 || count === 3;
  return mark === '**' ? count === 2 || count === 3 : count === mark.length;
}

function lengthAtEnd(text, sign) {
  let length = 0;
  while (text.at(-1 - length) === sign) length++;
  return length;
}

/** A fence stands on lines of its own. */
const fence = (before, behind) => [`${before && !before.endsWith('\n') ? '\n' : ''}\`\`\`\n`, `\n\`\`\`${behind && !behind.startsWith('\n') ? '\n' : ''}`];
