/** Draws the Markdown of a message as elements. */

import { element } from './elements.js';
import { highlight } from './highlighting.js';
import { markdown } from './markdown.js';

const TAGS = { em: 'em', strong: 'strong', strike: 's' };

/**
 * Returns the nodes for a text. A text without blocks of its own stands directly in the message.
 *
 * @param {string} text
 * @param {{ said?: (words: string) => (string | Node)[], isOpen?: boolean }} [options] `said` returns what is drawn for words that are no code
 * and no address: with mentions; `isOpen`: the text still grows, so its code has no colours yet
 */
export function formatted(text, options = {}) {
  const { said = (words) => [words], isOpen = false } = options;
  const blocks = markdown(text);
  const [first] = blocks;
  if (blocks.length === 1 && 'text' in first) return first.text.flatMap((node) => inline(node, said));
  return blocks.map((block) => drawn(block, { said, isOpen }));
}

function drawn(block, options) {
  if (block.text) return element('p', { className: 'part' }, ...block.text.flatMap((node) => inline(node, options.said)));
  if (block.quote) return element('blockquote', {}, ...block.quote.map((inner) => drawn(inner, options)));
  if (block.list) return list(block, options);
  return coded(block, options);
}

function coded({ code: text, language }, { isOpen }) {
  const isColoured = language && !isOpen;
  const code = element('code', { dir: 'ltr', ...(isColoured && { dataset: { language } }) }, text);
  if (isColoured) highlight(code, language);
  return element('pre', {}, code, element('button', { type: 'button', className: 'copy', tabIndex: -1, title: 'Copy this code', ariaLabel: 'Copy this code', dataset: { act: 'code' } }));
}

function list({ list: items, start }, options) {
  const made = items.map((item) => element('li', {}, ...item.map((block) => drawn(block, options))));
  return start === undefined ? element('ul', {}, ...made) : element('ol', { start }, ...made);
}

function inline(node, said) {
  if (typeof node === 'string') return said(node);
  if (node.address) return [link(node.address, node.address)];
  if (node.code !== undefined) return [element('code', { dir: 'ltr' }, node.code)];
  if (node.link) return [link(node.link, ...node.text.flatMap((inner) => inline(inner, said)))];
  const [[style, inner]] = Object.entries(node);
  return [element(TAGS[style], {}, ...inner.flatMap((part) => inline(part, said)))];
}

/** A link opens only on a click, and shows where it leads. */
const link = (href, ...said) => element('a', { href, title: href === said[0] ? '' : href, target: '_blank', rel: 'noopener noreferrer nofollow ugc' }, ...said);
