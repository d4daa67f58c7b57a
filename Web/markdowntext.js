/** The Markdown within a text: see markdown.js. */

import { linksIn } from './addresses.js';

const MOST_STYLES = 16; // in each other
const MOST_BRACKETS = 32; // in each other in the address of a link
const SPECIAL = /[\\`*_~[\]]/g;
const PUNCTUATION = /[!-/:-@[-`{-~]/; // that a backslash escapes
const ESCAPED = /\\([!-/:-@[-`{-~])/g;
const SPACE = /^[\p{Zs}\t\n\f\r]$/u;
const SIGN = /^[\p{P}\p{S}]$/u;
const WEB = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[\p{L}\p{N}[]/u;
const UNSEEN = /[\p{C}\p{DI}\u2800]/u;

/** Adds a node; texts beside each other are one. */
export function add(nodes, node) {
  if (node === '') return;
  if (typeof node === 'string' && typeof nodes.at(-1) === 'string') nodes[nodes.length - 1] += node;
  else nodes.push(node);
}

/** Returns the nodes of a text without marks. */
export function addressed(text) {
  const nodes = [];
  let from = 0;
  for (const { href, index } of linksIn(text)) {
    add(nodes, text.slice(from, index));
    nodes.push({ address: href });
    from = index + href.length;
  }
  add(nodes, text.slice(from));
  return nodes;
}

/** Returns the nodes of a text without blank lines. */
export const inlinesOf = (text) => new Inlines(text).nodes();

/** Reads a text from its beginning to its end, and then makes nodes of what it has found. */
class Inlines {
  #text;
  #at = 0;
  #items = []; // strings, nodes, runs of marks, and the beginnings and ends of links
  #runs = []; // the runs that have no partner yet
  #brackets = []; // those with which a link may begin
  #addresses;
  #ticks; // places of runs of backticks, by their length

  constructor(text) {
    this.#text = text;
    this.#addresses = linksIn(text).reverse(); // the next one last
  }

  nodes() {
    while (this.#at < this.#text.length) this.#read();
    this.#pair(0);
    return nodesOf(this.#items);
  }

  #read() {
    while (this.#addresses.at(-1)?.index < this.#at) this.#addresses.pop();
    const { index = Infinity, href } = this.#addresses.at(-1) ?? {};
    if (index === this.#at) {
      this.#brackets = []; // no link has another in it
      return this.#put({ address: href }, href.length);
    }
    SPECIAL.lastIndex = this.#at;
    const end = Math.min(SPECIAL.exec(this.#text)?.index ?? Infinity, index, this.#text.length);
    if (end > this.#at) return this.#put(this.#text.slice(this.#at, end), end - this.#at);
    const sign = this.#text[this.#at];
    if (sign === '\\') this.#escape();
    else if (sign === '`') this.#code();
    else if (sign === '[') this.#open();
    else if (sign === ']') this.#close();
    else this.#run(sign);
  }

  #put(item, length) {
    this.#items.push(item);
    this.#at += length;
  }

  #escape() {
    const next = this.#text[this.#at + 1] ?? '';
    if (PUNCTUATION.test(next)) this.#put(next, 2);
    else this.#put('\\', 1);
  }

  #lengthOfRun(sign) {
    let end = this.#at + 1;
    while (this.#text[end] === sign) end++;
    return end - this.#at;
  }

  /** A code lasts to the next run of as many backticks. */
  #code() {
    const length = this.#lengthOfRun('`');
    this.#ticks ??= ticksIn(this.#text);
    const places = this.#ticks.get(length) ?? [];
    while (places.at(-1) < this.#at + length) places.pop();
    if (!places.length) return this.#put('`'.repeat(length), length);
    const code = this.#text.slice(this.#at + length, places.at(-1));
    const isPadded = /^[ \n]/.test(code) && /[ \n]$/.test(code.slice(-1)) && /[^ \n]/.test(code);
    this.#put({ code: isPadded ? code.slice(1, -1) : code }, length + code.length + length);
  }

  #open() {
    this.#brackets.push({ item: this.#items.length, runs: this.#runs.length, at: this.#at });
    this.#put('[', 1);
  }

  #close() {
    const opener = this.#brackets.pop();
    const target = opener && targetAt(this.#text, this.#at + 1);
    if (!target || !/[^ \t\n]/.test(this.#text.slice(opener.at + 1, this.#at))) return this.#put(']', 1);
    this.#pair(opener.runs);
    this.#items[opener.item] = { target: target.href };
    this.#put({ target: undefined }, target.end - this.#at);
    this.#brackets = [];
  }

  /** A run opens or closes a style, or both, by the characters beside it. */
  #run(sign) {
    const size = this.#lengthOfRun(sign);
    if (sign === '~' && size !== 2) return this.#put(sign.repeat(size), size);
    const before = kindOf(codePointBefore(this.#text, this.#at));
    const after = kindOf(String.fromCodePoint(this.#text.codePointAt(this.#at + size) ?? 0x20));
    const isLeft = after !== 'space' && (after !== 'sign' || before !== 'letter');
    const isRight = before !== 'space' && (before !== 'sign' || after !== 'letter');
    const opens = isLeft && (sign !== '_' || !isRight || before === 'sign');
    const closes = isRight && (sign !== '_' || !isLeft || after === 'sign');
    const run = { sign, size, left: size, opens, closes, begun: [], ended: 0, at: this.#at };
    if (opens || closes) this.#runs.push(run);
    this.#put(run, size);
  }

  /** Pairs the runs from one on: each that closes with the nearest that opens the same. */
  #pair(from) {
    const openers = [];
    const bottoms = {}; // before which there is no opener for such a run
    for (const run of this.#runs.splice(from)) {
      const kind = `${run.sign}${run.opens}${run.size % 3}`;
      while (run.closes && run.left) {
        let index = openers.length - 1;
        while (index >= 0 && openers[index].at >= (bottoms[kind] ?? 0) && !arePaired(openers[index], run)) index--;
        const opener = index >= 0 && openers[index].at >= (bottoms[kind] ?? 0) ? openers[index] : undefined;
        if (!opener) {
          bottoms[kind] = run.at;
          break;
        }
        const length = Math.min(opener.left, run.left, 2);
        const style = run.sign === '~' ? 'strike' : length === 2 ? 'strong' : 'em';
        opener.begun.push({ style, mark: run.sign.repeat(length) });
        run.ended++;
        opener.left -= length;
        run.left -= length;
        openers.length = opener.left ? index + 1 : index;
      }
      if (run.opens && run.left) openers.push(run);
    }
  }
}

function arePaired(opener, closer) {
  if (opener.sign !== closer.sign) return false;
  return closer.sign === '~' || !(closer.opens || opener.closes) || closer.size % 3 === 0 || (opener.size + closer.size) % 3 !== 0;
}

const kindOf = (character) => (SPACE.test(character) ? 'space' : SIGN.test(character) ? 'sign' : 'letter');

function codePointBefore(text, at) {
  if (!at) return ' ';
  const isPair = /[\uDC00-\uDFFF]/.test(text[at - 1]) && /[\uD800-\uDBFF]/.test(text[at - 2] ?? '');
  return text.slice(isPair ? at - 2 : at - 1, at);
}

/** Returns the places of the runs of backticks, by their lengths, the last first. */
function ticksIn(text) {
  const places = new Map();
  for (const { 0: { length }, index } of text.matchAll(/`+/g)) {
    if (!places.has(length)) places.set(length, []);
    places.get(length).push(index);
  }
  for (const list of places.values()) list.reverse();
  return places;
}

/** Returns the address in round brackets behind the text of a link, and where they end. */
function targetAt(text, place) {
  if (text[place] !== '(') return undefined;
  const start = blanksEnd(text, place + 1);
  const isAngled = text[start] === '<';
  const from = isAngled ? start + 1 : start;
  if (!WEB.test(text.slice(from, from + 10))) return undefined;
  const to = isAngled ? angledEnd(text, from) : bareEnd(text, from);
  const end = blanksEnd(text, isAngled ? to + 1 : to);
  const href = text.slice(from, to).replace(ESCAPED, '$1');
  return to < 0 || text[end] !== ')' || UNSEEN.test(href) ? undefined : { href, end: end + 1 };
}

function blanksEnd(text, place) {
  while (place < text.length && ' \t\n'.includes(text[place])) place++;
  return place;
}

function angledEnd(text, place) {
  for (; place < text.length && !'<\n'.includes(text[place]); place++) {
    if (text[place] === '>') return place;
    if (text[place] === '\\' && PUNCTUATION.test(text[place + 1] ?? '')) place++;
  }
  return -1;
}

/** Returns where an address ends: at a blank, or before the bracket that closes none of its own. */
function bareEnd(text, place) {
  let depth = 0;
  for (; place < text.length && text[place] > ' '; place++) {
    if (text[place] === '\\' && PUNCTUATION.test(text[place + 1] ?? '')) place++;
    else if (text[place] === '(' && ++depth > MOST_BRACKETS) return -1;
    else if (text[place] === ')' && --depth < 0) return place;
  }
  return depth ? -1 : place;
}

/** The tree that is made of items. */
class Tree {
  nodes = [];
  #inner = [this.nodes]; // the nodes of the whole text, and then of all that is open and has nodes of its own
  #marks = []; // of each style that is open: none if it has nodes

  add(node) {
    add(this.#inner.at(-1), node);
  }

  begin(node, nodes) {
    this.add(node);
    this.#inner.push(nodes);
    this.#marks.push('');
  }

  /** Begins a style. One in too many others stays in its marks. */
  beginStyle({ style, mark }) {
    const nodes = [];
    if (this.#inner.length <= MOST_STYLES) return this.begin({ [style]: nodes }, nodes);
    this.add(mark);
    this.#marks.push(mark);
  }

  end() {
    const mark = this.#marks.pop();
    if (mark) this.add(mark);
    else this.#inner.pop();
  }
}

function nodesOf(items) {
  const tree = new Tree();
  for (const item of items) {
    if (item.sign) {
      for (let count = item.ended; count > 0; count--) tree.end();
      tree.add(item.sign.repeat(item.left));
      for (const style of item.begun.reverse()) tree.beginStyle(style);
    } else if (!('target' in Object(item))) tree.add(item);
    else if (item.target === undefined) tree.end();
    else {
      const text = [];
      tree.begin({ link: item.target, text }, text);
    }
  }
  return tree.nodes;
}
