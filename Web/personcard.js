/** The card of a person: who they are, whether they are there, and what can be done with them. */

import { $, element } from './elements.js';
import { displayName, paintFace } from './faces.js';
import { cornerOf } from './popupmenu.js';

const EDGE = 8; // px that stay free at the window's edges
const OPENERS = '.row > .avatar, .heading .author, .mention[data-name], #people li > .avatar, #people li > bdi';

export class PersonCard {
  #page;
  #person;
  #opener;

  /**
   * @param page `me()`; `sectionOf(person)`, that of the person in the list of people, if they are there; `mayModerate()`;
   * `onMessage(person)`; and `onModerate(person, opener, point)`
   */
  constructor(page) {
    this.#page = page;
    for (const list of [$('scroller'), $('people')]) list.addEventListener('click', (event) => this.#clicked(event));
    $('card').addEventListener('click', ({ target }) => this.#act(target.closest('button')?.dataset.act));
    addEventListener('resize', () => $('card').hidePopover());
  }

  #clicked({ target }) {
    const opener = target.closest(OPENERS);
    if (!opener || getSelection().toString()) return;
    this.open(opener.dataset.person ?? opener.dataset.name, opener);
  }

  /** Opens the card of a person beside an element. */
  open(person, opener) {
    [this.#person, this.#opener] = [person, opener];
    const card = $('card');
    card.ariaLabel = displayName(person) ?? person;
    card.replaceChildren(this.#head(person), ...this.#buttons(person));
    card.showPopover();
    const { x, y } = cornerOf(opener);
    const { width, height } = card.getBoundingClientRect();
    const top = y + height + EDGE > innerHeight ? opener.getBoundingClientRect().top - height - 2 : y;
    card.style.left = `${Math.max(EDGE, Math.min(x, innerWidth - width - EDGE))}px`;
    card.style.top = `${Math.max(EDGE, top)}px`;
    (card.querySelector('button') ?? card).focus({ preventScroll: true });
  }

  #head(person) {
    const avatar = element('span', { className: 'avatar', ariaHidden: 'true' });
    paintFace(avatar, person);
    const name = displayName(person);
    const names = [element('bdi', { className: 'author' }, name ?? person), ...(name && name !== person ? [element('bdi', { className: 'user' }, person)] : [])];
    const status = { online: 'Online', offline: 'Offline' }[this.#page.sectionOf(person)] ?? 'Not among the people shown here';
    return element('div', { className: 'who' }, avatar, element('div', {}, ...names, element('small', {}, person === this.#page.me() ? `${status} · you` : status)));
  }

  #buttons(person) {
    if (person === this.#page.me()) return [];
    const acts = [['message', 'Message'], ...(this.#page.mayModerate() ? [['moderate', 'Moderate…']] : [])];
    return [element('div', { className: 'choice' }, ...acts.map(([act, label]) => element('button', { type: 'button', dataset: { act } }, label)))];
  }

  #act(act) {
    if (!act) return;
    $('card').hidePopover();
    if (act === 'message') this.#page.onMessage(this.#person);
    else this.#page.onModerate(this.#person, this.#opener, cornerOf(this.#opener));
  }
}
