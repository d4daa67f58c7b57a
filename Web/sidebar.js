/** The user's rooms beside the conversation: newest on top, with what is unread. */

import { $, clock, element, sameDay } from './elements.js';
import { Panel } from './panel.js';

const BESIDE = 1_000; // px of the window's width
const WEEK = 6 * 86_400_000; // ms

const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

export class Sidebar {
  /** Whether the list is here, or cannot be had: an older server has none. */
  isKnown = false;
  hasList = false;
  #page;
  #panel;
  #items = new Map(); // room → element
  #rows = [];

  /**
   * @param page `list()` is the subscription, `me()` the user's name, `shown()` the room on the screen; `unreadOf(row)`;
   * `onOpen(room)`; `onJoin(room)`; `onTotal(number)` of what is unread in the other rooms; and
   * `kept`
   */
  constructor(page) {
    this.#page = page;
    this.#panel = new Panel('sidebar', BESIDE, page.kept);
    this.#panel.show(true);
    $('sidebar').addEventListener('click', (event) => this.#clicked(event));
    $('sidebar-list').addEventListener('keydown', (event) => this.#pressed(event));
    $('join').addEventListener('click', () => page.onJoin(page.shown()));
    document.addEventListener('visibilitychange', () => this.redraw());
  }

  // The list

  get(room) {
    return this.hasList ? this.#page.list().get(room) : undefined;
  }

  /** The rows, newest first. */
  get rows() {
    return [...this.#rows].reverse();
  }

  take({ snapshot, changes }) {
    this.isKnown = this.hasList = true;
    this.#rows = snapshot.sections.flatMap(({ rows }) => rows);
    for (const id of changes.deleted) this.#remove(id);
    // From the beginning, which is at the bottom: each finds the one below it in place.
    for (const row of [...changes.inserted, ...changes.moved].sort((a, b) => a.sort - b.sort)) this.#place(row);
    for (const row of [...changes.inserted, ...changes.moved, ...changes.reloaded, ...changes.reconfigured]) this.#paint(row);
    this.#drawRest();
  }

  miss({ error }) {
    if (error === 'diverged') return;
    this.isKnown = true;
    this.#drawRest();
  }

  /** Shows everything anew: another room is on the screen, or the page is looked at again. */
  redraw() {
    for (const row of this.#rows) this.#paint(row);
    this.#drawRest();
  }

  #place(row) {
    const [rows, index] = this.#page.list().placeOf(row);
    const item = this.#items.get(row.id) ?? this.#make(row.id);
    const hasFocus = item.contains(document.activeElement);
    $('sidebar-list').insertBefore(item, this.#items.get(rows[index - 1]?.id) ?? null);
    if (hasFocus) item.firstChild.focus({ preventScroll: true });
  }

  #make(room) {
    const item = element('li', {}, linkTo(room));
    this.#items.set(room, item);
    return item;
  }

  #remove(room) {
    const item = this.#items.get(room);
    if (item?.contains(document.activeElement)) (item.nextSibling ?? item.previousSibling)?.firstChild.focus();
    item?.remove();
    this.#items.delete(room);
  }

  #paint({ id, last, ...row }) {
    const link = this.#items.get(id).firstChild;
    const unread = this.#page.unreadOf({ id, ...row });
    const parts = [nameOf(id)];
    if (unread) parts.push(element('span', { className: 'badge' }, unread.toLocaleString(), element('span', { className: 'unseen' }, ' unread')));
    if (last) parts.push(this.#saying(last), element('time', { dateTime: new Date(last.time).toISOString() }, shortTime(last.time)));
    link.replaceChildren(...parts);
    link.toggleAttribute('data-unread', unread > 0);
    link.ariaCurrent = id === this.#page.shown() ? 'page' : null;
  }

  #saying({ author, text }) {
    const who = author === this.#page.me() ? 'You' : element('bdi', {}, author);
    return element('span', { className: 'said' }, element('span', {}, who, ':'), ' ', element('span', { dir: 'auto' }, text));
  }

  /** Draws what depends on all rows: the room that the user is no member of, the total, and where Tab leads to. */
  #drawRest() {
    const room = this.#page.shown();
    const isGuest = !this.get(room);
    $('guest').hidden = !isGuest;
    $('join').hidden = !this.hasList;
    if (isGuest && $('guest').dataset.room !== room) {
      $('guest').dataset.room = room;
      $('guest-link').replaceChildren(linkTo(room));
      $('guest-link').firstChild.ariaCurrent = 'page';
    }
    $('sidebar-empty').hidden = !this.hasList || this.#rows.length > 0;
    for (const [id, { firstChild }] of this.#items) firstChild.tabIndex = id === (isGuest ? this.#rows.at(-1)?.id : room) ? 0 : -1;
    const others = this.#rows.filter(({ id }) => id !== room);
    this.#page.onTotal(others.reduce((sum, row) => sum + this.#page.unreadOf(row), 0));
  }

  // Going from room to room

  #clicked(event) {
    const { room } = event.target.closest('a')?.dataset ?? {};
    if (!room || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return; // the browser's own: another tab
    event.preventDefault();
    this.#page.onOpen(room);
  }

  /** Up and down go from room to room; Home and End to the first and last. */
  #pressed(event) {
    const links = [...$('sidebar-list').children].map(({ firstChild }) => firstChild);
    const at = links.indexOf(document.activeElement);
    const next = { ArrowUp: links[at - 1], ArrowDown: links[at + 1], Home: links[0], End: links.at(-1) }[event.key];
    if (!next || at < 0 || event.altKey) return;
    event.preventDefault();
    next.focus();
  }

  /** Returns the room above or below the one on the screen; with `isNew` the nearest with something unread. */
  beside(by, isNew) {
    const { rows } = this;
    const at = rows.findIndex(({ id }) => id === this.#page.shown());
    const way = by < 0 ? rows.slice(0, Math.max(at, 0)).reverse() : rows.slice(at + 1);
    return way.find((row) => !isNew || this.#page.unreadOf(row))?.id;
  }

  /** Closes the drawer, if it is one. Returns whether it was. */
  withdraw() {
    return this.#panel.withdraw();
  }
}

function linkTo(room) {
  return element('a', { href: `?room=${encodeURIComponent(room)}`, title: room, dataset: { room } }, nameOf(room));
}

function nameOf(room) {
  return element('span', { className: 'name' }, element('span', { className: 'hash', ariaHidden: 'true' }, '#'), element('bdi', {}, room));
}

function shortTime(time) {
  const now = Date.now();
  if (sameDay(now, time)) return clock.format(time);
  return (Math.abs(now - time) < WEEK ? weekday : date).format(time);
}
