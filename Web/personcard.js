/** The card of a person: who they are, whether they are there, and what can be done with them. */

import { $, day, element } from './elements.js';
import { calledInFull, displayName, paintFace } from './faces.js';
import { ROLE_NAMES } from './personrow.js';
import { cornerOf } from './popupmenu.js';

const EDGE = 8; // px that stay free at the window's edges
const OPENERS = '.row > .avatar, .heading .author, .mention[data-name], #people li > .avatar, #people li > bdi';

export class PersonCard {
  #page;
  #person;
  #opener;

  /**
   * @param page the `lists` in whose elements the card is opened; `me()`; `rowOf(person)`, as far as the person is known in the room; `find(person)`, which finds them; `mayModerate()`;
   * the `blocked` users; `onMessage(person)`; and `onModerate(person, opener, point)`
   */
  constructor(page) {
    this.#page = page;
    for (const list of page.lists) list.addEventListener('click', (event) => this.#clicked(event));
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
    this.#lookUp(person);
  }

  /** Shows what the server knows of a person without a row. */
  async #lookUp(person) {
    if (this.#page.rowOf(person)) return;
    await this.#page.find(person).catch(() => {});
    if (person === this.#person && this.#page.rowOf(person)) $('card').querySelector('.facts')?.replaceWith(this.#facts(person));
  }

  #head(person) {
    const avatar = element('span', { className: 'avatar', ariaHidden: 'true' });
    paintFace(avatar, person);
    const name = displayName(person);
    const names = [element('bdi', { className: 'author' }, name ?? person), ...(name && name !== person ? [element('bdi', { className: 'user' }, person)] : [])];
    return element('div', { className: 'who' }, avatar, element('div', {}, ...names, this.#facts(person)));
  }

  #facts(person) {
    const row = this.#page.rowOf(person);
    const lines = row ? factsOf(row) : ['Not among the people shown here'];
    if (person === this.#page.me()) lines[0] += ' · you';
    if (this.#page.blocked.has(person)) lines.push('Blocked by you');
    return element('div', { className: 'facts' }, ...lines.map((line) => element('small', {}, line)));
  }

  #buttons(person) {
    if (person === this.#page.me()) return [];
    const acts = [['message', 'Message'], ...this.#page.blocked.choicesFor(person), ...(this.#page.mayModerate() ? [['moderate', 'Moderate…']] : [])];
    return [element('div', { className: 'choice' }, ...acts.map(([act, label]) => element('button', { type: 'button', dataset: { act } }, label)))];
  }

  #act(act) {
    if (!act) return;
    $('card').hidePopover();
    if (act === 'message') this.#page.onMessage(this.#person);
    else if (act === 'block' || act === 'unblock') this.#page.blocked[act](this.#person);
    else this.#page.onModerate(this.#person, this.#opener, cornerOf(this.#opener));
  }
}

/** Returns what is known of a person in the room, as lines: whether they are there, since when they are a member, and their role. */
function factsOf({ section, since, role, by }) {
  if (section === 'invited') return [`Invited${by ? ` by ${calledInFull(by)}` : ''}`, ...(role ? [ROLE_NAMES[role]] : [])];
  const status = section === 'online' ? 'Online' : 'Offline';
  return [role ? `${status} · ${ROLE_NAMES[role]}` : status, since ? `Member since ${day.format(since)}` : 'Guest'];
}
