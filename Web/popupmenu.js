/** A menu that hangs on something of the page, for the pointer and for keys. */

import { element, keyOf } from './elements.js';

const EDGE = 8; // px that stay free at the window's edges

export class PopupMenu {
  #menu;
  #opener; // what has the focus again when the menu closes
  #onChoose;

  /** @param menu the element, a popover */
  constructor(menu) {
    this.#menu = menu;
    menu.addEventListener('click', ({ target }) => this.#choose(target.closest('button')?.dataset.act));
    menu.addEventListener('keydown', (event) => this.#pressed(event));
    menu.addEventListener('focusout', ({ relatedTarget }) => menu.contains(relatedTarget) || this.#close());
    menu.addEventListener('contextmenu', (event) => event.preventDefault());
    // The browser's own way to dismiss a popover would end it when the button of the mouse that has opened it comes up.
    addEventListener('pointerdown', ({ target }) => menu.contains(target) || this.#close());
    addEventListener('resize', () => this.#close());
  }

  /**
   * Opens the menu at a point of the window, which is its upper corner; or its lower one, if the menu `isAbove`.
   *
   * @param what its `label`; the `choices`, as `[act, label]`; `onChoose(act)`; and the `opener`, the element in a list that
   * has the focus afterwards
   */
  open({ label, choices, onChoose, opener }, { x, y, isAbove = false }) {
    const menu = this.#menu;
    this.#close();
    this.#opener = opener;
    this.#onChoose = onChoose;
    menu.ariaLabel = label;
    menu.replaceChildren(...choices.map(([act, text]) => element('button', { type: 'button', role: 'menuitem', tabIndex: -1, dataset: { act } }, text)));
    menu.showPopover();
    opener.closest('li')?.setAttribute('data-open', '');
    const { width, height } = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(EDGE, Math.min(x, innerWidth - width - EDGE))}px`;
    menu.style.top = `${Math.max(EDGE, Math.min(isAbove ? y - height : y, innerHeight - height - EDGE))}px`;
    menu.firstChild.focus({ preventScroll: true });
  }

  #choose(act) {
    if (!act) return;
    this.#close();
    this.#onChoose(act);
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
    const begun = [...all.slice(at + 1), ...all].find(({ textContent }) => textContent.toLowerCase().startsWith(keyOf(event).toLowerCase()));
    const next = ways[key] ?? begun;
    const isEnd = key === 'Escape' || key === 'Tab';
    if (!next && !isEnd) return;
    event.preventDefault();
    event.stopPropagation();
    if (isEnd) this.#close();
    else next.focus();
  }
}

/** Returns the place for a menu that hangs on an element. */
export function cornerOf(node) {
  const { left, bottom } = node.getBoundingClientRect();
  return { x: left + 8, y: bottom + 2 };
}

/** Returns the place for a menu that stands above an element. */
export function aboveOf(node) {
  const { left, top } = node.getBoundingClientRect();
  return { x: left, y: top - 6, isAbove: true };
}

/** Returns the place for a menu that a `contextmenu` event asks for: at the pointer, or at an element for a key, which knows no place. */
export const placeFor = (event, node) => (event.button === 2 ? { x: event.x, y: event.y } : cornerOf(node));
