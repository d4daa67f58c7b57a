/** A panel at a side of the conversation: beside it if there is room for both, else a drawer over it. */

import { $ } from './elements.js';

export class Panel {
  static #drawn; // the drawer that is open: one at most
  static #hasStep = Boolean(history.state?.drawer); // whether the browser's Back leads from a drawer to the page behind it

  static {
    addEventListener('popstate', ({ state }) => {
      Panel.#hasStep = Boolean(state?.drawer);
      const drawn = Panel.#drawn;
      if (drawn?.withdraw()) drawn.#part('button').focus();
    });
  }

  #name;
  #kept;
  #wide;
  #isReady = false;

  /**
   * @param name the element's id; `NAME-button` opens and closes the panel, `NAME-close` closes it
   * @param width px of the window that are room enough for it beside the conversation
   * @param kept remembers whether the panel is open
   */
  constructor(name, width, kept) {
    this.#name = name;
    this.#kept = kept;
    this.#wide = matchMedia(`(min-width: ${width}px)`);
    this.#part('button').addEventListener('click', () => this.open($(name).hidden));
    this.#part('close').addEventListener('click', () => this.open(false));
    $('scrim').addEventListener('click', () => Panel.#drawn === this && this.open(false));
    $(name).addEventListener('keydown', ({ key }) => key === 'Escape' && this.open(false));
    this.#wide.addEventListener('change', () => {
      if (this.isDrawn) this.#draw(false);
      this.show();
    });
  }

  #part = (what) => $(`${this.#name}-${what}`);

  get isDrawn() {
    return Panel.#drawn === this;
  }

  /** Shows the panel as it was left, and the button for it; neither if there is nothing to show. */
  show(isReady = this.#isReady) {
    this.#isReady = isReady;
    if (!isReady && this.isDrawn) this.#draw(false);
    const isOpen = isReady && (this.#wide.matches ? this.#kept.get(this.#name) !== 'closed' : this.isDrawn);
    $(this.#name).hidden = !isOpen;
    this.#part('button').hidden = !isReady;
    this.#part('button').ariaExpanded = String(isOpen);
    for (const id of ['room', 'thread']) $(id).inert = Boolean(Panel.#drawn);
    $('scrim').hidden = !Panel.#drawn;
    if (!Panel.#drawn) $('room').dispatchEvent(new Event('withdraw'));
  }

  open(open) {
    if (this.#wide.matches) this.#kept.set(this.#name, open ? 'open' : 'closed');
    else this.#draw(open);
    this.show();
    if (!open) this.#part('button').focus();
    else if (this.isDrawn) this.#part('close').focus({ preventScroll: true }); // it is still sliding in
  }

  /** Ends being a drawer, because what it led to is to be seen. Returns whether it was one. */
  withdraw() {
    const wasDrawn = this.isDrawn;
    if (wasDrawn) this.#draw(false);
    this.show();
    return wasDrawn;
  }

  /** The same, because another room is to be seen: its step in the history replaces that of the drawer. */
  giveWay() {
    if (this.isDrawn) Panel.#hasStep = false;
    return this.withdraw();
  }

  #draw(open) {
    const other = Panel.#drawn;
    Panel.#drawn = open ? this : undefined;
    if (other !== this) other?.show();
    Panel.#step(open);
  }

  /** Makes the browser's Back close a drawer that is open. */
  static #step(isDrawn) {
    if (isDrawn === Panel.#hasStep) return;
    Panel.#hasStep = isDrawn;
    if (isDrawn) history.pushState({ drawer: true }, '');
    else history.back();
  }
}
