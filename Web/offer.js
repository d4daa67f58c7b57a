/** The message field's offers for the beginning of a name: people after an `@`, and emoji after a `:`. */

import { begunMention } from './diffroom.js';
import { element } from './elements.js';
import { begunEmoji, emojisNamed, inTone } from './emojinames.js';
import { displayName, matching, paintFace } from './faces.js';

const MOST = 8; // people who are offered

/** The two kinds: how a name begins, which rows fit what is typed, the option of a row, and the text that takes the name's place. */
const PEOPLE = { begun: begunMention, matching: (rows, typed) => matching(rows, typed, MOST), option, textOf: (name) => `@${name}` };
const EMOJIS = {
  begun: begunEmoji,
  matching: (table, typed) => emojisNamed(table, typed).map((row) => ({ id: inTone(row), name: row[1] })),
  option: ({ id, name }) => element('li', { role: 'option', dataset: { name: id } }, element('span', { className: 'emoji' }, id), element('span', {}, name)),
  textOf: (emoji) => emoji,
};

export class Offer {
  #text;
  #kind;
  #list;
  #rows;
  #find; // finds others than the rows, if there may be some
  #found = []; // the rows that are offered
  #selected = 0;
  #at; // the index of the sign
  #typed;
  #declined; // the index of a sign for which no names are offered any more

  /**
   * @param part finds the field and the list
   * @param rows returns the rows of those who can be mentioned, in the order in which they are offered; people who are not online have a note
   * @param find calls a function with the rows of others, later; without arguments it ends that
   */
  static ofPeople(part, rows, find) {
    const offer = new Offer(PEOPLE, [part('text'), part('offer')], rows);
    offer.#find = find;
    return offer;
  }

  /** @param part finds the field and the list; `load` loads the table of the emoji */
  static ofEmojis(part, load) {
    let table;
    const offer = new Offer(EMOJIS, [part('text'), part('emoji-offer')], () => {
      if (!table) load().then((rows) => (table = rows) && offer.meet(), () => {});
      return table ?? [];
    });
    return offer;
  }

  constructor(kind, [text, list], rows) {
    this.#kind = kind;
    this.#text = text;
    this.#list = list;
    this.#rows = rows;
    this.#text.addEventListener('input', () => this.#look());
    document.addEventListener('selectionchange', () => this.#look());
    this.#text.addEventListener('blur', () => this.#show([]));
    this.#list.addEventListener('pointerdown', (event) => event.preventDefault()); // the field keeps the focus
    this.#list.addEventListener('click', ({ target }) => target.closest('li') && this.#take(target.closest('li').dataset.name));
  }

  /** Ends with the text: another one begins. */
  end() {
    this.#at = this.#declined = undefined;
    this.#find?.();
    this.#show([]);
  }

  /** Handles a key of the field while names are offered. Returns whether it did. */
  press({ key, shiftKey, altKey, ctrlKey, metaKey }) {
    if (!this.#found.length || shiftKey || altKey || ctrlKey || metaKey) return false;
    const by = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (by) this.#mark((this.#selected + by + this.#found.length) % this.#found.length);
    else if (key === 'Enter' || key === 'Tab') this.#take(this.#found[this.#selected].id);
    else if (key === 'Escape') this.#decline();
    else return false;
    return true;
  }

  /** Looks whether a name is being typed before the caret. */
  #look() {
    const { value, selectionStart, selectionEnd } = this.#text;
    const isTyping = document.activeElement === this.#text && selectionStart === selectionEnd;
    const begun = isTyping ? this.#kind.begun(value.slice(0, selectionStart)) : null;
    if (begun?.at === this.#at && begun?.typed === this.#typed) return;
    this.#at = begun?.at;
    this.#typed = begun?.typed;
    if (this.#at !== this.#declined) this.#declined = undefined;
    this.#offer();
  }

  /** Offers those who have come, unless others are offered. */
  meet() {
    if (this.#at !== undefined && !this.#found.length) this.#showMatching();
  }

  get #isWanted() {
    return this.#at !== undefined && this.#declined === undefined && document.activeElement === this.#text;
  }

  #offer() {
    this.#showMatching();
    if (this.#isWanted && this.#found.length < MOST) this.#find?.(this.#typed, MOST, (rows) => this.#append(rows));
    else this.#find?.();
  }

  #showMatching() {
    this.#show(this.#isWanted ? this.#kind.matching(this.#rows(), this.#typed) : []);
  }

  /** Offers others behind those who are offered. */
  #append(rows) {
    const others = rows.filter(({ id }) => !this.#found.some((row) => row.id === id));
    if (this.#isWanted && others.length) this.#show([...this.#found, ...others].slice(0, MOST), this.#selected);
  }

  /** Shows what the people who are offered are called now. */
  renew() {
    if (this.#found.length) this.#show(this.#found, this.#selected);
  }

  #show(rows, selected = 0) {
    const text = this.#text;
    if (!rows.length && this.#list.hidden) return;
    this.#found = rows;
    this.#list.replaceChildren(...rows.map((row, index) => Object.assign(this.#kind.option(row), { id: `${this.#list.id}-${index}` })));
    this.#list.hidden = !rows.length;
    if (rows.length) {
      text.setAttribute('aria-controls', this.#list.id);
      text.role = 'combobox';
      text.ariaExpanded = 'true';
      return this.#mark(selected);
    }
    for (const name of ['role', 'aria-expanded', 'aria-activedescendant']) text.removeAttribute(name);
  }

  #mark(index) {
    this.#selected = index;
    for (const [at, node] of [...this.#list.children].entries()) node.ariaSelected = String(at === index);
    const node = this.#list.children[index];
    node.scrollIntoView({ block: 'nearest' });
    this.#text.setAttribute('aria-activedescendant', node.id);
  }

  #decline() {
    this.#declined = this.#at;
    this.#show([]);
  }

  /** Puts a name where it was begun to be typed. */
  #take(name) {
    const text = this.#text;
    const end = text.selectionStart;
    const space = text.value[end] === ' ' ? '' : ' ';
    text.setRangeText(`${this.#kind.textOf(name)}${space}`, this.#at, end, 'end');
    if (!space) text.selectionStart = text.selectionEnd += 1;
    this.#decline();
    text.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

function option({ id, section }) {
  const avatar = element('span', { className: 'avatar small', ariaHidden: 'true' });
  paintFace(avatar, id);
  const notes = [displayName(id), section === 'online' ? undefined : section].filter(Boolean).map((note) => element('small', {}, note));
  return element('li', { role: 'option', dataset: { name: id } }, avatar, element('bdi', {}, id), ...notes);
}
