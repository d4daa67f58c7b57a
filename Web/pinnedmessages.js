/** The pinned messages of the room that is shown: the button with their number, the panel that lists them, and pinning. */

import { FOLDED, isFolded } from './blocks.js';
import { $, arrange, element, moment, tellerIn, when } from './elements.js';
import { named, paintFace } from './faces.js';
import { kindOf } from './labels.js';
import { PinDragging } from './pindragging.js';
import { placeFor, withWaiting } from './pinorder.js';
import { PopupMenu, cornerOf } from './popupmenu.js';

const LATE = 2_000; // ms by which the list may be later than the answer to a command
const MOST_TEXT = 400; // characters of a message that are shown

export class PinnedMessages {
  #page;
  #done = []; // {room, action, message, …}: what was answered, and the list may not show yet
  #items = new Map(); // id → {shown, id, item}: the elements of the panel
  #dragging;
  #menu = new PopupMenu($('pin-menu'));
  #panel; // shows progress

  /**
   * @param page `here()`, the conversation that is shown; the `commands` that wait; the `composer`, which knows the user's
   * rights; the `moderator`; and `onOpen(id)`, which goes to a message
   */
  constructor(page) {
    this.#page = page;
    this.#panel = tellerIn('pins-said', page.composer);
    $('pins-button').addEventListener('click', () => this.#open());
    $('pins-close').addEventListener('click', () => $('pins').close());
    $('pins').addEventListener('close', () => this.#dragging.cancel());
    $('pins').addEventListener('click', (event) => this.#clicked(event));
    $('pins-list').addEventListener('keydown', (event) => this.#pressed(event));
    this.#dragging = new PinDragging($('pins-list'), { onMove: (item, place) => this.#move(item.dataset.id, place), onTap: (item) => this.#offerPlaces(item) });
  }

  // The pinned messages

  get #room() {
    return this.#page.here()?.name;
  }

  get #list() {
    return this.#page.here()?.pins;
  }

  /** The rows in the order that they get when the commands are done that wait. */
  get #rows() {
    const rows = this.#list?.snapshot().sections[0]?.rows ?? [];
    const waiting = [...this.#done.filter(({ room }) => room === this.#room), ...this.#page.commands.pinsOf(this.#room)];
    return withWaiting(rows, waiting, (id) => this.#page.here().list?.get(id));
  }

  isPinned(id) {
    return this.#rows.some((row) => row.id === id);
  }

  /** Whether the user may pin messages here. An older server has no list of them. */
  get mayPin() {
    const { composer } = this.#page;
    const isOwn = kindOf(this.#room) === 'direct' && composer.mayWrite;
    return this.#list?.snapshot().revision !== undefined && (composer.moderates || isOwn);
  }

  /** The list has changed: what was done before shows in it. */
  take() {
    this.#done = this.#done.filter(({ room }) => room !== this.#room);
    this.show();
  }

  /** Shows what is pinned, and what the user can do with it. */
  show() {
    const rows = this.#rows;
    $('pins-button').hidden = !rows.length;
    $('pins-button').ariaLabel = `Pinned messages: ${rows.length}`;
    $('pins-count').textContent = rows.length;
    if ($('pins').open && !this.#dragging.isUnderWay) this.#draw(rows);
  }

  // The panel

  #open() {
    this.#panel.note();
    $('pins').showModal();
    this.#draw(this.#rows);
    $('pins-list').querySelector('.open')?.focus();
  }

  #draw(rows) {
    const focused = /** @type {HTMLElement} */ (document.activeElement);
    const held = /** @type {HTMLElement} */ (focused?.closest('#pins-list li'));
    const at = itemsIn().indexOf(held);
    const items = this.#itemsOf(rows);
    arrange($('pins-list'), items, held);
    $('pins').toggleAttribute('data-moderated', this.mayPin);
    $('pins-keys').hidden = !this.mayPin || rows.length < 2;
    $('pins-none').hidden = rows.length > 0;
    if (!held || document.activeElement === focused) return;
    const item = items.find(({ dataset }) => dataset.id === held.dataset.id) ?? items[Math.min(at, rows.length - 1)];
    (item?.querySelector(`[data-act=${focused.dataset.act}]`) ?? $('pins-close')).focus();
  }

  /** Returns the elements of the rows: those that are there, unless what they show has changed. */
  #itemsOf(rows) {
    const { mayPin } = this;
    const waiting = new Set(this.#page.commands.pinsOf(this.#room).map(({ message }) => message));
    const items = rows.map((row) => {
      const shown = [row.text, row.edited, mayPin, isFolded(row)].join();
      const known = this.#items.get(row.id);
      return known?.shown === shown ? known : { shown, id: row.id, item: itemOf(row, mayPin) };
    });
    this.#items = new Map(items.map((made) => [made.id, made]));
    for (const { id, item } of items) item.toggleAttribute('data-changing', waiting.has(id));
    return items.map(({ item }) => item);
  }

  #clicked({ target, detail }) {
    if (target === $('pins')) return $('pins').close(); // beside it
    const { act } = target.closest('button')?.dataset ?? {};
    const item = target.closest('#pins-list li');
    const { id } = item?.dataset ?? {};
    if (act === 'move' && !detail) return this.#offerPlaces(item); // a key; a pointer taps, or drags
    if (act === 'unpin') this.unpin(id, this.#panel);
    if (act !== 'open') return;
    $('pins').close();
    this.#page.onOpen(id);
  }

  /** Opens the menu of a message's handle, for those who cannot drag. */
  #offerPlaces(item) {
    const { id } = item.dataset;
    const items = itemsIn();
    const [at, last] = [items.indexOf(item), items.length - 1];
    const ways = { first: ['Move to the top', 0], up: ['Move up', at - 1], down: ['Move down', at + 1], last: ['Move to the end', last] };
    const choices = Object.entries(ways).filter(([, [, to]]) => to >= 0 && to <= last && to !== at).map(([act, [label]]) => [act, label]);
    const opener = item.querySelector('.grip');
    const onChoose = (act) => this.#move(id, ways[act][1]);
    if (choices.length) this.#menu.open({ label: 'Place of the message', choices, onChoose, opener }, cornerOf(opener));
  }

  /** Up and down go from message to message; with Alt they move it. */
  #pressed(event) {
    const { key, target, altKey, ctrlKey, metaKey } = event;
    const items = itemsIn();
    const at = items.indexOf(target.closest('li'));
    const ways = { ArrowUp: at - 1, ArrowDown: at + 1, ...(altKey ? {} : { Home: 0, End: items.length - 1 }) };
    if (at < 0 || !(key in ways) || ctrlKey || metaKey) return;
    event.preventDefault();
    const next = /** @type {HTMLElement} */ (items[ways[key]]?.querySelector(`[data-act=${target.dataset.act}]`));
    if (!altKey) return next?.focus();
    this.#move(items[at].dataset.id, ways[key]);
    items[at].scrollIntoView({ block: 'nearest' });
  }

  // Commands

  pin(id, teller = this.#page.composer) {
    return this.#send('pin', { message: id }, teller, 'The message is pinned.');
  }

  unpin(id, teller = this.#page.composer) {
    return this.#send('unpin', { message: id }, teller, 'The message is not pinned any more.');
  }

  /** Moves a message to a place among the others; sends nothing if it is there. */
  #move(id, index) {
    const rows = this.#rows;
    const place = this.mayPin && placeFor(rows, id, index);
    if (place) this.#send('pin', { message: id, ...place }, this.#panel, `Moved to place ${Math.min(index, rows.length - 1) + 1} of ${rows.length}.`);
  }

