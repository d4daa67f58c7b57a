/** Going to a room by typing a part of what it is called, or to a new one; and actions by their names. */

import { $, badges, element } from './elements.js';
import { kindOf, labelOf, nameOf } from './labels.js';

const MOST = 50; // rooms that are offered
const VISITED = 12; // rooms that are remembered

export class Switcher {
  #page;
  #options = [];
  #selected = 0;
  #onPick; // instead of going to the room

  /**
   * @param page `actions()`, as `{label, run}`; `rooms()`, as `{id, title, people, unread, mentions, note}` in the order in which they are offered;
   * `onType()`, which asks for those that are not there; `onOpen(room)`; `me()`; and `kept` remembers the open rooms that were visited
   */
  constructor(page) {
    this.#page = page;
    page.kept.delete('rooms'); // an earlier page kept one list for all users
    const input = $('switcher-input');
    input.addEventListener('input', () => {
      page.onType();
      this.#offer();
    });
    input.addEventListener('keydown', (event) => this.#pressed(event));
    $('switcher-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#choose(this.#options[this.#selected]);
    });
    $('switcher-list').addEventListener('click', ({ target }) => this.#choose(this.#options[[...$('switcher-list').children].indexOf(target.closest('li'))]));
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
    this.#offer();
    $('switcher').showModal();
  }

  /** Offers the rooms again: there are others now. */
  renew() {
    if ($('switcher').open) this.#offer(this.#selected);
  }

  #offer(selected = 0) {
    const typed = $('switcher-input').value.trim().replace(/^#/, '');
    const rooms = this.#page.rooms();
    const found = rooms.filter((room) => matches(room, typed)).sort((a, b) => Number(begins(b, typed)) - Number(begins(a, typed))).slice(0, MOST);
    if (kindOf(typed) === 'open' && !rooms.some(({ id }) => id === typed)) found.push({ id: typed, note: 'open this room' });
    this.#options = [...found, ...this.#actions(typed)];
    this.#selected = Math.max(0, Math.min(selected, this.#options.length - 1));
    $('switcher-list').replaceChildren(...this.#options.map((room, index) => option(room, index)));
    $('switcher-hint').hidden = this.#options.length > 0;
    this.#mark();
  }

  /** Returns the actions with the typed text in their names; all of them after a `>`. */
  #actions(typed) {
    const wanted = typed.replace(/^>\s*/, '').toLowerCase();
    const isWanted = ({ label }) => (typed.startsWith('>') || wanted.length > 1) && label.toLowerCase().includes(wanted);
    return this.#onPick ? [] : this.#page.actions().filter(isWanted);
  }

  #mark() {
    for (const [index, node] of [...$('switcher-list').children].entries()) node.ariaSelected = String(index === this.#selected);
    const node = $('switcher-list').children[this.#selected];
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

/** Returns the words that find a room: its title, the people of a direct one, and the name of an open one. */
function wordsOf(room) {
  const words = [labelOf(room), ...(room.people ?? []), ...(kindOf(room.id) === 'open' ? [room.id] : [])];
  return words.map((word) => word.toLowerCase());
}

const matches = (room, typed) => wordsOf(room).some((word) => word.includes(typed.toLowerCase()));
const begins = (room, typed) => wordsOf(room).some((word) => word.startsWith(typed.toLowerCase()));

function option({ note, run, label, ...room }, index) {
  const properties = { id: `switcher-option-${index}`, role: 'option' };
  if (run) return element('li', properties, element('span', { className: 'name' }, label), element('small', {}, 'action'));
  const notes = note ? [element('small', {}, note)] : [];
  return element('li', { ...properties, dataset: { room: room.id } }, nameOf(room), ...badges(room), ...notes);
}
