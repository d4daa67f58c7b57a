/**
 * The places of rows in the document: in chunks, and chunks in blocks.
 *
 * The browser skips blocks that are out of sight (`content-visibility`), so a long room costs only what is on the
 * screen.
 */

import { element } from './elements.js';

const CHUNK_ROWS = 24;
const BLOCK_CHUNKS = 16;
const ROW_HEIGHT = 44; // px, a guess for chunks that were never on the screen

/** Puts a row behind another or, without one, first in its section. */
export function attach(node, before, section) {
  const chunk = before?.parentNode;
  if (!chunk) chunkInFront(section).prepend(node);
  else if (before.nextSibling || hasRoom(chunk, CHUNK_ROWS)) before.after(node);
  else chunkBehind(chunk).prepend(node);
  estimate(node.parentNode);
}

/** Removes a row, and the containers that it leaves empty. */
export function detach(node) {
  const chunk = node.parentNode;
  const block = chunk.parentNode;
  node.remove();
  if (chunk.childElementCount) return estimate(chunk);
  chunk.remove();
  if (!block.childElementCount) block.remove();
}

const hasRoom = (box, limit) => box.childElementCount < limit;

function chunkBehind(chunk) {
  const block = chunk.parentNode;
  const next = chunk.nextElementSibling;
  if (next && hasRoom(next, CHUNK_ROWS)) return next;
  if (next || hasRoom(block, BLOCK_CHUNKS)) return addBox('chunk', block, next);
  return addBox('chunk', addBox('block', block.parentNode, block.nextElementSibling), null);
}

/** Always makes a new one: a page in a chunk that has rows already would make the chunk too large. */
function chunkInFront(section) {
  const first = section.firstElementChild;
  const block = first && hasRoom(first, BLOCK_CHUNKS) ? first : addBox('block', section, first);
  return addBox('chunk', block, block.firstElementChild);
}

function addBox(className, parent, next) {
  return parent.insertBefore(element('div', { className, role: 'presentation' }), next);
}

function estimate(chunk) {
  const block = chunk.parentNode;
  chunk.style.containIntrinsicBlockSize = `auto ${chunk.childElementCount * ROW_HEIGHT}px`;
  block.style.containIntrinsicBlockSize = `auto ${block.childElementCount * CHUNK_ROWS * ROW_HEIGHT}px`;
}
