/** The dialog of a room's moderators: their actions on a user by name, and the audit log, the newest entry first. */

import { $, element, moment, offerNames, spanOf, tellerIn, when } from './elements.js';
import { namedInFull } from './faces.js';
import { labelOf } from './labels.js';
import { ROLES } from './moderator.js';
import { namesIn } from './names.js';

const quoted = (text) => ['“', element('bdi', {}, text), '”'];

/** The text of an entry behind the name of its author, by its action. */
const SAID = {
  mute: ({ user, for: span }) => ['muted ', namedInFull(user), ` for ${spanOf(span)}`],
  unmute: ({ user }) => ['unmuted ', namedInFull(user)],
  kick: ({ user }) => ['kicked ', namedInFull(user)],
  ban: ({ user }) => ['banned ', namedInFull(user)],
  unban: ({ user }) => ['unbanned ', namedInFull(user)],
  slow: ({ for: span }) => [span ? `set slow mode to ${spanOf(span)}` : 'ended slow mode'],
  readOnly: ({ on }) => [on ? 'made the room read-only' : 'let everybody write again'],
  appoint: ({ user, role }) => (ROLES[role] ? ['made ', namedInFull(user), ` ${ROLES[role]}`] : ['took the role of ', namedInFull(user), ' back']),
  invite: ({ user }) => ['invited ', namedInFull(user)],
  title: ({ text }) => (text ? ['gave the title ', ...quoted(text)] : ['took the title away']),
  topic: ({ text }) => (text ? ['gave the topic ', ...quoted(text)] : ['took the topic away']),
  picture: ({ url }) => (url ? ['gave the picture ', element('bdi', {}, url)] : ['took the picture away']),
  pin: ({ before, after }) => [before || after ? 'gave a pinned message its place' : 'pinned a message'],
  unpin: () => ['unpinned a message'],
  delete: ({ user }) => ['deleted a message of ', namedInFull(user)],
  create: () => ['made the room'],
};

export class ModerationView {
  #page;
  #room;
  #oldest; // the revision of the last entry that is listed
  #asked; // stands for the answer that is awaited: any other is too late

  /**
   * @param page `chat()`; `shown()`, the room that is shown, with what it is called; the `composer`, which knows the user's
   * rights; the `moderator`; `names()`, the people whom the page knows; and `readable(text)`, a text of the server's
   */
  constructor(page) {
    this.#page = page;
    $('moderate').addEventListener('click', () => this.#open());
    $('moderation-close').addEventListener('click', () => $('moderation').close());
    $('moderation').addEventListener('close', () => $('room-button').focus()); // the menu is closed
    $('moderation').addEventListener('click', ({ target }) => target === $('moderation') && $('moderation').close()); // beside it
    $('audit-more').addEventListener('click', () => this.#load(this.#oldest));
    $('person-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#act();
    });
  }

  /** Shows whether the user may moderate. */
  show() {
    const { moderates } = this.#page.composer;
    $('moderate').hidden = !moderates;
    $('people').toggleAttribute('data-moderated', moderates);
  }

  #open() {
    const { moderator, names, shown } = this.#page;
    $('menu').hidePopover();
    this.#room = shown();
    $('moderation-title').textContent = `Moderation of ${labelOf(this.#room)}`;
    $('person-form').reset();
    $('person-act').replaceChildren(...moderator.choices.map(([value, label]) => element('option', { value }, label)));
    $('person-act').value = 'unban'; // banned users are in no list
    offerNames(names());
    for (const id of ['moderation-said', 'audit-list']) $(id).replaceChildren();
    $('audit-more').hidden = true;
    $('moderation').showModal();
    $('person-input').focus();
    this.#load();
  }

  async #act() {
    const [person = ''] = namesIn($('person-input').value);
    if (await this.#page.moderator.act($('person-act').value, person, tellerIn('moderation-said', this.#page.composer))) this.#load();
  }

  /** Lists the newest entries, or those before a revision below the others. */
  async #load(before) {
    const { chat, readable } = this.#page;
    const asked = (this.#asked = {});
    $('audit-said').textContent = 'Loading…';
    try {
      const { entries, more } = await chat().audit(this.#room.id, { before });
      if (asked === this.#asked) this.#list(entries.reverse(), more, before);
    } catch ({ error, message }) {
      if (asked === this.#asked) $('audit-said').textContent = error ? readable(message) : 'There is no connection now.';
    }
  }

  #list(entries, more, before) {
    if (before === undefined) $('audit-list').replaceChildren();
    $('audit-list').append(...entries.map(item));
    this.#oldest = entries.at(-1)?.revision;
    if (!more && document.activeElement === $('audit-more')) $('audit-list').focus();
    $('audit-more').hidden = !more;
    $('audit-said').textContent = $('audit-list').firstChild ? '' : 'There are no moderations of this room yet.';
  }
}

function item({ time, author, action, ...fields }) {
  const said = SAID[action]?.(fields) ?? [action];
  const date = element('time', { dateTime: new Date(time).toISOString(), title: moment.format(time) }, when(time));
  return element('li', {}, element('p', {}, namedInFull(author), ' ', ...said), date);
}
