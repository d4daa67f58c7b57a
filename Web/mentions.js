/** The messages that mention the user, and the way to them. */

import { isBlocked } from './blocks.js';
import { $, element, moment, numeral, when } from './elements.js';
import { named, paintFace } from './faces.js';
import { labelOf } from './labels.js';
import { withoutMarks } from './markdown.js';

const LIST = 'me/mentions';

export class MentionsView {
  #page;
  #rows; // the newest first; not known before the first answer
  #list;
  #more = false; // whether there may be older ones

  /** @param page `chat()`; `about(room)`, as much as is known of a room; `onOpen(room, id)`, which goes to a message */
  constructor(page) {
    this.#page = page;
    $('mentions-button').addEventListener('click', () => this.#open());
    $('mentions-close').addEventListener('click', () => $('mentions').close());
    $('mentions').addEventListener('close', () => this.#list?.unsubscribe());
    $('mentions').addEventListener('click', ({ target }) => this.#clicked(target));
    $('mentions-list').addEventListener('scroll', ({ target }) => this.#scrolled(target), { passive: true });
    $('mentions-older').addEventListener('click', () => this.#list?.older());
  }

  /** Shows how many messages mention the user that they have not read, or the least that there are. */
  count(mentions, isLeast) {
    const shown = mentions ? numeral(mentions, isLeast) : '';
    $('mentions-count').textContent = shown;
    $('mentions-button').ariaLabel = shown ? `Mentions, ${shown} unread` : 'Mentions';
  }

  /** The list is followed only while it is shown. */
  #open() {
    [this.#rows, this.#more] = [undefined, false];
    this.#draw();
    $('mentions').showModal();
    this.#list = this.#page.chat()?.subscribe(LIST, { onChange: ({ snapshot }) => this.#take(snapshot), onError: (error) => this.#miss(error) });
  }

  #take({ sections, older, more }) {
    this.#rows = [...older, ...(sections[0]?.rows ?? [])].reverse();
    this.#more = more;
    this.#draw();
  }

  /** Other users are blocked. */
  refold() {
    if ($('mentions').open) this.#draw();
  }

  /** Older ones come before the user is at the end. */
  #scrolled({ scrollTop, scrollHeight, clientHeight }) {
    if (this.#more && scrollHeight - scrollTop - clientHeight < clientHeight) this.#list?.older();
  }

  #miss({ error, message }) {
    if (error !== 'diverged') this.#say(message);
  }

  #draw() {
    const focused = /** @type {HTMLElement} */ (document.activeElement)?.dataset.mention;
    const rows = (this.#rows ?? []).filter(({ author }) => !isBlocked(author));
    $('mentions-list').replaceChildren(...rows.map((row) => item(row, this.#page.about(row.room))));
    $('mentions-older').hidden = !this.#more;
    this.#say(rows.length ? '' : this.#rows ? 'No message in your rooms mentions you.' : 'Loading…');
    if (focused) [...$('mentions-list').querySelectorAll('button')].find(({ dataset }) => dataset.mention === focused)?.focus();
  }

  #say(text) {
    $('mentions-said').hidden = !text;
    $('mentions-said').textContent = text;
  }

  #clicked(target) {
    if (target === $('mentions')) return $('mentions').close(); // beside it
    const { mention } = target.closest('[data-mention]')?.dataset ?? {};
    const row = this.#rows?.find(({ id }) => id === mention);
    if (!row) return;
    $('mentions').close();
    this.#page.onOpen(row.room, row.message);
  }
}

function item({ id, author, time, text, read }, room) {
  const avatar = element('span', { className: 'avatar small', ariaHidden: 'true' });
  paintFace(avatar, author);
  const head = element('span', { className: 'head' }, named(author), element('small', {}, element('bdi', {}, labelOf(room)), ' · ', element('time', { title: moment.format(time) }, when(time))));
  const said = element('span', { className: 'said', dir: 'auto' }, withoutMarks(text));
  const mark = read ? [] : [element('span', { className: 'unseen' }, 'Unread')];
  const button = element('button', { type: 'button', className: read ? '' : 'unread', dataset: { mention: id } }, avatar, element('span', { className: 'body' }, ...mark, head, said));
  return element('li', {}, button);
}
