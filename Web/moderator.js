/** The actions of moderators and owners on the people of a room: in the menu of a person, by name, and by giving roles. */

import { $, spanOf, tellerIn } from './elements.js';
import { calledInFull } from './faces.js';
import { kindOf, labelOf } from './labels.js';
import { PopupMenu } from './popupmenu.js';
import { ask } from './question.js';

const MUTES = [600_000, 3_600_000, 86_400_000]; // ms

/** The actions on a person: the request to the server, the question before it, and the message after it. */
const ACTS = {
  ...Object.fromEntries(MUTES.map((span) => [`mute-${span}`, { label: `Mute for ${spanOf(span)}`, action: 'mute', fields: { for: span }, done: `is muted for ${spanOf(span)}` }])),
  unmute: { label: 'Unmute', action: 'unmute', done: 'is not muted any more' },
  kick: { label: 'Kick', action: 'kick', done: 'is put out', warning: 'A kicked person is put out of the room, and may come back.' },
  ban: { label: 'Ban', action: 'ban', done: 'is banned', warning: 'A banned person is put out of the room, and cannot come back until the ban is taken back.' },
  unban: { label: 'Unban', action: 'unban', done: 'is not banned any more' },
  role: { label: 'Role…' },
  remove: { label: 'Remove', action: 'appoint', fields: { role: 'none' }, done: 'is removed', warning: 'A removed person can read nothing more of the room, and needs a new invitation to come back.' },
};
const OWNERS = new Set(['role', 'remove']);

/** The names of people with a role. */
export const ROLES = { read: 'a reader', write: 'a writer', moderate: 'a moderator', own: 'an owner' };

export class Moderator {
  #page;
  #menu = new PopupMenu($('person-menu'));
  #appointing; // whose role is asked for, in which room, and who waits for that

  /**
   * @param page `chat()`; `shown()`, the room that is shown, with what it is called; the `composer`, which knows the user's
   * rights; `readable(text)`, a text of the server's; the `blocked` users; and `onAct()`, before something is done with a person in the list
   */
  constructor(page) {
    this.#page = page;
    $('role-close').addEventListener('click', () => $('role-dialog').close());
    $('role-dialog').addEventListener('close', () => this.#appointing.resolve(false));
    $('role-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#appoint();
    });
  }

  /** The user's actions on a person in the room, as `[act, label]`. */
  get choices() {
    const { composer, shown } = this.#page;
    const isPrivate = kindOf(shown().id) === 'private';
    const may = (act) => (OWNERS.has(act) ? composer.owns && (act === 'role' || isPrivate) : composer.moderates);
    return Object.keys(ACTS).filter(may).map((act) => [act, ACTS[act].label]);
  }

  /** Opens the menu of a person at a point of the window; `opener` is the element that has the focus afterwards. */
  open(person, opener, point) {
    const { blocked } = this.#page;
    const onChoose = (act) => {
      if (act === 'block' || act === 'unblock') return blocked[act](person);
      this.#page.onAct();
      return this.act(act, person, this.#page.composer);
    };
    this.#menu.open({ label: calledInFull(person), choices: [...this.choices, ...blocked.choicesFor(person)], onChoose, opener }, point);
  }

  /** Does something with a person, after a question if that puts them out. Resolves to whether it is done. */
  async act(act, person, teller) {
    const { label, action, fields, done, warning } = ACTS[act];
    if (act === 'role') return this.#askForRole(person, teller);
    const room = this.#page.shown();
    const question = { title: `${label} ${calledInFull(person)} from ${labelOf(room)}?`, text: warning, no: 'Cancel', yes: label };
    if (warning && !(await ask(question))) return false;
    return this.moderate(room.id, action, { user: person, ...fields }, { teller, done: `${calledInFull(person)} ${done}.` });
  }

  /** Sends a moderation, and shows its progress by `teller`. Resolves to whether it succeeded. */
  async moderate(room, action, fields, { teller, done }) {
    const { chat, readable } = this.#page;
    teller.note('Waiting for the server…');
    try {
      await chat().moderate(room, action, fields);
      teller.note(done);
      return true;
    } catch ({ message }) {
      teller.hint(readable(message));
      return false;
    }
  }

  // Roles

  /** Asks for the role of a person; which one they have is not known. */
  #askForRole(person, teller) {
    const room = this.#page.shown();
    const isOpen = kindOf(room.id) === 'open';
    $('role-form').reset();
    $('role-title').textContent = `Role of ${calledInFull(person)} in ${labelOf(room)}`;
    for (const node of $('role-form').querySelectorAll('[data-for=open]')) node.hidden = !isOpen; // to take it back elsewhere is to remove them
    $('role-said').textContent = '';
    $('role-dialog').showModal();
    return new Promise((resolve) => (this.#appointing = { person, room: room.id, teller, resolve }));
  }

  async #appoint() {
    const appointing = this.#appointing;
    const { person, room, teller, resolve } = appointing;
    const role = new FormData($('role-form')).get('role');
    const done = `${calledInFull(person)} ${ROLES[role] ? `is ${ROLES[role]}` : 'has no role any more'}.`;
    if (!(await this.moderate(room, 'appoint', { user: person, role }, { teller: tellerIn('role-said', this.#page.composer), done }))) return;
    resolve(true);
    if (appointing === this.#appointing) $('role-dialog').close();
    teller.note(done);
  }
}
