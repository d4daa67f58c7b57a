/** The threads that the user follows: the button with the number of those that have news, and the list behind it. */

import { $, arrange, element, numeral, onSightChange, withNews } from './elements.js';
import { drawFollowed } from './followedrow.js';
import { roomOf } from './kinds.js';
import { labelOf } from './labels.js';
import { PopupMenu, cornerOf, placeFor } from './popupmenu.js';
import { RoomList } from './roomlist.js';
import { isNews } from './roomrow.js';

const NEAR_END = 300; // px
const LISTS = { 'threads-list': ['pinned', 'rooms'], 'threads-done-list': ['archived'] };
const ROWS = '#threads li > [data-act=open]';

export class FollowedThreads extends RoomList {
  #page;
  #items = new Map(); // thread → {look, item}: the elements of the list
  #menu = new PopupMenu($('threads-menu'));
  #mentions; // room → the number of unread mentions in its threads, while the rows of rooms are drawn

  /**
   * @param page the `news`; `settings()`, the user's; `isChanging(thread)`, whether something that the user sets for it has no answer yet; `me()`;
   * `onOpen(thread)`; `onLeave(thread)`; and `onTotal({unread, mentions, threads, isLeast})`: the unread replies, the mentions, the threads with news, and which of the
   * numbers may be higher
   */
  constructor(page) {
    super();
    this.#page = page;
    $('threads-button').addEventListener('click', () => this.#open());
    $('threads-close').addEventListener('click', () => $('threads').close());
    $('threads').addEventListener('click', (event) => this.#clicked(event));
    $('threads').addEventListener('contextmenu', (event) => this.#asked(event));
    $('threads-all').addEventListener('keydown', (event) => this.#pressed(event));
    $('threads-all').addEventListener('scroll', ({ target }) => this.#scrolled(target), { passive: true });
    onSightChange(() => this.refresh());
  }

  /** @override */
  take(said) {
    super.take(said);
    this.refresh();
  }

  /** @override */
  miss() {
    super.miss();
    $('threads-button').hidden = true;
  }

  /** Returns the number of unread mentions in the followed threads of a room. */
  mentionsIn(room) {
    if (!this.#mentions) queueMicrotask(() => (this.#mentions = undefined));
    this.#mentions ??= this.#mentionsByRoom();
    return this.#mentions.get(room) ?? 0;
  }

  #mentionsByRoom() {
    const counts = new Map();
    for (const row of this.rows) {
      const room = roomOf(row.id);
      const { mentions } = this.#page.news.of(row);
      if (mentions) counts.set(room, mentions + (counts.get(room) ?? 0));
    }
    return counts;
  }

  /** Updates the numbers and the open list after a change of the rows, of the screen, or of unanswered commands. */
  refresh() {
    const { news, onTotal } = this.#page;
    const threads = this.rows.filter((row) => isNews(row, news.of(row))).length;
    const isLeast = { unread: this.lacks('rooms'), mentions: this.isCut };
    const total = { ...news.sum(this.rows), threads, isLeast };
    this.#count(total);
    onTotal(total);
    if ($('threads').open) this.#draw();
  }

  /** Shows the number of threads with news on the button, or that of the mentions if there are any. */
  #count({ mentions, threads, isLeast }) {
    const [number, sign, least] = mentions ? [mentions, '@', isLeast.mentions] : [threads, '', isLeast.unread];
    $('threads-count').textContent = number ? sign + numeral(number, least) : '';
    $('threads-count').classList.toggle('call', mentions > 0);
    $('threads-button').ariaLabel = withNews('Threads', { unread: threads, mentions, isLeast });
  }

  /** @override */
  refold() {
    super.refold();
    this.redraw();
  }

  /** Draws all rows again: people are called something else. */
  redraw() {
    this.#items.clear();
    this.refresh();
  }

  // The list

  #open() {
    $('threads-said').textContent = '';
    $('threads').showModal();
    this.#draw();
    ($('threads').querySelector(ROWS) ?? $('threads-close')).focus();
  }

  #draw() {
    const focused = /** @type {HTMLElement} */ (document.activeElement);
    const held = /** @type {HTMLElement} */ (focused?.closest('#threads li'));
    const beside = /** @type {HTMLElement} */ (held?.nextElementSibling ?? held?.previousElementSibling);
    const gone = new Set(this.#items.keys());
    for (const { id } of this.rows) gone.delete(id);
    for (const thread of gone) this.#items.delete(thread);
    for (const [list, sections] of Object.entries(LISTS)) arrange($(list), this.rows.filter(({ section }) => sections.includes(section)).map((row) => this.#itemOf(row)), held);
    this.#drawRest();
    if (!held || (document.activeElement === focused && isVisible(held))) return;
    const next = [held, beside].find((item) => item && isVisible(item));
    (next?.querySelector(ROWS) ?? $('threads-close')).focus();
  }

  #drawRest() {
    const done = this.countOf('archived');
    $('threads-done').hidden = !done;
    $('threads-done').querySelector('.number').textContent = done.toLocaleString();
    $('threads-none').hidden = this.isPartial || this.rows.length > 0;
    $('threads-missing').hidden = !this.isPartial;
  }

  /** Returns the element of a row, drawn again if its look has changed. */
  #itemOf(row) {
    const { isChanging, me, news } = this.#page;
    const { unread, mentions, marked } = news.of(row);
    const look = [row, unread, mentions, marked, isChanging(row.id)];
    const known = this.#items.get(row.id);
    if (known?.look.every((part, index) => part === look[index])) return known.item;
    const item = known?.item ?? element('li', { dataset: { thread: row.id } });
    drawFollowed(item, row, { news: { unread, mentions, marked }, isChanging: isChanging(row.id), me: me() });
    this.#items.set(row.id, { look, item });
    return item;
  }

  #scrolled({ scrollTop, scrollHeight, clientHeight }) {
    if (scrollHeight - scrollTop - clientHeight < NEAR_END) this.askForMore();
  }

  #clicked({ target }) {
    if (target === $('threads')) return $('threads').close(); // beside it
    const { thread } = target.closest('#threads li')?.dataset ?? {};
    const button = target.closest('button');
    if (button?.dataset.act === 'menu') this.#openMenu(thread, button, cornerOf(button));
    if (button?.dataset.act !== 'open') return;
    $('threads').close();
    this.#page.onOpen(thread);
  }

  /** Opens the menu of a row, for the other button of the mouse, a finger that rests, and the key. */
  #asked(event) {
    const item = event.target.closest('#threads li');
    if (!item) return;
    event.preventDefault();
    this.#openMenu(item.dataset.thread, item.firstChild, placeFor(event, item));
  }

