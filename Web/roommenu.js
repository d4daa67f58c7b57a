/** The menu of a row in the list of rooms. */

import { $, element } from './elements.js';
import { labelOf } from './labels.js';
import { choicesFor } from './settings.js';

const EDGE = 8; // px that stay free at the window's edges

export class RoomMenu {
  #page;
  #menu = $('room-menu');
  #room;
  #opener; // what has the focus again when the menu closes

  /**
   * @param page `get(room)`, the row of one of the user's rooms; `newsOf(row)`, its `{unread, marked}`; the user's `settings`;
   * and `onLeave(room)`
   */
  constructor(page) {
    this.#page = page;
    const menu = this.#menu;
    menu.addEventListener('click', ({ target }) => this.#choose(target.closest('button')?.dataset.act));
    menu.addEventListener('keydown', (event) => this.#pressed(event));
    menu.addEventListener('focusout', ({ relatedTarget }) => menu.contains(relatedTarget) || this.#close());
    menu.addEventListener('contextmenu', (event) => event.preventDefault());
    // The browser's own way to dismiss a popover would end it when the button of the mouse that has opened it comes up.
    addEventListener('pointerdown', ({ target }) => menu.contains(target) || this.#close());
    addEventListener('resize', () => this.#close());
  }

  #acts = {
    pin: (room) => this.#page.settings.pin(room),
    unpin: (room) => this.#page.settings.unpin(room),
    up: (room) => this.#page.settings.move(room, -1),
    down: (room) => this.#page.settings.move(room, 1),
    mute: (room) => this.#page.settings.set(room, { muted: true }),
    unmute: (room) => this.#page.settings.set(room, { muted: false }),
    mark: (room) => this.#page.settings.markUnread(room),
    read: (room) => this.#page.settings.markRead(room),
    archive: (room) => this.#page.settings.set(room, { archived: true }),
    unarchive: (room) => this.#page.settings.set(room, { archived: false }),
    leave: (room) => this.#page.onLeave(room),
  };

  /** Opens the menu of a room at a point of the window; `opener` is the element that has the focus afterwards. */
  open(room, opener, { x, y }) {
    const row = this.#page.get(room);
    if (!row || row.section === 'invited') return;
    this.#close();
    this.#room = room;
    this.#opener = opener;
    this.#fill(row);
    this.#menu.showPopover();
    opener.closest('li').dataset.open = '';
    const { width, height } = this.#menu.getBoundingClientRect();
    this.#menu.style.left = `${Math.max(EDGE, Math.min(x, innerWidth - width - EDGE))}px`;
    this.#menu.style.top = `${Math.max(EDGE, Math.min(y, innerHeight - height - EDGE))}px`;
    this.#menu.firstChild.focus({ preventScroll: true });
  }

  #fill(row) {
    const { newsOf, settings } = this.#page;
    const choices = choicesFor(row, newsOf(row), (room, by) => settings.placeBeside(room, by));
    const made = choices.map(([act, label]) => element('button', { type: 'button', role: 'menuitem', tabIndex: -1, dataset: { act } }, label));
    this.#menu.ariaLabel = labelOf(row);
    this.#menu.replaceChildren(...made);
  }

  #choose(act) {
    if (!act) return;
    this.#close();
    this.#acts[act](this.#room);
  }

  #close() {
    if (!this.#menu.matches(':popover-open')) return;
    const hadFocus = this.#menu.contains(document.activeElement);
    this.#menu.hidePopover();
    delete this.#opener.closest('li')?.dataset.open;
    if (hadFocus) this.#opener.focus({ preventScroll: true });
  }

  /** Up and down go from one to the next, and around; Home and End to the first and last; a letter to what begins with it. */
  #pressed(event) {
    const { key } = event;
    const all = [...this.#menu.children];
    const at = all.indexOf(document.activeElement);
    const ways = { ArrowUp: all.at(at - 1), ArrowDown: all[(at + 1) % all.length], Home: all[0], End: all.at(-1) };
    const begun = [...all.slice(at + 1), ...all].find(({ textContent }) => textContent.toLowerCase().startsWith(key.toLowerCase()));
    const next = ways[key] ?? begun;
    const isEnd = key === 'Escape' || key === 'Tab';
    if (!next && !isEnd) return;
    event.preventDefault();
    event.stopPropagation();
    if (isEnd) this.#close();
    else next.focus();
  }
}
