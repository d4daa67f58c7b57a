/**
 * The colours of code, from a worker that is loaded when a message has code of a language. Other people write the code, and some of
 * it can keep the library busy for minutes: a worker that does not answer in time is ended, and the code stays plain.
 */

import { element } from './elements.js';
import { startHighlighter } from './shell.js';

const MOST_CHARACTERS = 20_000;
const PATIENCE = 1_000; // ms
const MOST_FAILURES = 3; // until the page gives up
const PARTS = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+/g;
const CHARACTERS = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

let worker;
let timer;
let failures = 0;
let lastId = 0;
const waiting = new Map(); // id → {node, language}, the first is on its way if the worker is ready
let isReady = false;

/** Colours the code in an element, some time later. */
export function highlight(node, language) {
  if (failures >= MOST_FAILURES || node.textContent.length > MOST_CHARACTERS) return;
  waiting.set(++lastId, { node, language });
  if (worker) {
    if (isReady && waiting.size === 1) request();
  } else start();
}

function start() {
  isReady = false;
  worker = startHighlighter();
  worker.addEventListener('message', ({ data }) => handle(data));
  worker.addEventListener('error', () => fail(MOST_FAILURES)); // it cannot be loaded
}

function handle({ id, markup }) {
  clearTimeout(timer);
  if (id === undefined) isReady = true;
  else if (markup !== undefined) draw(waiting.get(id)?.node, markup);
  waiting.delete(id);
  request();
}

/** Requests the colours of the next code that is still in the page. */
function request() {
  for (const [id, { node, language }] of waiting) {
    if (node.isConnected) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin, a window has
      worker.postMessage({ id, language, code: node.textContent });
      timer = setTimeout(() => fail(1, id), PATIENCE);
      return;
    }
    waiting.delete(id);
  }
}

function fail(count, id) {
  clearTimeout(timer);
  worker.terminate();
  worker = undefined;
  failures += count;
  waiting.delete(id);
  if (failures >= MOST_FAILURES) waiting.clear();
  else if (waiting.size) start();
}

/** Draws markup of the library as elements. Only the classes of its elements are its own: the text is the message's. */
function draw(node, markup) {
  const made = element('code');
  const open = [made];
  for (const [part, className, character] of markup.matchAll(PARTS)) {
    if (className !== undefined) {
      const span = element('span', { className });
      open.at(-1).append(span);
      open.push(span);
    } else if (part === '</span>') open.pop();
    else open.at(-1)?.append(character ? CHARACTERS[character] : part);
  }
  if (open.length === 1 && made.textContent === node?.textContent) node.replaceChildren(...made.childNodes);
}
