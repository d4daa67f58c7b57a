/** The people in the room: the panel beside the conversation, and the line that shows who is typing. */

import { $, element, listed } from './elements.js';
import { named, paintFace } from './faces.js';
import { Panel } from './panel.js';
import { cornerOf, placeFor } from './popupmenu.js';

const BESIDE = 761; // px of the window's width

const ACTS = [
  { act: 'onMessage', does: 'Message', icon: 'envelope' },
  { act: 'onMenu', does: 'Moderate', icon: 'dots', ariaHasPopup: 'menu' },
];

export class PeopleView {
  #room;
  #panel;
  #persons = new Map(); // name → element
  #self; // the user's own element, where a long list has no row for them
  #areKnown = false; // an older server has no list of people

  /**
   * @param room `list()` is the subscription, `me()` the user's own name, `kept` remembers whether the panel is open,
   * and `onPeople` is called with all who have a row; `onMessage(name)`;
   * and `onMenu(name, button, point)`, for who moderates the room
   */
  constructor(room) {
    this.#room = room;
    this.#panel = new Panel('people', BESIDE, room.kept);
    $('people').addEventListener('click', ({ target }) => this.#clicked(target));
    $('people').addEventListener('keydown', (event) => this.#pressed(event));
    $('people').addEventListener('contextmenu', (event) => this.#asked(event));
    $('people').addEventListener('focusin', ({ target }) => target.dataset.act && this.#stop(target));
  }

  /** Shows the people of another room, as far as they are known. */
  enter(snapshot) {
    for (const id of this.#persons.keys()) this.#dismiss(id);
    this.#showSelf(false);
    const inserted = (snapshot?.sections ?? []).flatMap(({ rows }) => rows);
    if (snapshot?.sections.length) this.take({ snapshot, changes: { deleted: [], inserted, moved: [], reloaded: [], reconfigured: [] } });
    else this.#showTyping([]);
  }

  take({ snapshot, changes }) {
    for (const id of changes.deleted) this.#dismiss(id);
    // From the end, so that each finds the one after it in place.
    for (const row of [...changes.inserted, ...changes.moved].sort((a, b) => b.sort - a.sort)) this.#place(row);
    for (const row of [...changes.inserted, ...changes.moved, ...changes.reloaded, ...changes.reconfigured]) this.#paint(row);
    const people = snapshot.sections.flatMap(({ rows }) => rows);
    const { online = 0 } = snapshot.counts ?? {};
    const isCut = snapshot.sections.some(({ id, rows }) => id === 'online' && rows.length < online);
    this.#showSelf(isCut && !people.some(({ id }) => id === this.#room.me()));
    for (const section of snapshot.sections) count(section, snapshot.counts?.[section.id] ?? section.rows.length, section.id === 'online' && this.#self ? 1 : 0);
    this.#showTyping(people);
    this.#room.onPeople(people);
    this.#stop();
    if (this.#areKnown) return;
    this.#areKnown = true;
    this.#panel.show(true);
  }

  miss({ error }) {
    if (error === 'diverged') return;
    this.#areKnown = false;
    this.#showSelf(false);
    this.#showTyping([]);
    this.#room.onPeople([]);
    this.#panel.show(false);
  }

  /** Closes the drawer, if it is one. Returns whether it was. */
  withdraw() {
    return this.#panel.withdraw();
  }

  /** The same, because another room is to be seen. */
  giveWay() {
    return this.#panel.giveWay();
  }

  #dismiss(id) {
    const made = this.#persons.get(id);
    if (made?.contains(document.activeElement)) $('people-close').focus();
    made?.remove();
    this.#persons.delete(id);
  }

  /** Shows the user, who is there while they read the room, above the people of a long list, of which the server sends a part. */
  #showSelf(isMissing) {
    if (isMissing === Boolean(this.#self)) return;
    this.#self?.remove();
    this.#self = isMissing ? this.#person({ id: this.#room.me() }) : undefined;
    if (this.#self) $('people-online').querySelector('ul').prepend(this.#self);
  }

  // Actions on a person

  #clicked(target) {
    const button = target.closest('li button');
    if (button) this.#room[button.dataset.act](button.closest('li').dataset.name, button, cornerOf(button));
  }

  /** Opens the menu of a person, if there is one, for the other button of the mouse and for the key. */
  #asked(event) {
    const button = event.target.closest('li')?.querySelector('[data-act=onMenu]');
    if (!button?.checkVisibility()) return;
    event.preventDefault();
    this.#room.onMenu(button.closest('li').dataset.name, button, placeFor(event, button));
  }

  /** Up and down go from person to person; the arrows at the sides to what else can be done with them. */
  #pressed(event) {
    const { act } = event.target.dataset;
    const alike = [...$('people').querySelectorAll(`li [data-act=${act}]`)];
    const at = alike.indexOf(event.target);
    if (at < 0) return;
    const { previousSibling, nextSibling } = event.target;
    const ways = { ArrowUp: alike[at - 1], ArrowDown: alike[at + 1], ArrowLeft: previousSibling, ArrowRight: nextSibling, Home: alike[0], End: alike.at(-1) };
    const next = ways[event.key];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  /** Keeps one of the buttons as the stop for Tab: the last one that had the focus. */
  #stop(button) {
    const stops = $('people').querySelectorAll('li [tabindex="0"]');
    if (!button && stops.length) return;
    for (const stop of stops) stop.tabIndex = -1;
    const next = button ?? $('people').querySelector('li button');
    if (next) next.tabIndex = 0;
  }

  #place(row) {
    const [rows, index] = this.#room.list().placeOf(row);
    const made = this.#persons.get(row.id) ?? this.#person(row);
    this.#persons.set(row.id, made);
    $(`people-${row.section}`)?.querySelector('ul').insertBefore(made, this.#persons.get(rows[index + 1]?.id) ?? null);
  }

  #person({ id }) {
    const avatar = element('span', { className: 'avatar small', ariaHidden: 'true' });
    paintFace(avatar, id);
    const isMe = id === this.#room.me();
    const rest = isMe ? element('span', { className: 'you' }, 'you') : element('span', { className: 'acts' }, ...ACTS.map((act) => button(act, id)));
    return element('li', { dataset: { name: id } }, avatar, named(id), rest);
  }

  #paint({ id, typing }) {
    const made = this.#persons.get(id);
    made.querySelector('.dots')?.remove();
    if (typing && id !== this.#room.me()) made.querySelector('bdi').after(dots());
  }

  #showTyping(people) {
    const names = people.filter(({ id, typing }) => typing && id !== this.#room.me()).map(({ id }) => named(id));
    const parts = names.length > 3 ? ['Several people'] : listed(names);
    $('typing').replaceChildren(...(names.length ? [dots(), ...parts, names.length > 1 ? ' are typing…' : ' is typing…'] : []));
  }
}

function button({ act, does, icon, ariaHasPopup = null }, person) {
  const label = `${does} ${person}`;
  return element('button', { type: 'button', tabIndex: -1, ariaHasPopup, ariaLabel: label, title: label, dataset: { act } }, $(icon).content.cloneNode(true));
}

export const dots = () => element('span', { className: 'dots', ariaHidden: 'true' }, element('i'), element('i'), element('i'));

/** @param others people of the section that are shown without a row */
function count({ id, rows }, number, others) {
  const section = $(`people-${id}`);
  if (!section) return;
  section.hidden = !number;
  section.querySelector('.number').textContent = number;
  const rest = section.querySelector('.rest');
  const more = number - rows.length - others;
  rest.hidden = more <= 0;
  rest.textContent = `and ${more} more`;
  if (id !== 'online') return;
  $('people-count').textContent = number;
  $('people-button').ariaLabel = `People: ${number} online`;
}
