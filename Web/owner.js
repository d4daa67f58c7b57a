/** The actions on a room: moderators change its settings, and owners of a private one invite people. */

import { $, element, listed, offerNames, spanOf, tellerIn } from './elements.js';
import { kindOf, labelOf } from './labels.js';
import { doubtful, namesIn } from './names.js';
import { SHOWS_PICTURES } from './pictures.js';

const SLOW = [0, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 21_600_000]; // ms

export class Owner {
  #page;
  #saved = {}; // the settings when the form was opened, and as they were saved since

  /**
   * @param page `chat()` and `me()`; `shown()`, the room that is shown, with what it is called; the `composer`, which knows the
   * user's rights; the `moderator`; `names()`, the people whom the page knows, and `isKnown(name)`; and `standing()`, as far as it is known
   */
  constructor(page) {
    this.#page = page;
    this.#prepare('entitle', () => this.#entitle());
    this.#prepare('invite', () => this.#invite());
    $('uninvite').addEventListener('click', () => $('invite-form').reportValidity() && this.#uninvite());
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

  /** Shows in the menu of the room what the user may do. */
  show() {
    const { shown, composer } = this.#page;
    const kind = kindOf(shown().id);
    $('entitle').hidden = !composer.moderates || kind === 'direct';
    $('invite').hidden = kind !== 'private' || !composer.owns;
  }

  #open(what) {
    const { shown, names } = this.#page;
    $('menu').hidePopover();
    $(`${what}-title`).textContent = what === 'invite' ? `Invite to ${labelOf(shown())}` : labelOf(shown());
    if (what === 'invite') $('invite-input').value = '';
    else this.#fill();
    offerNames(names());
    tellerIn(`${what}-said`).note('');
    $(`${what}-dialog`).showModal();
    $(`${what}-input`).select();
  }

  /** Fills the form with the room's settings. */
  #fill() {
    const { title = '', topic = '', picture = '', slow = 0, readOnly = false } = this.#page.standing() ?? {};
    this.#saved = { title, topic, picture, slow, readOnly };
    $('entitle-input').value = title;
    $('entitle-topic').value = topic;
    $('entitle-picture').value = picture;
    $('entitle-picture').placeholder = SHOWS_PICTURES ? 'None' : 'None; this page shows no pictures';
    const spans = [...new Set([...SLOW, slow])].sort((a, b) => a - b);
    $('entitle-slow').replaceChildren(...spans.map((value) => element('option', { value, selected: value === slow }, value ? spanOf(value) : 'Off')));
    $('entitle-read-only').checked = readOnly;
  }

  async #entitle() {
    const { moderator, shown } = this.#page;
    const { id } = shown(); // another may be shown before all is done
    const settings = {
      title: { text: $('entitle-input').value.trim() },
      topic: { text: $('entitle-topic').value.trim() },
      picture: { url: $('entitle-picture').value.trim() },
      slow: { for: Number($('entitle-slow').value) },
      readOnly: { on: $('entitle-read-only').checked },
    };
    for (const [action, fields] of Object.entries(settings)) {
      const [value] = Object.values(fields);
      if (value === this.#saved[action]) continue;
      if (!(await moderator.moderate(id, action, fields, tellerIn('entitle-said'), ''))) return;
      this.#saved[action] = value;
    }
    $('entitle-dialog').close();
  }

  /** Invites those whose names are in the field, up to the first that the server refuses. */
  async #invite() {
    const { isKnown, me, moderator, shown } = this.#page;
    const teller = tellerIn('invite-said');
    const { value } = $('invite-input');
    const { id } = shown();
    const people = namesIn(value);
    const invited = [];
    for (const user of people) {
      if (user === me()) return teller.hint('You are in this room.');
      if (!(await moderator.moderate(id, 'invite', { user }, teller, ''))) break;
      invited.push(user);
    }
    if (invited.length) this.#showInvited(invited, people, value);
    if (invited.length === people.length) teller.note(`${listed(invited).join('')} ${invited.length > 1 ? 'are' : 'is'} invited. ${doubtful(invited, isKnown)}`.trim());
  }

  /** Leaves in the field those who are not invited, unless the user has typed something else. */
  #showInvited(invited, people, typed) {
    if ($('invite-input').value === typed) $('invite-input').value = people.slice(invited.length).join(', ');
  }

  async #uninvite() {
    for (const user of namesIn($('invite-input').value)) if (!(await this.#page.moderator.act('remove', user, tellerIn('invite-said')))) return;
  }
}
