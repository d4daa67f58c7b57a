/** The actions on a room: moderators give it a title, a topic and a picture; owners of a private one invite people and remove them. */

import { $, element } from './elements.js';
import { kindOf, labelOf } from './labels.js';
import { SHOWS_PICTURES } from './pictures.js';
import { ask } from './question.js';

export class Owner {
  #page;
  #face = {}; // the room's title, topic and picture when the form was opened, and as they were saved since

  /**
   * @param page `chat()` and `me()`; `shown()`, the room that is shown, with what it is called; the `composer`, which knows the
   * user's rights; `names()`, the people whom the page knows; and `standing()`, as far as it is known
   */
  constructor(page) {
    this.#page = page;
    this.#prepare('entitle', () => this.#entitle());
    this.#prepare('invite', () => this.#invite());
    $('uninvite').addEventListener('click', () => $('invite-form').reportValidity() && this.remove(person()));
  }

  #prepare(what, act) {
    $(what).addEventListener('click', () => this.#open(what));
    $(`${what}-dialog`).addEventListener('close', () => $('room-button').focus()); // the menu is closed
    $(`${what}-close`).addEventListener('click', () => $(`${what}-dialog`).close());
    $(`${what}-form`).addEventListener('submit', (event) => {
      event.preventDefault();
      act();
    });
  }

  /** Shows what the user may do, in the menu of the room and among its people. */
  show() {
    const { shown, composer } = this.#page;
    const kind = kindOf(shown().id);
    const owns = kind === 'private' && composer.owns;
    $('entitle').hidden = !composer.moderates || kind === 'direct';
    $('invite').hidden = !owns;
    $('people').toggleAttribute('data-owned', owns);
  }

  #open(what) {
    const { shown, names, standing } = this.#page;
    $('menu').hidePopover();
    $(`${what}-title`).textContent = what === 'invite' ? `Invite to ${labelOf(shown())}` : labelOf(shown());
    const { title = '', topic = '', picture = '' } = standing() ?? {};
    this.#face = { title, topic, picture };
    $(`${what}-input`).value = what === 'invite' ? '' : title;
    $('entitle-topic').value = topic;
    $('entitle-picture').value = picture;
    $('entitle-picture').placeholder = SHOWS_PICTURES ? 'None' : 'None; this page shows no pictures';
    $('names').replaceChildren(...names().map((value) => element('option', { value })));
    this.#tell(what, '');
    $(`${what}-dialog`).showModal();
    $(`${what}-input`).select();
  }

  #tell(what, text, isError = false) {
    $(`${what}-said`).textContent = text;
    $(`${what}-said`).classList.toggle('refusal', isError);
  }

  /** Sends what a moderator does; resolves to whether the server has done it. */
  async #moderate(what, action, fields, done) {
    const { chat, shown } = this.#page;
    this.#tell(what, 'Waiting for the server…');
    try {
      await chat().moderate(shown().id, action, fields);
      this.#tell(what, done);
      return true;
    } catch ({ message }) {
      this.#tell(what, message, true);
      return false;
    }
  }

  async #entitle() {
    const fields = { title: ['entitle-input', 'text'], topic: ['entitle-topic', 'text'], picture: ['entitle-picture', 'url'] };
    for (const [action, [id, field]] of Object.entries(fields)) {
      const value = $(id).value.trim();
      if (value === this.#face[action]) continue;
      if (!(await this.#moderate('entitle', action, { [field]: value }, ''))) return;
      this.#face[action] = value;
    }
    $('entitle-dialog').close();
  }

  async #invite() {
    const user = person();
    if (user === this.#page.me()) return this.#tell('invite', 'You are in this room.', true);
    const done = await this.#moderate('invite', 'invite', { user }, `${user} is invited.`);
    if (done && person() === user) $('invite-input').value = '';
  }

  /** Puts somebody out of the room, or takes an invitation back. */
  async remove(user) {
    const { composer, shown } = this.#page;
    const text = 'Who is removed reads nothing more of it, and needs a new invitation to come back.';
    if (!(await ask({ title: `Remove ${user} from ${labelOf(shown())}?`, text, no: 'Keep', yes: 'Remove' }))) return;
    const done = await this.#moderate('invite', 'appoint', { user, role: 'none' }, `${user} is removed.`);
    if (!done && !$('invite-dialog').open) composer.hint($('invite-said').textContent);
  }
}

const person = () => $('invite-input').value.trim().normalize();
