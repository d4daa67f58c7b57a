/** The user's rooms beside the conversation: invitations, pinned rooms in the user's order, the others, and archived ones. */

import { onDayBegin } from './clock.js';
import { $, badges, element, onSightChange } from './elements.js';
import { kindOf, labelOf } from './labels.js';
import { Panel } from './panel.js';
import { cornerOf, placeFor } from './popupmenu.js';
import { drawRoom, isNews, linkTo, shortTime } from './roomrow.js';
import { RoomList } from './roomlist.js';
import { RoomRows } from './roomrows.js';

const BESIDE = 1_000; // px of the window's width
const NEAR_END = 600; // px
const LISTS = { invited: 'invited-list', pinned: 'pinned-list', rooms: 'sidebar-list', archived: 'archived-list' };

export class Sidebar extends RoomList {
  #page;
  #panel;
  #items; // the elements of the rows
  #drawn = new Map(); // room → what its element shows
  #stop; // the room whose link Tab leads to
  #isScrolling = false; // whether the next frame finds out if the list is at its end
  #rowOf = new Map(); // room → row

  /**
   * @param page `isChanging(room)`, whether something that the user sets for it has no answer yet, `me()` the user's name, `shown()` the room on the screen; `about(room)`, as
   * much as is known of a room; the `news`, and `mentionsIn(room)`, the unread mentions in its threads; `isTyping(row)`, whether others write there who are not blocked; `draftOf(room)`, the text of its draft; `onOpen(room)`; `onJoin(room)` and
   * `onLeave(room)`, which accept and decline an invitation, too; `onMenu(room, link, point)` and `onMove(room, by)`;
   * `onTotal({unread, mentions, invited, isLeast})`, the unread messages of the other rooms, the mentions in all, the invitations,
   * and of which of them there may be more; and `kept`
   */
  constructor(page) {
    super();
    this.#page = page;
    this.#panel = new Panel('sidebar', BESIDE, page.kept);
    this.#panel.show(true);
    const lists = Object.fromEntries(Object.entries(LISTS).map(([section, id]) => [section, $(id)]));
    this.#items = new RoomRows({ scroller: $('sidebar'), lists, make: (room) => this.#make(room), isNeeded: (room) => room === this.#stop, onDrop: (room) => this.#drawn.delete(room) });
    $('sidebar').addEventListener('click', (event) => this.#clicked(event));
    $('sidebar').addEventListener('keydown', (event) => this.#pressed(event));
    $('sidebar').addEventListener('contextmenu', (event) => this.#asked(event));
    $('sidebar').addEventListener('scroll', () => this.#scrolled());
    $('join').addEventListener('click', () => page.onJoin(page.shown()));
    onSightChange(() => this.refresh());
    onDayBegin(() => this.refresh()); // the times of yesterday's messages are days now
  }

  // The list

  /** The rows with something unread, and those that are marked so. */
  get unread() {
    return this.rows.filter((row) => Object.values(this.#page.news.of(row)).some(Boolean));
  }

  /** @override */
  take(said) {
    const isFirst = !this.hasList;
    const keepFocus = this.#focusKeeper();
    super.take(said);
    for (const id of said.changes.deleted) this.#leave(id);
    this.#arrange();
    if (isFirst) this.#unfold();
    this.#drawRest();
    keepFocus();
  }

  #arrange() {
    this.#rowOf = new Map(this.rows.map((row) => [row.id, row]));
    for (const section of Object.keys(LISTS)) this.#items.apply(section, this.in(section).map(({ id }) => id));
    this.#items.draw();
    this.#paintAll();
  }

  /** @override */
  refold() {
    const before = this.rows;
    super.refold();
    const left = new Set(this.rows.map(({ id }) => id));
    for (const { id } of before) if (!left.has(id)) this.#leave(id);
    this.#drawn.clear();
    this.#arrange();
    this.#drawRest();
  }

  #scrolled() {
    if (this.#isScrolling) return;
    this.#isScrolling = true;
    requestAnimationFrame(() => {
      this.#isScrolling = false;
      const { scrollHeight, scrollTop, clientHeight } = $('sidebar');
      if (scrollHeight - scrollTop - clientHeight < NEAR_END) this.askForMore();
    });
  }

  /** Returns what gives a row the focus again if it has moved; or a neighbour, if it was folded away. */
  #focusKeeper() {
    const item = document.activeElement.closest('#sidebar li');
    const neighbour = item?.nextSibling ?? item?.previousSibling;
    return () => {
      if (!item?.isConnected || item.contains(document.activeElement)) return;
      /** @type {HTMLElement} */ (item.firstElementChild).focus({ preventScroll: true });
      if (!item.contains(document.activeElement)) (neighbour?.firstChild ?? $('find')).focus();
    };
  }

  /** @override */
  miss() {
    super.miss();
    this.#drawRest();
  }

  /** Goes to the room on the screen, which is another one now. */
  enter() {
    this.#unfold();
    this.refresh();
  }

  /** Unfolds the archived rooms if the one on the screen is among them. */
  #unfold() {
    if (this.get(this.#page.shown())?.section === 'archived') $('archived').open = true;
  }

  /** Draws the rows that have changed: another room is on the screen, or the page is looked at again. */
  refresh() {
    this.#paintAll();
    this.#drawRest();
  }

  /** Draws all rows again: people are called something else. */
  redraw() {
    this.#drawn.clear();
    this.refresh();
  }

  #paintAll() {
    for (const room of this.#items.drawn) this.#paint(this.#rowOf.get(room), this.#items.get(room));
  }

  #make(room) {
    const row = this.#rowOf.get(room);
    const item = element('li', {}, linkTo(row));
    item.firstChild.tabIndex = room === this.#stop ? 0 : -1;
    this.#paint(row, item);
    return item;
  }

  /** Gives the focus to the row beside one that goes. */
  #leave(room) {
    const item = this.#items.get(room);
    if (item?.contains(document.activeElement)) ((item.nextSibling ?? item.previousSibling)?.firstChild ?? $('find')).focus();
  }

  /** Returns the news of a row, and the mentions in the threads of the room that the user follows. */
  #badgesOf(row) {
    const { mentions, ...others } = this.#page.news.of(row);
    return { ...others, mentions: mentions + this.#page.mentionsIn(row.id) };
  }

  /** Draws a row, unless its element shows all of it. */
  #paint(row, item) {
    const { unread, mentions, marked } = this.#badgesOf(row);
    const [isShown, isChanging] = [row.id === this.#page.shown(), this.#page.isChanging(row.id)];
    const draft = isShown ? '' : this.#page.draftOf(row.id);
    const isTyping = Boolean(row.typing) && this.#page.isTyping(row);
    const look = [row, isTyping, unread, mentions, marked, draft, isShown, row.last?.time !== undefined && shortTime(row.last.time), isChanging];
    if (this.#drawn.get(row.id)?.every((part, index) => part === look[index])) return;
    this.#drawn.set(row.id, look);
    drawRoom(item.firstChild, row, { news: { unread, mentions, marked }, draft, isShown, isTyping, isChanging, me: this.#page.me() });
  }

  /** Draws what depends on all rows: the room on the screen if it has no row, the totals, and where Tab leads to. */
  #drawRest() {
    const room = this.#page.shown();
    this.#drawGuest(room);
    $('sidebar-empty').hidden = !this.hasList || this.rows.length > 0 || this.isPartial;
    $('sidebar-missing').hidden = !this.isPartial;
    const stop = this.get(room) ?? this.rows[0];
    this.#leadTab(stop?.id);
    const [invited, pinned, archived] = ['invited', 'pinned', 'archived'].map((section) => this.in(section));
    $('invited').hidden = !invited.length;
    $('invited').querySelector('.number').textContent = invited.length;
    $('pinned').toggleAttribute('data-empty', !pinned.length);
    $('rooms-title').hidden = !pinned.length || !this.in('rooms').length;
    const isRead = !this.unread.length;
    if (isRead && document.activeElement === $('read-all')) $('find').focus();
    $('read-all').hidden = isRead;
    this.#drawArchived(archived);
    const isLeast = { unread: this.lacks('rooms'), mentions: this.isCut };
    const others = this.#page.news.sum(this.rows, this.#page.shown());
    this.#page.onTotal({ ...others, invited: invited.length, isLeast });
  }

  /** Makes a room's link the one that Tab leads to. */
  #leadTab(room) {
    if (this.#stop === room) return;
    const before = this.#items.get(this.#stop)?.firstChild;
    if (before) before.tabIndex = -1;
    this.#stop = room;
    const now = (room && this.#items.reveal(room))?.firstChild;
    if (now) now.tabIndex = 0;
  }

  #drawGuest(room) {
    const isUnknown = this.isUnknown(room) && Boolean(room);
    const isGuest = isUnknown || (!this.get(room) && kindOf(room) === 'open');
    $('guest').hidden = !isGuest;
    $('join').hidden = !this.hasList || isUnknown;
    const guest = this.#page.about(room);
    const label = labelOf(guest);
    if (!isGuest || $('guest').dataset.label === label) return;
    $('guest').dataset.label = label;
    $('guest-link').replaceChildren(linkTo(guest));
    $('guest-link').firstChild.ariaCurrent = 'page';
  }

  /** Shows on the folded list how many there are, and who mentions the user there. */
  #drawArchived(rows) {
    const head = $('archived').querySelector('summary');
    $('archived').hidden = !rows.length;
    head.querySelector('.number').textContent = this.countOf('archived').toLocaleString();
    head.querySelector('.badges')?.remove();
    const mentions = rows.reduce((sum, row) => sum + this.#badgesOf(row).mentions, 0);
    head.append(...badges({ mentions, isLeast: { mentions: this.lacks('archived') } }));
  }

  // Going from room to room

  #clicked(event) {
    const button = event.target.closest('li button');
    const { answer } = button?.dataset ?? {};
    if (answer) return this.#page[answer](roomOf(button));
    if (button) return this.#page.onMenu(roomOf(button), button, cornerOf(button));
    const { room } = event.target.closest('a')?.dataset ?? {};
    if (!room || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return; // the browser's own: another tab
    event.preventDefault();
    this.#page.onOpen(room);
  }

  /** Opens the menu of a row, for the other button of the mouse and for the key. */
  #asked(event) {
    const link = event.target.closest('li > a');
    if (!link || event.defaultPrevented) return;
    event.preventDefault();
    this.#page.onMenu(link.dataset.room, link, placeFor(event, link));
  }

  /**
   * Up and down go from room to room; Home and End to the first and last; right to the row's menu, and left back. Alt+Shift
   * with up or down moves a pinned room, or pins one.
   */
  #pressed(event) {
    const { key, altKey, shiftKey, target } = event;
    const link = target.closest('li')?.firstChild;
    const by = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (!link || event.ctrlKey || event.metaKey) return;
    if (altKey && shiftKey && by && this.isMember(link.dataset.room)) this.#page.onMove(link.dataset.room, by);
    else if (altKey) return;
    else if (shiftKey && key === 'F10') this.#page.onMenu(link.dataset.room, link, cornerOf(link));
    else if (!this.#walk(key, link)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  #walk(key, link) {
    const rows = this.#unfolded;
    const at = rows.findIndex(({ id }) => id === link.dataset.room);
    const more = link.parentNode.querySelector('.more');
    const row = { ArrowUp: rows[at - 1], ArrowDown: rows[at + 1], Home: rows[0], End: rows.at(-1) }[key];
    const next = row ? this.#items.reveal(row.id)?.firstChild : { ArrowRight: more, ArrowLeft: more && link }[key];
    next?.focus();
    return next;
  }

  /** The rows that are not folded away. */
  get #unfolded() {
    return this.rows.filter(({ section }) => section !== 'archived' || $('archived').open);
  }

  /** Returns the room above or below the one on the screen; with `isNew` the nearest with something unread. */
  beside(by, isNew) {
    const rows = isNew ? this.rows : this.#unfolded;
    const at = rows.findIndex(({ id }) => id === this.#page.shown());
    const way = by < 0 ? rows.slice(0, Math.max(at, 0)).reverse() : rows.slice(at + 1);
    const next = way.find((row) => !isNew || isNews(row, this.#page.news.of(row)));
    if (!next && by > 0) this.askForMore();
    return next?.id;
  }

  /** Closes the drawer, if it is one. Returns whether it was. */
  withdraw() {
    return this.#panel.withdraw();
  }

  /** The same, because another room is to be seen. */
  giveWay() {
    return this.#panel.giveWay();
  }
}

const roomOf = (node) => node.closest('li').firstChild.dataset.room;
