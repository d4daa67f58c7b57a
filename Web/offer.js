/** The message field's offers for the beginning of a name: people after an `@`, and emoji after a `:`. */

import { begunMention } from './diffroom.js';
import { $, element } from './elements.js';
import { begunEmoji, emojisNamed, inTone } from './emojinames.js';
import { displayName, paintFace } from './faces.js';

const MOST = 8; // people who are offered

/** The two kinds: how a name begins, which rows fit what is typed, the option of a row, and the text that takes the name's place. */
const PEOPLE = { begun: begunMention, matching, option, textOf: (name) => `@${name}` };
const EMOJIS = {
  begun: begunEmoji,
  matching: (table, typed) => emojisNamed(table, typed).map((row) => ({ id: inTone(row), name: row[1] })),
  option: ({ id, name }, index) => element('li', { id: `emoji-offer-${index}`, role: 'option', dataset: { name: id } }, element('span', { className: 'emoji' }, id), element('span', {}, name)),
  textOf: (emoji) => emoji,
};

export class Offer {
  #text = $('text');
  #kind;
  #list;
  #rows;
  #found = []; // names, or emoji
  #selected = 0;
  #at; // the index of the sign
  #typed;
  #declined; // the index of a sign for which no names are offered any more

  /** @param rows returns the rows of those who can be mentioned, in the order in which they are offered; people who are not online have a note */
  static ofPeople(rows) {
    return new Offer(PEOPLE, $('offer'), rows);
  }

  /** @param load loads the table of the emoji */
  static ofEmojis(load) {
    let table;
    const offer = new Offer(EMOJIS, $('emoji-offer'), () => {
      if (!table) load().then((rows) => (table = rows) && offer.meet(), () => {});
      return table ?? [];
    });
    return offer;
  }

  constructor(kind, list, rows) {
    this.#kind = kind;
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
    this.#show([]);
  }

  /** Handles a key of the field while names are offered. Returns whether it did. */
  press({ key, shiftKey, altKey, ctrlKey, metaKey }) {
    if (!this.#found.length || shiftKey || altKey || ctrlKey || metaKey) return false;
    const by = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (by) this.#mark((this.#selected + by + this.#found.length) % this.#found.length);
    else if (key === 'Enter' || key === 'Tab') this.#take(this.#found[this.#selected]);
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
    if (this.#at !== undefined && !this.#found.length) this.#offer();
  }

  #offer() {
    const isWanted = this.#at !== undefined && this.#declined === undefined && document.activeElement === this.#text;
    this.#show(isWanted ? this.#kind.matching(this.#rows(), this.#typed) : []);
  }

  #show(rows) {
    const text = this.#text;
    if (!rows.length && this.#list.hidden) return;
    this.#found = rows.map(({ id }) => id);
    this.#list.replaceChildren(...rows.map(this.#kind.option));
    this.#list.hidden = !rows.length;
    if (rows.length) {
      text.setAttribute('aria-controls', this.#list.id);
      text.role = 'combobox';
      text.ariaExpanded = 'true';
      return this.#mark(0);
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

/** Returns the people with a part of a name that begins with the typed text; first those whose whole name does. */
function matching(people, typed) {
  const wanted = typed.normalize().toLowerCase();
  const parts = (name) => [name, ...name.split(/(?<=[^\p{L}\p{M}\p{Nd}])/u).slice(1)];
  const place = (name) => parts(name).findIndex((part) => part.toLowerCase().startsWith(wanted));
  const rank = ({ id }) => Math.min(...[id, displayName(id) ?? id].map(place).filter((at) => at >= 0));
  const [first, others] = [(at) => at === 0, (at) => at > 0 && at < Infinity].map((isOne) => people.filter((person) => isOne(rank(person))));
  return [...first, ...others].slice(0, MOST);
}

function option({ id, section }, index) {
  const avatar = element('span', { className: 'avatar small', ariaHidden: 'true' });
  paintFace(avatar, id);
  const notes = [displayName(id), section === 'online' ? undefined : section].filter(Boolean).map((note) => element('small', {}, note));
  return element('li', { id: `offer-${index}`, role: 'option', dataset: { name: id } }, avatar, element('bdi', {}, id), ...notes);
}
