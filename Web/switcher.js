/** Going to a room by typing a part of what it is called, or to a new one; to a message by its words; and actions by their names. */

import { FOLDED, isFolded } from './blocks.js';
import { $, badges, element, when } from './elements.js';
import { named } from './faces.js';
import { kindOf, labelOf, nameOf } from './labels.js';
import { isNews } from './roomrow.js';
import { snippet } from './snippet.js';

const MOST = 50; // rooms that are offered
const VISITED = 12; // rooms that are remembered
const REST = 200; // the pause in typing after which messages are searched, in milliseconds
const NAMING = 'A room’s name has 1 to 64 letters, digits, dots, dashes and underscores.';
const LEAST = 2; // the characters for which messages are searched

export class Switcher {
  #page;
  #options = [];
  #selected = 0;
  #onPick; // instead of going to the room
  #found = []; // messages with the typed words
  #fault = ''; // why they could not be searched
  #timer;

  /**
   * @param page `actions()`, as `{label, run}`; `rooms`, the list of the user's rooms, and `newsOf(row)`, what is new there; `shown()`, the name of the room on the screen; `onOpen(room)`; `search(query)`, `about(room)` and `onFound(room, id)` of messages;
   * `me()`; and `kept` remembers the open rooms that were visited
   */
  constructor(page) {
    this.#page = page;
    page.kept.delete('rooms'); // an earlier page kept one list for all users
    const input = $('switcher-input');
    input.addEventListener('input', () => {
      page.rooms.completeRows();
      this.#searchLater();
      this.#offer();
    });
    input.addEventListener('keydown', (event) => this.#pressed(event));
    $('switcher-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#choose(this.#options[this.#selected]);
    });
    for (const list of ['switcher-list', 'switcher-found']) $(list).addEventListener('click', ({ target }) => this.#choose(this.#options[nodes().indexOf(target.closest('li'))]));
    $('switcher').addEventListener('click', ({ target }) => target === $('switcher') && $('switcher').close()); // beside it
  }

  get visited() {
    return (this.#page.kept.get(this.#key) ?? '').split(' ').filter(Boolean);
  }

  /** Another user of this browser has visited other rooms. */
  get #key() {
    return `rooms ${this.#page.me()}`;
  }

  remember(room) {
    this.#page.kept.set(this.#key, [...new Set([room, ...this.visited])].slice(0, VISITED).join(' '));
  }

  toggle() {
    if ($('switcher').open) $('switcher').close();
    else this.#open('Find or open a room');
  }

  /** Lets the user choose one of the rooms for something else than going there. */
  pick(label, onPick) {
    this.#open(label, onPick);
  }

  #open(label, onPick) {
    this.#onPick = onPick;
    $('switcher').ariaLabel = onPick ? label : 'Go to a room';
    $('switcher-input').placeholder = label;
    $('switcher-input').value = '';
    this.#searchLater();
    this.#offer();
    $('switcher').showModal();
  }

  /** Offers the rooms again: there are others now. */
  renew() {
    if ($('switcher').open) this.#offer(this.#selected);
  }

