/** The user's rooms beside the conversation: invitations on top, then newest on top, with what is unread. */

import { $, badges, clock, element, sameDay } from './elements.js';
import { kindOf, labelOf, nameOf } from './labels.js';
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
   * @param page `list()` is the subscription, `me()` the user's name, `shown()` the room on the screen; `about(room)`, as
   * much as is known of a room; `newsOf(row)`, its `{unread, mentions}`; `onOpen(room)`; `onJoin(room)` and
   * `onLeave(room)`, which accept and decline an invitation, too; `onTotal({unread, mentions, invited})`, what is unread in
   * the other rooms, the mentions in all, and the invitations; and `kept`
   */
  constructor(page) {
    this.#page = page;
    this.#panel = new Panel('sidebar', BESIDE, page.kept);
    this.#panel.show(true);
    $('sidebar').addEventListener('click', (event) => this.#clicked(event));
    $('sidebar').addEventListener('keydown', (event) => this.#pressed(event));
    $('join').addEventListener('click', () => page.onJoin(page.shown()));
    document.addEventListener('visibilitychange', () => this.redraw());
  }

  // The list

  get(room) {
    return this.hasList ? this.#page.list().get(room) : undefined;
  }

  /** Returns whether the user is a member of the room, and not only invited. */
  isMember(room) {
    const row = this.get(room);
    return Boolean(row) && row.section !== 'invited';
  }

  /** The rows, as they are shown. */
  get rows() {
    return this.#rows;
  }

  take({ snapshot, changes }) {
    this.isKnown = this.hasList = true;
    this.#rows = snapshot.sections.flatMap(({ rows }) => [...rows].reverse());
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
    const item = this.#items.get(row.id) ?? this.#make(row);
    const hasFocus = item.contains(document.activeElement);
    $(row.section === 'invited' ? 'invited-list' : 'sidebar-list').insertBefore(item, this.#items.get(rows[index - 1]?.id) ?? null);
    if (hasFocus) item.firstChild.focus({ preventScroll: true });
  }

  #make(row) {
    const item = element('li', {}, linkTo(row));
    this.#items.set(row.id, item);
    return item;
  }

  #remove(room) {
    const item = this.#items.get(room);
    if (item?.contains(document.activeElement)) ((item.nextSibling ?? item.previousSibling)?.firstChild ?? $('find')).focus();
    item?.remove();
    this.#items.delete(room);
  }

  #paint(row) {
    const { id, last } = row;
    const link = this.#items.get(id).firstChild;
    const news = this.#page.newsOf(row);
    const parts = [nameOf(row), ...badges(news)];
    if (last) parts.push(this.#saying(last), element('time', { dateTime: new Date(last.time).toISOString() }, shortTime(last.time)));
    link.replaceChildren(...parts);
    link.title = kindOf(id) === 'open' ? id : labelOf(row);
    offerAnswers(link, row);
    link.toggleAttribute('data-unread', news.unread > 0);
    link.ariaCurrent = id === this.#page.shown() ? 'page' : null;
  }

  #saying({ author, text }) {
    const who = author === this.#page.me() ? 'You' : element('bdi', {}, author);
    return element('span', { className: 'said' }, element('span', {}, who, ':'), ' ', element('span', { dir: 'auto' }, text));
  }

  /** Draws what depends on all rows: the room that the user is no member of, the total, and where Tab leads to. */
  #drawRest() {
    const room = this.#page.shown();
    const isGuest = !this.get(room) && kindOf(room) === 'open';
    $('guest').hidden = !isGuest;
    $('join').hidden = !this.hasList;
    const guest = this.#page.about(room);
    const label = labelOf(guest);
    if (isGuest && $('guest').dataset.label !== label) {
      $('guest').dataset.label = label;
      $('guest-link').replaceChildren(linkTo(guest));
      $('guest-link').firstChild.ariaCurrent = 'page';
    }
    $('sidebar-empty').hidden = !this.hasList || this.#rows.length > 0;
    const stop = this.get(room) ?? this.#rows[0];
    for (const [id, { firstChild }] of this.#items) firstChild.tabIndex = id === stop?.id ? 0 : -1;
    const total = { unread: 0, mentions: 0, invited: this.#rows.filter(({ section }) => section === 'invited').length };
    $('invited').hidden = !total.invited;
    $('invited').querySelector('.number').textContent = total.invited;
    for (const row of this.#rows) {
      const { unread, mentions } = this.#page.newsOf(row);
      if (row.id !== room) total.unread += unread;
      total.mentions += mentions;
    }
    this.#page.onTotal(total);
  }

  // Going from room to room

  #clicked(event) {
    const { answer } = event.target.closest('button')?.dataset ?? {};
    if (answer) return this.#page[answer](event.target.closest('li').firstChild.dataset.room);
    const { room } = event.target.closest('a')?.dataset ?? {};
    if (!room || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return; // the browser's own: another tab
    event.preventDefault();
    this.#page.onOpen(room);
  }

  /** Up and down go from room to room; Home and End to the first and last. */
  #pressed(event) {
    const links = [...$('sidebar').querySelectorAll('li > a')];
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
    return way.find((row) => !isNew || this.#page.newsOf(row).unread)?.id;
  }

  /** Closes the drawer, if it is one. Returns whether it was. */
  withdraw() {
    return this.#panel.withdraw();
  }
}

function linkTo(room) {
  return element('a', { href: `?room=${encodeURIComponent(room.id)}`, title: room.id, dataset: { room: room.id } }, nameOf(room));
}

/** Puts the answers to an invitation behind the link to its room. */
function offerAnswers(link, row) {
  const isInvited = row.section === 'invited';
  const button = (answer, text) => element('button', { type: 'button', dataset: { answer } }, text);
  if (isInvited && !link.nextSibling) link.after(element('span', { className: 'answers' }, button('onJoin', 'Accept'), button('onLeave', 'Decline')));
  if (!isInvited) return link.nextSibling?.remove();
  for (const made of link.nextSibling.children) made.ariaLabel = `${made.textContent} the invitation to ${labelOf(row)}`;
}

function shortTime(time) {
  const now = Date.now();
  if (sameDay(now, time)) return clock.format(time);
  return (Math.abs(now - time) < WEEK ? weekday : date).format(time);
}
