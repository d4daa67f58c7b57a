/** Joining and leaving the room that is shown, and accepting and declining an invitation to it. */

import { $ } from './elements.js';
import { namedInFull } from './faces.js';
import { kindOf, labelOf } from './labels.js';
import { ask } from './question.js';

export class Membership {
  #page;

  /**
   * @param page `chat()`; `shown()`, the room that is shown, and `about(room)`, with what they are called; `rooms`, the
   * user's; the `composer`; `onOpen(room)`; and `onLeave(room)`, before the user leaves a private room
   */
  constructor(page) {
    this.#page = page;
    $('membership').addEventListener('click', () => this.#change());
    $('accept').addEventListener('click', () => this.join(page.shown().id));
    $('decline').addEventListener('click', () => this.leave(page.shown().id));
  }

  /** Shows what the user can do: in the menu of the room, and above the field an invitation. */
  show() {
    const { rooms, shown } = this.#page;
    const room = shown();
    const kind = kindOf(room.id);
    const { section, by = '' } = rooms.get(room.id) ?? {};
    const isInvited = section === 'invited';
    const isMember = rooms.isMember(room.id);
    const isUnknown = rooms.isUnknown(room.id);
    const isOthers = kind === 'direct' || (kind === 'private' && !isMember && !isInvited);
    const button = $('membership');
    button.hidden = !rooms.hasList || (isOthers && !isUnknown);
    button.textContent = isUnknown ? 'Find it among your rooms' : isInvited ? 'Accept the invitation' : `${isMember ? 'Leave' : 'Join'} ${labelOf(room)}`;
    button.toggleAttribute('data-member', isMember);
    if (isInvited) this.#sayWho(by);
    $('invitation').hidden = !isInvited;
  }

  /** Shows who invites, once: a screen reader would read a rewritten status again. */
  #sayWho(by) {
    const sentence = $('invitation').firstChild;
    if (sentence.dataset.by === by) return;
    sentence.dataset.by = by;
    sentence.replaceChildren(...(by ? [namedInFull(by), ' invites you to this room.'] : ['You are invited to this room.']));
  }

  async #change() {
    const { rooms, shown, composer } = this.#page;
    const { id } = shown();
    if (rooms.isUnknown(id)) return rooms.completeRows(); // then the menu shows the possible actions
    $('menu').hidePopover();
    if (rooms.isMember(id)) await this.leave(id);
    else this.join(id);
    composer.focus();
  }

  /** Joins a room; who accepts an invitation wants to see its room. */
  join(room) {
    const { onOpen, rooms } = this.#page;
    if (rooms.get(room)?.section === 'invited') onOpen(room);
    this.#say('join', room);
  }

  /** Leaves a room, or declines an invitation. A private room is lost with that, so it asks. */
  async leave(room) {
    const { about, onLeave, rooms } = this.#page;
    const isPrivate = kindOf(room) === 'private';
    const isInvited = rooms.get(room)?.section === 'invited';
    if (isPrivate && !(await ask(isInvited ? declining(about(room)) : this.#leaving(about(room))))) return;
    if (isPrivate) onLeave(room);
    this.#say('leave', room);
  }

  #leaving(room) {
    const alone = this.#page.composer.owns ? ' You own it. Without another owner, the room can have no new members.' : '';
    return { title: `Leave ${labelOf(room)}?`, text: `You need a new invitation to come back.${alone}`, no: 'Stay', yes: 'Leave' };
  }

  async #say(membership, room) {
    const { chat, composer } = this.#page;
    try {
      await chat()[membership](room);
    } catch ({ error, message }) {
      const isDone = membership === 'leave' && error === 'forbidden'; // a repeat: who has left may not leave
      if (!isDone) composer.hint(message);
    }
  }
}

const declining = (room) => ({
  title: `Decline the invitation to ${labelOf(room)}?`,
  text: 'You need a new invitation to come in.',
  no: 'Keep it',
  yes: 'Decline',
});
