/** The button with the number of what is due, and the list of scheduled messages and reminders behind it. */

import { onDayBegin, serverNow } from './clock.js';
import { $, arrange, element, numeral, tellerIn } from './elements.js';
import { drawLater, dueTime } from './laterrow.js';
import { withoutMarks } from './markdown.js';
import { cornerOf } from './popupmenu.js';
import { ask } from './question.js';
import { TimeMenu, askWhen } from './timemenu.js';

const SECTIONS = ['due', 'waiting'];

const itemsIn = () => /** @type {HTMLElement[]} */ ([...$('later').querySelectorAll('li')]);

export class LaterPanel {
  #page;
  #later;
  #times = new TimeMenu($('later-menu'));
  #items = new Map(); // id → the element of the row
  #teller;

  /**
   * @param page `later`, the list; the `reminded` messages; `about(room)`, as much as is known of it; `me()`; `readable(text)`; the `composer`, which shows a
   * refusal when the list is closed; `onOpen(room)`, and `onOpenMessage(room, id)`
   */
  constructor(page) {
    this.#page = page;
    this.#later = page.later;
    this.#teller = tellerIn('later-said', page.composer);
    $('later-button').addEventListener('click', () => this.open());
    $('later-close').addEventListener('click', () => $('later').close());
    $('later').addEventListener('click', (event) => this.#clicked(event));
    $('later-all').addEventListener('keydown', (event) => this.#pressed(event));
    page.reminded.onChange = () => this.refresh();
    this.#later.onChange(() => this.refresh());
    onDayBegin(() => this.refresh()); // the days of the rows
  }

  /** Shows a refusal. */
  hint(text) {
    this.#teller.hint(this.#page.readable(text));
  }

  /** Updates the number and the open list. */
  refresh() {
    const { isOffered, rows } = this.#later;
    const due = rows.filter(({ section, isGoing }) => section === 'due' && !isGoing).length;
    $('later-button').hidden = !isOffered;
    $('later-count').textContent = due ? numeral(due) : '';
    $('later-button').ariaLabel = due ? `Later, ${due} due` : 'Later';
    if ($('later').open) this.#draw(rows);
  }

  open() {
    const { rows } = this.#later;
    this.#teller.note();
    $('later').showModal();
    this.#page.reminded.renew(rows);
    this.#draw(rows);
    ($('later').querySelector('.open') ?? $('later-close')).focus();
  }

  #draw(rows) {
    const focused = /** @type {HTMLElement} */ (document.activeElement);
    const held = /** @type {HTMLElement} */ (focused?.closest('#later li'));
    const at = itemsIn().indexOf(held);
    this.#items = new Map(rows.map((row) => [row.id, this.#itemOf(row)]));
    for (const section of SECTIONS) {
      const of = rows.filter((row) => row.section === section);
      $(`later-${section}`).hidden = !of.length;
      arrange($(`later-${section}-list`), of.map(({ id }) => this.#items.get(id)), held);
    }
    $('later-none').hidden = rows.length > 0;
    this.#page.reminded.load(rows);
    if (!held || document.activeElement === focused) return;
    const next = held.isConnected ? held : itemsIn()[Math.min(at, rows.length - 1)];
    /** @type {HTMLElement} */ (next?.querySelector(`[data-act=${focused.dataset.act}]`) ?? next?.firstElementChild ?? $('later-close')).focus();
  }

  #itemOf(row) {
    const { about, me, readable, reminded } = this.#page;
    const item = this.#items.get(row.id) ?? element('li', { dataset: { id: row.id } });
    drawLater(item, row, { about: about(row.room), me: me(), message: reminded.get(row), readable });
    return item;
  }

  #clicked({ target }) {
    if (target === $('later')) return $('later').close(); // beside it
    const button = target.closest('button');
    const row = this.#later.get(button?.closest('li')?.dataset.id);
    if (row) this.#acts[button.dataset.act](row, button);
  }

  #acts = {
    open: (row) => this.#open(row),
    cancel: (row) => this.#cancel(row),
    now: (row) => this.#move(row, serverNow()),
    snooze: (row, opener) => this.#times.open('remind', { opener, onChoose: (at) => this.#move(row, at) }, cornerOf(opener)),
    time: (row) => this.#change(row),
    edit: (row) => this.#change(row),
  };

  #open({ room, message }) {
    $('later').close();
    if (message === undefined) this.#page.onOpen(room);
    else this.#page.onOpenMessage(room, message);
  }

  /** Cancels a row: a message, which is lost then, after a question. */
  async #cancel(row) {
    const question = { title: 'Cancel this message?', text: withoutMarks((row.text ?? '').slice(0, 300)), no: 'Keep it', yes: 'Cancel the message' };
    if (row.message === undefined && !(await ask(question))) return;
    if (await this.#later.cancel(row)) this.#teller.note(row.message === undefined ? 'The message is cancelled.' : 'The reminder is gone.');
  }

  async #move(row, at) {
    const isNow = at <= serverNow();
    if (await this.#later.move(row, at)) this.#teller.note(isNow ? 'The message is being sent.' : `Moved: ${dueTime(at)}.`);
  }

  /** Changes the time, and the text of a message. */
  async #change(row) {
    const at = Math.max(row.at, serverNow() + 60_000);
    const chosen = await askWhen({ title: row.text === undefined ? 'When?' : 'Message to be sent', yes: 'Save', text: row.text, at });
    if (!chosen) return;
    const isDone = row.text === undefined ? this.#later.move(row, chosen.at) : this.#later.edit(row, chosen.text, chosen.at);
    if (await isDone) this.#teller.note(`Changed: ${dueTime(chosen.at)}.`);
  }

  /** Up and down go from row to row, Home and End to the first and last; left and right between the buttons of a row. */
  #pressed(event) {
    const { key, target } = event;
    const item = target.closest('#later li');
    if (!item || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const [items, buttons] = [itemsIn(), [...item.querySelectorAll('button')]];
    const [at, from] = [items.indexOf(item), buttons.indexOf(target)];
    const row = { ArrowUp: items[at - 1], ArrowDown: items[at + 1], Home: items[0], End: items.at(-1) }[key];
    const beside = { ArrowLeft: buttons[from - 1], ArrowRight: buttons[from + 1] }[key];
    const next = beside ?? row?.querySelector(`[data-act=${target.dataset.act}]`) ?? row?.firstElementChild;
    if (!next) return;
    event.preventDefault();
    next.focus();
  }
}
