/** Going to a room by typing a part of its name, or to a new one. */

import { $, element } from './elements.js';

const MOST = 50; // rooms that are offered
const VALID = /^(?!\.{1,2}$)[\w.-]{1,64}$/;

export class Switcher {
  #page;
  #options = [];
  #selected = 0;

  /** @param page `rooms()`, as `{id, unread, isMine}` in the order in which they are offered; and `onOpen(room)` */
  constructor(page) {
    this.#page = page;
    const input = $('switcher-input');
    input.addEventListener('input', () => this.#offer());
    input.addEventListener('keydown', (event) => this.#pressed(event));
    $('switcher-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#choose(this.#options[this.#selected]);
    });
    $('switcher-list').addEventListener('click', ({ target }) => this.#choose(target.closest('li')?.dataset.room));
    $('switcher').addEventListener('click', ({ target }) => target === $('switcher') && $('switcher').close()); // beside it
  }

  toggle() {
    if ($('switcher').open) return $('switcher').close();
    $('switcher-input').value = '';
    this.#offer();
    $('switcher').showModal();
  }

  #offer() {
    const typed = $('switcher-input').value.trim().replace(/^#/, '');
    const rooms = this.#page.rooms();
    const found = rooms.filter(({ id }) => matches(id, typed)).sort((a, b) => begins(b.id, typed) - begins(a.id, typed)).slice(0, MOST);
    if (VALID.test(typed) && !rooms.some(({ id }) => id === typed)) found.push({ id: typed, isNew: true });
    this.#options = found.map(({ id }) => id);
    this.#selected = 0;
    $('switcher-list').replaceChildren(...found.map((room, index) => option(room, index)));
    $('switcher-hint').hidden = found.length > 0;
    this.#mark();
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

  #choose(room) {
    if (!room) return;
    $('switcher').close();
    this.#page.onOpen(room);
  }
}

const matches = (id, typed) => id.toLowerCase().includes(typed.toLowerCase());
const begins = (id, typed) => id.toLowerCase().startsWith(typed.toLowerCase());

function option({ id, unread, isMine, isNew }, index) {
  const name = element('span', { className: 'name' }, element('span', { className: 'hash', ariaHidden: 'true' }, '#'), element('bdi', {}, id));
  const badge = unread ? [element('span', { className: 'badge' }, unread.toLocaleString(), element('span', { className: 'unseen' }, ' unread'))] : [];
  const note = isNew ? 'open this room' : isMine ? undefined : 'visited';
  const notes = note ? [element('small', {}, note)] : [];
  return element('li', { id: `switcher-option-${index}`, role: 'option', dataset: { room: id } }, name, ...badge, ...notes);
}