  /** Up and down go from thread to thread; Home and End to the first and last; right to the row's menu, and left back. */
  #pressed(event) {
    const { key, shiftKey, target } = event;
    const item = target.closest('#threads li');
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    const [open, more] = item.querySelectorAll('button');
    const rows = [...$('threads').querySelectorAll(ROWS)].filter(isVisible);
    const at = rows.indexOf(open);
    const next = { ArrowUp: rows[at - 1], ArrowDown: rows[at + 1], Home: rows[0], End: rows.at(-1), ArrowRight: more, ArrowLeft: open }[key];
    if (shiftKey && key === 'F10') this.#openMenu(item.dataset.thread, open, cornerOf(open));
    else if (!next) return;
    event.preventDefault();
    next?.focus();
  }

  // The menu of a row

  #acts = {
    read: (thread) => this.#page.settings().markRead(thread),
    mark: (thread) => this.#page.settings().markUnread(thread),
    mute: (thread) => this.#page.settings().set(thread, { muted: true }),
    unmute: (thread) => this.#page.settings().set(thread, { muted: false }),
    archive: (thread) => this.#page.settings().set(thread, { archived: true }),
    unarchive: (thread) => this.#page.settings().set(thread, { archived: false }),
    leave: (thread) => this.#page.onLeave(thread),
  };

  #openMenu(thread, opener, point) {
    const row = this.get(thread);
    if (!row) return;
    const { unread, mentions, marked } = this.#page.news.of(row);
    const choices = [
      unread || mentions || marked ? ['read', 'Mark as read'] : ['mark', 'Mark as unread'],
      row.muted ? ['unmute', 'Unmute'] : ['mute', 'Mute'],
      row.section === 'archived' ? ['unarchive', 'Not done'] : ['archive', 'Done'],
      ['leave', 'Unfollow'],
    ];
    $('threads-said').textContent = '';
    this.#menu.open({ label: labelOf(row), choices, onChoose: (act) => this.#acts[act](thread), opener }, point);
  }
}

/** Returns whether an element is in the list, and not folded away. @param {any} node */
const isVisible = (node) => node.checkVisibility();
