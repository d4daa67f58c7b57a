/** New rooms: private ones, direct ones with some people, and open ones, which have a name of their maker's choice. */

import { $, element, offerNames } from './elements.js';
import { labelOf } from './labels.js';
import { doubtful, namesIn } from './names.js';

export class NewRoom {
  #page;
  #people = new Map(); // name → element
  #opened = 0; // the number of times that the form was opened

  /**
   * @param page `chat()`; `me()`; `names()`, the people whom the page knows, and `isKnown(name)`; the `composer`; `mayReach(people)`, which asks to unblock those of them who are blocked; `onOpen(room)`;
   * and `onMade(room, people)`, whom it was made for
   */
  constructor(page) {
    this.#page = page;
    $('new-room').addEventListener('click', () => this.#open());
    $('new-close').addEventListener('click', () => $('new-dialog').close());
    $('new-form').addEventListener('change', () => this.#show());
    $('new-name').addEventListener('input', () => this.#showUntitled());
    $('new-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    $('new-person').addEventListener('keydown', (event) => this.#pressed(event));
    $('new-people').addEventListener('click', ({ target }) => target.closest('button') && this.#drop(target.closest('li').dataset.name));
  }

  /** Goes to the room of the user and one other. */
  async message(person) {
    const { chat, composer, mayReach, onMade, onOpen } = this.#page;
    if (chat().state !== 'online') return composer.hint('There is no connection now.'); // later, one may be elsewhere
    if (!(await mayReach([person]))) return undefined;
    try {
      const room = await chat().create({ kind: 'direct', people: [person] });
      onMade(room, [person]);
      onOpen(room);
    } catch ({ message }) {
      composer.hint(message);
    }
  }

  // The form

  #open() {
    this.#opened++;
    $('new-form').reset();
    $('new-create').disabled = false;
    for (const name of this.#people.keys()) this.#drop(name);
    offerNames(this.#page.names());
    this.#show();
    $('new-dialog').showModal();
    $('new-title').focus();
  }

  get #kind() {
    return new FormData($('new-form')).get('kind');
  }

  /** Shows the fields of the kind of room. */
  #show() {
    for (const field of $('new-form').querySelectorAll('[data-for]')) field.hidden = !field.dataset.for.split(' ').includes(this.#kind);
    $('new-name').disabled = this.#kind !== 'open'; // or the form would require it
    this.#showUntitled();
    this.#tell('');
  }

  /** Shows in the field of the title what the room is called without one. */
  #showUntitled() {
    const id = $('new-name').value;
    const label = this.#kind !== 'open' ? 'a “Private room”' : id && labelOf({ id });
    $('new-title').placeholder = label && `Without one it is ${label}`;
  }

  #tell(text, isError = false) {
    $('new-said').textContent = text;
    $('new-said').classList.toggle('refusal', isError);
  }

  // People

  #pressed(event) {
    const { key, isComposing, keyCode, target } = event;
    if (isComposing || keyCode === 229) return;
    if (key === 'Enter' && target.value.trim()) {
      event.preventDefault();
      this.#takeTyped();
    } else if (key === 'Backspace' && !target.value) this.#drop([...this.#people.keys()].at(-1));
  }

  #takeTyped() {
    const names = namesIn($('new-person').value);
    $('new-person').value = '';
    for (const name of names) this.#add(name);
    this.#tell(doubtful([...this.#people.keys()], this.#page.isKnown));
  }

  #add(name) {
    if (this.#people.has(name)) return;
    const drop = element('button', { type: 'button', ariaLabel: `Without ${name}` }, '✕');
    const made = element('li', { dataset: { name } }, element('bdi', {}, name), drop);
    this.#people.set(name, made);
    $('new-people').append(made);
  }

  #drop(name) {
    this.#people.get(name)?.remove();
    this.#people.delete(name);
    this.#tell(doubtful([...this.#people.keys()], this.#page.isKnown));
    $('new-person').focus();
  }

  // Making it

  async #submit() {
    const kind = this.#kind;
    this.#takeTyped();
    const people = kind === 'open' ? [] : [...this.#people.keys()];
    if (kind === 'direct' && !people.length) return this.#tell('To whom? Write a name.', true);
    const room = kind === 'open' ? $('new-name').value : undefined;
    const title = (kind !== 'direct' && $('new-title').value.trim()) || undefined;
    const { composer, mayReach } = this.#page;
    if (!(await mayReach(people))) return undefined;
    const opened = this.#opened;
    const isHere = () => $('new-dialog').open && opened === this.#opened; // else the user does something else by now
    this.#tell('Waiting for the server…');
    $('new-create').disabled = true;
    try {
      const made = await this.#make({ kind, room, people, title });
      if (isHere()) this.#goTo(made);
    } catch ({ message }) {
      if (!isHere()) return composer.hint(message);
      this.#tell(message, true);
      $('new-create').disabled = false;
    }
  }

  async #make(what) {
    try {
      const room = await this.#page.chat().create(what);
      this.#page.onMade(room, what.people);
      return room;
    } catch (error) {
      // An open room that is there, or that one may only read, is entered.
      if (what.kind === 'open' && ['conflict', 'forbidden'].includes(error.error)) return what.room;
      throw error;
    }
  }

  #goTo(room) {
    $('new-dialog').close();
    this.#page.onOpen(room);
  }
}