  /** The rooms to switch to: the user's, and those that one has visited. */
  get #rooms() {
    const { about, newsOf, rooms, shown } = this.#page;
    const mine = rooms.rows.map((row) => ({ ...row, ...newsOf(row) }));
    const guest = this.visited.filter((room) => !rooms.get(room)).map(about);
    return inOrder(mine, guest).filter(({ id }) => id !== shown());
  }

  get #typed() {
    return $('switcher-input').value.trim().replace(/^#/, '');
  }

  /** Searches messages for what is typed, once the user pauses. */
  #searchLater() {
    clearTimeout(this.#timer);
    [this.#found, this.#fault] = [[], ''];
    const typed = this.#typed;
    if (this.#onPick || typed.length < LEAST || typed.startsWith('>')) return;
    this.#timer = setTimeout(() => this.#search(typed), REST);
  }

  async #search(typed) {
    const { results = [], message = '' } = await this.#page.search(typed).catch((error) => error);
    if (!$('switcher').open || typed !== this.#typed) return;
    this.#fault = message;
    this.#found = results.map(({ room, row, at }) => ({ row, at, room: this.#page.about(room), run: () => this.#page.onFound(room, row.id) }));
    this.#offer(this.#selected);
  }

  #offer(selected = 0) {
    const typed = this.#typed;
    const rooms = this.#rooms;
    const found = rooms.filter((room) => matches(room, typed)).sort((a, b) => Number(begins(b, typed)) - Number(begins(a, typed))).slice(0, MOST);
    if (kindOf(typed) === 'open' && !rooms.some(({ id }) => id === typed)) found.push({ id: typed, note: 'open this room' });
    this.#options = [...found, ...this.#actions(typed), ...this.#found];
    this.#selected = Math.max(0, Math.min(selected, this.#options.length - 1));
    const drawn = this.#options.map((room, index) => option(room, index));
    $('switcher-list').replaceChildren(...drawn.slice(0, drawn.length - this.#found.length));
    $('switcher-found').replaceChildren(...drawn.slice(drawn.length - this.#found.length));
    $('switcher-found').hidden = !this.#found.length;
    $('switcher-hint').hidden = this.#options.length > 0 && !this.#fault;
    $('switcher-hint').textContent = this.#fault || NAMING;
    this.#mark();
  }

  /** Returns the actions with the typed text in their names; all of them after a `>`. */
  #actions(typed) {
    const wanted = typed.replace(/^>\s*/, '').toLowerCase();
    const isWanted = ({ label }) => (typed.startsWith('>') || wanted.length > 1) && label.toLowerCase().includes(wanted);
    return this.#onPick ? [] : this.#page.actions().filter(isWanted);
  }

  #mark() {
    for (const [index, node] of nodes().entries()) node.ariaSelected = String(index === this.#selected);
    const node = nodes()[this.#selected];
    node?.scrollIntoView({ block: 'nearest' });
    $('switcher-input').setAttribute('aria-activedescendant', node?.id ?? '');
  }

  #pressed(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const { length } = this.#options;
    if (!by || !length) return;
    event.preventDefault();
    this.#selected = (this.#selected + by + length) % length;
    this.#mark();
  }

  #choose(option) {
    if (!option) return;
    $('switcher').close();
    if (option.run) option.run();
    else (this.#onPick ?? this.#page.onOpen)(option.id);
  }
}

/** Returns the rooms in the order in which they are offered, with notes: the user's that have news, then their others, then those that were visited. */
function inOrder(mine, visited) {
  const notes = { invited: 'invited', archived: 'archived' };
  const noted = mine.map((row) => ({ ...row, note: notes[row.section] ?? (row.muted ? 'muted' : undefined) }));
  const [first, others] = [true, false].map((isFirst) => noted.filter((row) => isNews(row, row) === isFirst));
  return [...first, ...others, ...visited.map((room) => ({ ...room, note: 'visited' }))];
}

/** Returns the drawn options, first rooms and actions and then messages. */
const nodes = () => [...$('switcher-list').children, ...$('switcher-found').children];

/** Returns the words that find a room: its title, the people of a direct one, and the name of an open one. */
function wordsOf(room) {
  const words = [labelOf(room), ...(room.people ?? []), ...(kindOf(room.id) === 'open' ? [room.id] : [])];
  return words.map((word) => word.toLowerCase());
}

/** Returns what a message that was found looks like: who said it where and when, and its words with the matches marked. */
function message({ id, author, text, time }, at, room) {
  const head = element('span', { className: 'head' }, named(author), element('small', {}, element('bdi', {}, labelOf(room)), ' · ', when(time)));
  const said = isFolded({ id, author }) ? [FOLDED] : snippet(text, at).map((part, index) => (index % 2 ? element('mark', {}, part) : part));
  return element('span', { className: 'body' }, head, element('span', { className: 'said', dir: 'auto' }, ...said));
}

const matches = (room, typed) => wordsOf(room).some((word) => word.includes(typed.toLowerCase()));
const begins = (room, typed) => wordsOf(room).some((word) => word.startsWith(typed.toLowerCase()));

function option({ note, run, label, row, at, ...room }, index) {
  const properties = { id: `switcher-option-${index}`, role: 'option' };
  if (row) return element('li', { ...properties, className: 'found' }, message(row, at, room.room));
  if (run) return element('li', properties, element('span', { className: 'name' }, label), element('small', {}, 'action'));
  const notes = note ? [element('small', {}, note)] : [];
  return element('li', { ...properties, dataset: { room: room.id } }, nameOf(room), ...badges(room), ...notes);
}
