/** The actions on a room: moderators change its settings, and owners of a private one invite people. */

import { $, element, listed, offerNames, spanOf, tellerIn } from './elements.js';
import { kindOf, labelOf } from './labels.js';
import { doubtful, namesIn } from './names.js';
import { SHOWS_PICTURES } from './pictures.js';

const SLOW = [0, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 21_600_000]; // ms

export class Owner {
  #page;
  #saved = {}; // the settings when the form was opened, and as they were saved since
  #opened = 0; // the number of times that a form was opened

  /**
   * @param page `chat()` and `me()`; `shown()`, the room that is shown, with what it is called; the `composer`, which knows the
   * user's rights; the `moderator`; `names()`, the people whom the page knows, and `isKnown(name)`; `mayReach(people)`, which asks to unblock those of them who are blocked; and `standing()`, as far as it is known
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
    const { composer, shown, names } = this.#page;
    this.#opened++;
    $('menu').hidePopover();
    $(`${what}-title`).textContent = what === 'invite' ? `Invite to ${labelOf(shown())}` : labelOf(shown());
    if (what === 'invite') $('invite-input').value = '';
    else this.#fill();
    offerNames(names());
    tellerIn(`${what}-said`, composer).note('');
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

  /** Sends all that has changed at once: the form may be closed, or the page, before the server answers. */
  async #entitle() {
    const settings = {
      title: { text: $('entitle-input').value.trim() },
      topic: { text: $('entitle-topic').value.trim() },
      picture: { url: $('entitle-picture').value.trim() },
      slow: { for: Number($('entitle-slow').value) },
      readOnly: { on: $('entitle-read-only').checked },
    };
    const saved = this.#saved;
    const changed = Object.entries(settings).filter(([action, fields]) => Object.values(fields)[0] !== saved[action]);
    const opened = this.#opened;
    const done = await this.#sendAll(changed, 'entitle-said');
    for (const [action, fields] of done) [saved[action]] = Object.values(fields);
    if (done.length === changed.length && opened === this.#opened) $('entitle-dialog').close();
  }

  /** Invites those whose names are in the field. */
  async #invite() {
    const { composer, isKnown, mayReach, me } = this.#page;
    const teller = tellerIn('invite-said', composer);
    const { value } = $('invite-input');
    const people = namesIn(value);
    if (people.includes(me())) return teller.hint('You are in this room.');
    if (!(await mayReach(people))) return undefined;
    const done = await this.#sendAll(people.map((user) => ['invite', { user }]), 'invite-said');
    const invited = done.map(([, { user }]) => user);
    this.#showInvited(invited, people, value);
    if (invited.length === people.length) teller.note(`${listed(invited).join('')} ${invited.length > 1 ? 'are' : 'is'} invited. ${doubtful(invited, isKnown)}`.trim());
  }

  /** Sends moderations of the room, as `[action, fields]`, and shows why some are refused. Resolves to those that are done. */
  async #sendAll(moderations, said) {
    const { composer, moderator, shown } = this.#page;
    const { id } = shown();
    const teller = tellerIn(said, composer);
    const refusals = [];
    const waiting = { note: (text) => text && teller.note(text), hint: (text) => refusals.push(text) };
    const results = await Promise.all(moderations.map(([action, fields]) => moderator.moderate(id, action, fields, { teller: waiting, done: '' })));
    if (refusals.length) teller.hint([...new Set(refusals)].join(' '));
    else teller.note('');
    return moderations.filter((_, index) => results[index]);
  }

  /** Leaves in the field those who are not invited, unless the user has typed something else. */
  #showInvited(invited, people, typed) {
    if (invited.length && $('invite-input').value === typed) $('invite-input').value = people.filter((user) => !invited.includes(user)).join(', ');
  }

  async #uninvite() {
    const { composer, moderator } = this.#page;
    for (const user of namesIn($('invite-input').value)) if (!(await moderator.act('remove', user, tellerIn('invite-said', composer)))) return;
  }
}
