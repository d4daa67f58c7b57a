/** The people in the room: the panel beside the conversation, and the line that shows who is typing. */

import { isBlocked } from './blocks.js';
import { $, listed } from './elements.js';
import { named } from './faces.js';
import { Panel } from './panel.js';
import { PeopleSearch } from './peoplesearch.js';
import { dots, paintRow, personRow } from './personrow.js';
import { cornerOf, placeFor } from './popupmenu.js';

const BESIDE = 761; // px of the window's width
const RENEW = 5000; // ms between two renewals of the people without a row
const SECTIONS = ['online', 'offline', 'invited'];

export class PeopleView {
  #room;
  #panel;
  #persons = new Map(); // name → element
  #further = new Map(); // name → element of those without a row, who were loaded by pages
  #isLoading = false;
  #renewedAt = -Infinity;
  #search;
  #self; // the user's own element, where a long list has no row for them
  #areKnown = false; // an older server has no list of people

  /**
   * @param room `list()` is the subscription, `pages` and `lookup` find those without a row, `me()` is the user's own name, `kept`
   * remembers whether the panel is open, and `onPeople` is called with all who have a row; `onMessage(name)`;
   * and `onMenu(name, button, point)`, for who moderates the room
   */
  constructor(room) {
    this.#room = room;
    this.#panel = new Panel('people', BESIDE, room.kept);
    $('people').addEventListener('click', ({ target }) => this.#clicked(target));
    $('people').addEventListener('keydown', (event) => this.#pressed(event));
    $('people').addEventListener('contextmenu', (event) => this.#asked(event));
    $('people').addEventListener('focusin', ({ target }) => target.dataset.act && this.#stop(target));
    for (const section of SECTIONS) rest(section).addEventListener('click', () => this.#loadMore(section));
    this.#search = new PeopleSearch({ people: () => [...rowsOf(room.list()?.snapshot()), ...room.pages.known], get: (name) => room.list()?.get(name), lookup: room.lookup, me: room.me, onChange: () => this.#stop() });
  }

  /** Shows the people of another room, as far as they are known. */
  enter(snapshot) {
    for (const id of this.#persons.keys()) this.#dismiss(id);
    this.#showSelf(false);
    this.#search.end();
    this.#isLoading = false;
    this.#drawFurther();
    say('');
    const inserted = rowsOf(snapshot);
    if (snapshot?.sections.length) this.take({ snapshot, changes: { ...NONE, inserted } });
    else this.#showTyping([]);
  }

  take({ snapshot, changes }) {
    for (const id of changes.deleted) this.#dismiss(id);
    // From the end, so that each finds the one after it in place.
    for (const row of [...changes.inserted, ...changes.moved].sort((a, b) => b.sort - a.sort)) this.#place(row);
    for (const row of [...changes.inserted, ...changes.moved, ...changes.reloaded, ...changes.reconfigured]) this.#paint(row);
    const people = rowsOf(snapshot);
    const isStale = this.#draw(snapshot) || changes.why === 'snapshot';
    if (isStale && this.#further.size && performance.now() - this.#renewedAt > RENEW) this.#renew();
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

  /** Other users are blocked. */
  refold() {
    const list = this.#room.list();
    const people = rowsOf(list?.snapshot());
    for (const row of people) if (this.#persons.has(row.id)) this.#paint(row);
    for (const [id, made] of this.#further) paintRow(made, this.#room.pages.get(id) ?? { id, section: made.dataset.section }, id === this.#room.me());
    this.#showTyping(people);
  }

  /** Closes the drawer, if it is one. Returns whether it was. */
  withdraw() {
    return this.#panel.withdraw();
  }

  /** The same, because another room is to be seen. */
  giveWay() {
    return this.#panel.giveWay();
  }

  // People without a row

  /** Loads the next people. The focus goes to the first who came, if it was reached by the keyboard. */
  async #loadMore(section) {
    const [, further] = lists(section);
    const [isByKey, before] = [rest(section).matches(':focus-visible'), further.childElementCount];
    await this.#load();
    if (isByKey) further.children[before]?.querySelector('button')?.focus();
  }

  async #load() {
    if (this.#isLoading) return;
    const list = this.#room.list();
    this.#isLoading = true;
    say('Loading…');
    const said = await this.#room.pages.next().then((isNew) => (isNew === false ? 'The others are not members of the room.' : ''), () => 'More people cannot be loaded now.');
    if (list !== this.#room.list()) return; // another room is shown
    this.#isLoading = false;
    say(said);
    this.#draw(list.snapshot());
  }

  /** Loads those who were loaded again: some have gone, or changed while the connection was away. */
  async #renew() {
    const list = this.#room.list();
    this.#renewedAt = performance.now();
    await this.#room.pages.renew().catch(() => {}); // the next change tries again
    if (list === this.#room.list()) this.#draw(list.snapshot());
  }

  /** Shows who has no row, and the numbers of people. Returns whether more people are shown than there are. */
  #draw(snapshot) {
    const { online = 0 } = snapshot.counts ?? {};
    const isCut = snapshot.sections.some(({ id, rows }) => id === 'online' && rows.length < online);
    const people = [...rowsOf(snapshot), ...this.#room.pages.loaded];
    this.#showSelf(isCut && !people.some(({ id }) => id === this.#room.me()));
    this.#drawFurther();
    this.#search.show(snapshot.counts);
    return this.#count(snapshot);
  }

  /** Shows those who were loaded and have no row. */
  #drawFurther() {
    const { pages, me } = this.#room;
    const loaded = new Map(pages.loaded.map((row) => [row.id, row]));
    for (const [id, made] of this.#further) if (loaded.get(id)?.section !== made.dataset.section) this.#dismiss(id, this.#further);
    for (const row of loaded.values()) {
      if (this.#further.has(row.id)) continue;
      this.#further.set(row.id, personRow(row, row.id === me()));
      lists(row.section)[1].append(this.#further.get(row.id));
    }
  }

  /** Shows how many people each section has, and how many of them are not shown. Returns whether that is less than none. */
  #count({ sections, counts }) {
    let isLess = false;
    for (const { id, rows } of sections.filter(({ id }) => SECTIONS.includes(id))) {
      const number = counts?.[id] ?? rows.length;
      const more = number - rows.length - lists(id)[1].childElementCount - (id === 'online' && this.#self ? 1 : 0);
      isLess ||= more < 0;
      $(`people-${id}`).hidden = !number;
      $(`people-${id}`).querySelector('.number').textContent = number;
      Object.assign(rest(id), { hidden: more <= 0, textContent: `and ${more} more`, disabled: !this.#room.pages.hasNext });
    }
    const { online = sections[0]?.rows.length } = counts ?? {};
    $('people-count').textContent = online;
    $('people-button').ariaLabel = `People: ${online} online`;
    return isLess;
  }

  #dismiss(id, persons = this.#persons) {
    const made = persons.get(id);
    if (made?.contains(document.activeElement)) $('people-close').focus();
    made?.remove();
    persons.delete(id);
  }

  /** Shows the user, who is there while they read the room, above the people of a long list, of which the server sends a part. */
  #showSelf(isMissing) {
    if (isMissing === Boolean(this.#self)) return;
    this.#self?.remove();
    this.#self = isMissing ? personRow({ id: this.#room.me(), section: 'online' }, true) : undefined;
    if (this.#self) lists('online')[0].prepend(this.#self);
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
    const alike = buttons(`[data-act=${act}]`);
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
    if (!button && buttons('[tabindex="0"]').length) return;
    for (const stop of $('people').querySelectorAll('li [tabindex="0"]')) stop.tabIndex = -1;
    const [next] = button ? [button] : buttons('button');
    if (next) next.tabIndex = 0;
  }

  #place(row) {
    const [rows, index] = this.#room.list().placeOf(row);
    const made = this.#persons.get(row.id) ?? personRow(row, row.id === this.#room.me());
    this.#persons.set(row.id, made);
    if (SECTIONS.includes(row.section)) lists(row.section)[0].insertBefore(made, this.#persons.get(rows[index + 1]?.id) ?? null);
  }

  #paint(row) {
    paintRow(this.#persons.get(row.id), row, row.id === this.#room.me());
  }

  #showTyping(people) {
    showTyping($('typing'), people, this.#room.me());
  }
}

/** Shows in a line which others are typing, of those who are not blocked. */
export function showTyping(line, people, me) {
  const names = people.filter(({ id, typing }) => typing && id !== me && !isBlocked(id)).map(({ id }) => named(id));
  const parts = names.length > 3 ? ['Several people'] : listed(names);
  line.replaceChildren(...(names.length ? [dots(), ...parts, names.length > 1 ? ' are typing…' : ' is typing…'] : []));
}

const NONE = { deleted: [], inserted: [], moved: [], reloaded: [], reconfigured: [] };

const rowsOf = (snapshot) => (snapshot?.sections ?? []).flatMap(({ rows }) => rows);

/** Returns the elements for the people of a section with a row, and for the others. */
const lists = (section) => $(`people-${section}`).querySelectorAll('ul');

const rest = (section) => $(`people-${section}`).querySelector('.rest');

/** Returns the shown buttons of people that match a selector. */
const buttons = (selector) => [...$('people').querySelectorAll(`li ${selector}`)].filter((one) => !one.closest('#people [hidden]'));

function say(text) {
  $('people-said').hidden = !text;
  $('people-said').textContent = text;
}