  /** Sends a command. Its effect shows at once, and goes if the server refuses it. */
  async #send(action, fields, teller, done) {
    const room = this.#room;
    const isDone = await this.#page.moderator.moderate(room, action, fields, { teller, done });
    if (!isDone) return this.show();
    const effect = { room, action, ...fields };
    this.#done.push(effect);
    setTimeout(() => this.#forget(effect), LATE);
    return this.show();
  }

  #forget(effect) {
    if (!this.#done.includes(effect)) return;
    this.#done = this.#done.filter((other) => other !== effect);
    this.show();
  }
}

const itemsIn = () => /** @type {HTMLElement[]} */ ([...$('pins-list').children]);

function itemOf({ id, author, time, text, edited }, mayPin) {
  const avatar = element('span', { className: 'avatar small', ariaHidden: 'true' });
  paintFace(avatar, author);
  const shown = element('time', { title: moment.format(time) }, when(time), edited ? ' · edited' : '');
  const head = element('span', { className: 'head' }, named(author), shown);
  const said = element('span', { className: 'said', dir: 'auto' }, (isFolded({ id, author }) ? FOLDED : text).slice(0, MOST_TEXT));
  const open = element('button', { type: 'button', className: 'open', dataset: { act: 'open' } }, avatar, element('span', { className: 'body' }, head, said));
  const item = element('li', { dataset: { id } }, open);
  if (!mayPin) return item;
  open.setAttribute('aria-describedby', 'pins-keys');
  const handle = { type: 'button', className: 'grip', title: 'Drag to move', ariaHasPopup: 'menu', ariaLabel: `Move the message of ${author}`, dataset: { act: 'move' } };
  item.prepend(element('button', handle, $('grip').content.cloneNode(true)));
  item.append(element('button', { type: 'button', className: 'unpin', dataset: { act: 'unpin' }, title: 'Unpin', ariaLabel: `Unpin the message of ${author}` }, $('unpin').content.cloneNode(true)));
  return item;
}
