/** The list of the users whom the user has blocked, and the ways to it. */

import { $, arrange, day, element, moment, tellerIn } from './elements.js';
import { calledInFull, namedInFull, paintFace } from './faces.js';

const itemsIn = () => /** @type {HTMLElement[]} */ ([...$('blocked-list').children]);

export class BlockedPanel {
  #page;
  #blocked;
  #items = new Map(); // user name → the element of the row
  #teller;

  /** @param page `blocked`, the list; `readable(text)`, a text of the server's; and the `composer`, which shows a refusal when the list is closed */
  constructor(page) {
    this.#page = page;
    this.#blocked = page.blocked;
    this.#teller = tellerIn('blocked-said', page.composer);
    for (const opener of ['blocked-button', 'show-blocked']) $(opener).addEventListener('click', () => this.open());
    $('blocked-close').addEventListener('click', () => $('blocked').close());
    $('blocked').addEventListener('click', (event) => this.#clicked(event));
    $('blocked-list').addEventListener('keydown', (event) => this.#pressed(event));
    this.#blocked.onChange(() => this.refresh());
  }

  /** Shows a refusal. */
  hint(text) {
    this.#teller.hint(this.#page.readable(text));
  }

  /** Updates the number and the open list. */
  refresh() {
    const { isOffered, rows } = this.#blocked;
    $('show-blocked').hidden = !isOffered;
    $('blocked-button').hidden = !isOffered || !rows.length;
    $('blocked-button').querySelector('.number').textContent = rows.filter(({ isGoing }) => !isGoing).length.toLocaleString();
    if ($('blocked').open) this.#draw(rows);
  }

  open() {
    $('menu').hidePopover();
    this.#teller.note();
    $('blocked').showModal();
    this.#draw(this.#blocked.rows);
    ($('blocked-list').querySelector('button') ?? $('blocked-close')).focus();
  }

  /** Draws the rows, the last one to be blocked first. */
  #draw(rows) {
    const focused = /** @type {HTMLElement} */ (document.activeElement);
    const held = /** @type {HTMLElement} */ (focused?.closest('#blocked-list li'));
    const at = itemsIn().indexOf(held);
    this.#items = new Map(rows.map((row) => [row.id, this.#itemOf(row)]));
    arrange($('blocked-list'), [...this.#items.values()].reverse(), held);
    $('blocked-none').hidden = rows.length > 0;
    if (!held || document.activeElement === focused) return;
    const next = held.isConnected ? held : itemsIn()[Math.min(at, rows.length - 1)];
    /** @type {HTMLElement} */ (next?.querySelector('button') ?? $('blocked-close')).focus();
  }

  #itemOf({ id, time, isChanging, isGoing }) {
    const item = this.#items.get(id) ?? makeItem(id);
    const [when, button] = [item.querySelector('.when'), item.querySelector('button')];
    when.textContent = time === undefined ? '' : day.format(time);
    when.title = time === undefined ? '' : moment.format(time);
    button.textContent = isGoing ? 'Block' : 'Unblock';
    button.ariaLabel = `${button.textContent} ${calledInFull(id)}`;
    item.toggleAttribute('data-changing', Boolean(isChanging));
    item.toggleAttribute('data-going', Boolean(isGoing));
    return item;
  }

  #clicked({ target }) {
    if (target === $('blocked')) return $('blocked').close(); // beside it
    const { name } = target.closest('button')?.closest('li')?.dataset ?? {};
    if (name) this.#change(name);
  }

  /** Unblocks a user, or blocks one again who is about to be unblocked. */
  async #change(user) {
    const on = !this.#blocked.has(user);
    if (await this.#blocked.set(user, on)) this.#teller.note(`${calledInFull(user)} is ${on ? 'blocked again' : 'not blocked any more'}.`);
  }

  /** Up and down go from user to user, Home and End to the first and last. */
  #pressed(event) {
    const items = itemsIn();
    const at = items.indexOf(event.target.closest('li'));
    const next = { ArrowUp: items[at - 1], ArrowDown: items[at + 1], Home: items[0], End: items.at(-1) }[event.key];
    if (!next || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    next.querySelector('button').focus();
  }
}

function makeItem(user) {
  const avatar = element('span', { className: 'avatar small', ariaHidden: 'true' });
  paintFace(avatar, user);
  return element('li', { dataset: { name: user } }, avatar, namedInFull(user), element('small', { className: 'when' }), element('button', { type: 'button' }));
}
