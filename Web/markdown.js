/**
 * The Markdown that a message may have, as a tree: `markdown('*a* `b`')` is `[{ text: [{ em: ['a'] }, ' ', { code: 'b' }] }]`.
 *
 * The blocks are text, quotes, lists and fenced code; within text there are emphasis, struck-out text, code, links and web addresses.
 * Everything else is plain text, and so is what nests too deep. Each step goes once over the text, whatever it is.
 * Source: CommonMark 0.31.2, "Appendix: A parsing strategy", with the differences in docs/protocol-reference.md. The terminal has the same parser.
 *
 * @typedef {string | { em: Inline[] } | { strong: Inline[] } | { strike: Inline[] } | { code: string } | { link: string, text: Inline[] } | { address: string }} Inline
 * @typedef {{ text: Inline[] } | { quote: Block[] } | { list: Block[][], start?: number } | { code: string, language?: string }} Block
 */

import { add, addressed, inlinesOf } from './markdowntext.js';

const MOST_QUOTES = 4; // in each other
const MOST_LISTS = 2;

// Each construct but lines of text has one of these.
const MARKS = /[\\`*_~[>\r]|(?:^|\n) {0,3}(?:[-+]|\d{1,9}[.)])[ \t]|^[ \t]*(?:\n|$)|\n[ \t]*$/;
const BLANK = /^[ \t]*$/;
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^ \t]*)/;
const FENCE_END = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;
const QUOTE = /^ {0,3}>[ \t]?/;
const ITEM = /^( {0,3})([-*+]|(\d{1,9})[.)])([ \t]+)(?=[^ \t])/;

/**
 * Returns the blocks of a text.
 *
 * @param {string} text
 * @returns {Block[]}
 */
export function markdown(text) {
  return MARKS.test(text) ? blocksOf(text.split(/\r\n?|\n/), 0, 0) : [{ text: addressed(text) }];
}

/** Returns a text without its marks, as in a notification. */
export const withoutMarks = (text) => (MARKS.test(text) ? markdown(text).map((block) => plain(block)).join('\n') : text);

/** Returns the words of a text that may mention people: those that are no code. */
export const spoken = (text) => (text.includes('`') || text.includes('~~~') ? markdown(text).map((block) => plain(block, true)).join('\n') : text);

function plain(block, isSpoken = false) {
  const whole = (blocks) => blocks.map((inner) => plain(inner, isSpoken)).join('\n');
  if (block.text) return block.text.map((node) => words(node, isSpoken)).join('');
  if (block.quote) return whole(block.quote);
  if (block.list) return block.list.map((item, index) => `${block.start === undefined ? '•' : `${block.start + index}.`} ${whole(item)}`).join('\n');
  return isSpoken ? '' : block.code;
}

function words(node, isSpoken) {
  if (typeof node === 'string') return node;
  if (node.code !== undefined) return isSpoken ? ' ' : node.code;
  return node.address ?? (node.text ?? node.em ?? node.strong ?? node.strike).map((inner) => words(inner, isSpoken)).join('');
}

// Blocks

/** Returns the blocks of lines that are within so many quotes and lists. */
function blocksOf(lines, quotes, lists) {
  const blocks = [];
  let from = 0; // the first line of text that is in no block yet
  const endText = (end) => {
    const text = textOf(lines.slice(from, end));
    if (text) blocks.push({ text });
  };
  for (let at = 0; at < lines.length; ) {
    const isAfterText = at > from && !BLANK.test(lines[at - 1]);
    const found = codeAt(lines, at) ?? quoteAt(lines, at, quotes, lists) ?? listAt(lines, at, { isAfterText, quotes, lists });
    if (found) {
      endText(at);
      blocks.push(found.block);
      from = found.end;
    }
    at = found?.end ?? at + 1;
  }
  endText(lines.length);
  return blocks;
}

/** Returns what lines of text contain; nothing if all are blank. A style ends at a blank line. */
function textOf(lines) {
  const first = lines.findIndex((line) => !BLANK.test(line));
  if (first < 0) return undefined;
  const last = lines.findLastIndex((line) => !BLANK.test(line));
  const nodes = [];
  for (let at = first; at <= last; ) {
    let end = at + 1;
    while (end <= last && BLANK.test(lines[end]) === BLANK.test(lines[at])) end++;
    const part = lines.slice(at, end).join('\n');
    if (at > first) add(nodes, '\n');
    for (const node of BLANK.test(lines[at]) ? [part] : inlinesOf(part)) add(nodes, node);
    at = end;
  }
  return nodes;
}

function codeAt(lines, at) {
  const [, { length: indent } = '', fence, language] = FENCE.exec(lines[at]) ?? [];
  if (!fence) return undefined;
  let end = at + 1;
  const isEnd = (line) => FENCE_END.exec(line)?.[1].startsWith(fence);
  while (end < lines.length && !isEnd(lines[end])) end++;
  const indents = new RegExp(`^ {0,${indent}}`);
  const code = lines.slice(at + 1, end).map((line) => line.replace(indents, '')).join('\n');
  return { block: language ? { code, language } : { code }, end: Math.min(end + 1, lines.length) };
}

function quoteAt(lines, at, quotes, lists) {
  if (quotes >= MOST_QUOTES || !QUOTE.test(lines[at])) return undefined;
  let end = at + 1;
  while (end < lines.length && QUOTE.test(lines[end])) end++;
  return { block: { quote: blocksOf(lines.slice(at, end).map((line) => line.replace(QUOTE, '')), quotes + 1, lists) }, end };
}

/** Only a list that begins with 1 stands right behind a line of text: a number there belongs to a sentence. */
function listAt(lines, at, { isAfterText, quotes, lists }) {
  const first = lists < MOST_LISTS ? itemAt(lines[at]) : undefined;
  if (!first || (isAfterText && first.number !== undefined && first.number !== 1)) return undefined;
  const items = [];
  let [item, end, next] = [first, at, at];
  while (item?.kind === first.kind) {
    const inner = [item.content];
    for (end = next = next + 1; next < lines.length; next++) {
      const isBlank = BLANK.test(lines[next]);
      const line = isBlank ? '' : outdented(lines[next], item.offset);
      if (line === undefined) break;
      inner.push(line);
      if (!isBlank) end = next + 1;
    }
    items.push(blocksOf(inner.slice(0, inner.length - (next - end)), quotes, lists + 1));
    item = next < lines.length ? itemAt(lines[next]) : undefined;
  }
  return { block: first.number === undefined ? { list: items } : { list: items, start: first.number }, end };
}

function itemAt(line) {
  const [whole, { length: indent } = '', marker, number, blanks] = ITEM.exec(line) ?? [];
  if (!whole) return undefined;
  const after = indent + marker.length;
  const width = columns(blanks, after) - after;
  const offset = after + (width > 4 ? 1 : width);
  return { kind: marker.at(-1), number: number && Number(number), offset, content: line.slice(whole.length) };
}

/** Returns the column behind blanks; tabs stop at each fourth. */
const columns = (blanks, column) => [...blanks].reduce((at, blank) => (blank === '\t' ? at - (at % 4) + 4 : at + 1), column);

/** Returns a line without the first columns; nothing if there is more than blanks in them. */
function outdented(line, offset) {
  let [column, at] = [0, 0];
  while (column < offset) {
    if (line[at] !== ' ' && line[at] !== '\t') return undefined;
    column = columns(line[at++], column);
  }
  return ' '.repeat(column - offset) + line.slice(at);
}
