/** The labels of rooms, wherever the page shows them. */

import { canBeSeen, threadRoot } from './diffroom.js';
import { $, element, paintAvatar, titled } from './elements.js';
import { called, calledInFull, paintFace } from './faces.js';
import { kindOf, roomOf } from './kinds.js';
import { broken, showsPicture } from './pictures.js';

const UNNAMED = { private: 'Private room', direct: 'Direct messages' };
const NAMELESS = /(?:room )?([~@][\da-f-]{32,36}(?:\/thread\/[\da-f-]{36})?)/g; // rooms whose names say nothing, in a text of the server's

const MESSAGE = /message [\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g; // which has no name for people

export { kindOf };

/**
 * Returns what a room is called: its title; or, of a direct room, who else is in it; or the name of an open one, which also
 * stands behind its title, so that no room passes for another. A thread is called by its room.
 *
 * @param {{ id: string, title?: string, people?: readonly string[] }} room or thread
 */
export function labelOf({ id, title = '', people }) {
  if (threadRoot(id)) return `Thread in ${labelOf({ id: roomOf(id), title, people })}`;
  const kind = kindOf(id);
  if (canBeSeen(title)) return kind === 'open' ? `${title} (${id})` : title;
  return people?.map(called).join(', ') || (UNNAMED[kind] ?? `#${id}`);
}

/** Returns an invitation as a sentence: who invites to which room. */
export const invitationOf = (row) => (row.by ? `${calledInFull(row.by)} invites you to ${labelOf(row)}` : `You are invited to ${labelOf(row)}`);

/** Returns whether anything can be seen of a text. */
export const hasText = (text = '') => canBeSeen(text);

/** Returns the same as an element, behind the room's picture or a sign of its kind. */
export function nameOf(room) {
  const { id, title = '' } = room;
  const label = labelOf(room);
  const parts = canBeSeen(title) && kindOf(id) === 'open' ? titled(title, id) : [label === `#${id}` ? id : label];
  return element('span', { className: 'name' }, signOf(room), element('bdi', {}, ...parts));
}

function signOf(room) {
  const { id, title, picture, section } = room;
  if (section === 'invited' || !showsPicture(picture)) return plainSignOf(room); // a stranger chose the picture's host
  const shown = element('img', { className: 'picture', alt: '', referrerPolicy: 'no-referrer', loading: 'lazy', decoding: 'async', src: picture });
  shown.addEventListener('error', () => broken.add(picture) && shown.parentNode?.replaceWith(plainSignOf(room)));
  return element('span', {}, shown, ...(title && kindOf(id) === 'private' ? [spokenKind()] : []));
}

const spokenKind = () => element('span', { className: 'unseen' }, 'private: ');

function plainSignOf({ id, title, people }) {
  const kind = kindOf(id);
  if (kind === 'direct') return faceOf(people);
  if (kind === 'open') return element('span', { className: 'hash', ariaHidden: 'true' }, '#');
  return element('span', { className: 'hash' }, $('lock').content.cloneNode(true), ...(title ? [spokenKind()] : []));
}

/** Returns the face of the one who is written to, or the number of those. */
function faceOf([person, ...others] = []) {
  const face = element('span', { className: 'avatar face', ariaHidden: 'true' });
  if (person && !others.length) paintFace(face, person);
  else paintAvatar(face, person ?? '@');
  if (others.length) face.textContent = others.length + 1;
  return face;
}

/** The labels of all known rooms, and the people of the direct ones. */
export class Labels {
  #page;
  #kept;
  #people = new Map(); // direct room → the others in it, for a room without a row

  /** @param page `rooms`, the list of the user's rooms, and `followed`, that of the threads; `me()`; `standing(room)`, if it is known; and `kept`, for a reload */
  constructor(page) {
    this.#page = page;
    this.#kept = page.kept.get('label');
  }

  /** Returns the room's row, or as much as is known of the room. */
  of(room) {
    const { followed, rooms, standing } = this.#page;
    if (threadRoot(room)) return followed.get(room) ?? { ...this.of(roomOf(room)), id: room };
    const row = rooms.get(room);
    if (row) return row;
    const { title, picture } = standing(room) ?? {};
    const before = rooms.isKnown && !rooms.isUnknown(room) ? {} : this.#before(room);
    const people = this.#people.get(room) ?? before.people;
    // Before the rooms are known, it may be one to which the user is only invited.
    return { id: room, title: rooms.isKnown ? title : before.title ?? title, picture: rooms.isKnown ? picture : undefined, people };
  }

  /** Takes who else is in a direct room, which may be one of those without a row. */
  know(room, people) {
    if (kindOf(room) === 'direct') this.#people.set(room, people);
  }

  /** Returns a text of the server's, with what rooms are called in the place of names that say nothing, and without ids of messages. */
  readable(text) {
    return text.replace(MESSAGE, 'the message').replace(NAMELESS, (found, room) => (kindOf(room) ? labelOf(this.of(room)) : found));
  }

  /** Keeps what the room is called, until the user's rooms are there again. */
  keep({ id, title, people }) {
    const label = JSON.stringify({ id, title, people, me: this.#page.me() });
    if (label !== this.#kept) this.#page.kept.set('label', (this.#kept = label));
  }

  #before(room) {
    try {
      const { id, title, people, me } = JSON.parse(this.#kept);
      return id === room && me === this.#page.me() ? { title, people } : {};
    } catch {
      return {}; // not ours, or nothing
    }
  }
}
