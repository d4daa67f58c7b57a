/** The search in the list of people: those with a row at once, then those whom the server finds. */

import { $, element } from './elements.js';
import { matching } from './faces.js';
import { personRow } from './personrow.js';

const LEAST = 21; // the people of a room with a search
const MOST = 50; // people who are found

export class PeopleSearch {
  #room;
  #rows = []; // those whom the server has found
  #said = '';

  /**
   * @param room `people()`, the known rows; `get(name)`, a row of the list; `lookup`, which finds members; `me()`; and
   * `onChange()`, when others are shown
   */
  constructor(room) {
    this.#room = room;
    $('people-search').addEventListener('input', () => this.#seek());
    $('people-search').addEventListener('keydown', (event) => this.#pressed(event));
  }

  get #typed() {
    return $('people-search').value.trim().replace(/^[@＠]/u, '');
  }

  /** Ends the search. */
  end() {
    $('people-search').value = '';
    this.#seek();
  }

  /** Shows the search in a room with many people, and what is found there now. */
  show(counts = {}) {
    const isLarge = Object.values(counts).reduce((sum, number) => sum + number, 0) >= LEAST;
    $('people-search').hidden = !isLarge && !this.#typed;
    if (this.#typed) this.#draw();
  }

  #pressed(event) {
    if (event.key === 'Escape' && this.#typed) {
      event.stopPropagation(); // it would close the panel
      this.end();
    } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
      event.preventDefault();
      $('people-found').querySelector('li button')?.focus();
    }
  }

  #seek() {
    const { lookup } = this.#room;
    const typed = this.#typed;
    [this.#rows, this.#said] = [[], ''];
    $('people-all').hidden = Boolean(typed);
    $('people-found').hidden = !typed;
    lookup.cancel();
    if (typed && lookup.seek(typed, MOST, { onFound: (found) => this.#take(found), onMiss: () => this.#miss() })) this.#said = 'Searching…';
    this.#draw();
    this.#room.onChange();
  }

  #take({ rows, more }) {
    this.#rows = rows;
    this.#said = more ? 'There are more: type more of the name.' : '';
    this.#draw();
  }

  #miss() {
    this.#said = 'The server cannot be asked now. Only the people who were loaded are searched.';
    this.#draw();
  }

  #draw() {
    const { people, get, me } = this.#room;
    const typed = this.#typed;
    const known = typed ? matching(people(), typed, MOST) : [];
    const others = this.#rows.filter(({ id }) => !known.some((row) => row.id === id)).map((row) => get(row.id) ?? row);
    const focused = /** @type {HTMLElement} */ (document.activeElement?.closest('#people-found button'));
    const { name } = focused?.closest('li').dataset ?? {};
    const drawn = [...known, ...others].map((row) => found(row, row.id === me()));
    $('people-found').querySelector('ul').replaceChildren(...drawn);
    drawn.find(({ dataset }) => dataset.name === name)?.querySelector(`[data-act=${focused.dataset.act}]`)?.focus();
    const nothing = typed && !drawn.length ? `No one in this room is called “${typed}”.` : '';
    $('people-found').querySelector('p').textContent = this.#said || nothing;
  }
}

/** Returns the element of a person who was found, which says where they are. */
function found(row, isMe) {
  const made = personRow(row, isMe);
  const note = row.section === 'invited' && row.by ? [] : [element('span', { className: 'unseen' }, row.section)];
  made.querySelector('bdi').after(...note);
  return made;
}
