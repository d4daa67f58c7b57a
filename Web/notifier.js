/** The browser's notifications: of what calls the user in a room that they do not look at. */

import { everyoneIn, mentionsIn } from './diffroom.js';
import { $ } from './elements.js';
import { called } from './faces.js';
import { invitationOf, kindOf, labelOf } from './labels.js';

const PAUSE = 2_000; // ms in which a message can be read, here or on another device, before it is notified of

export class Notifier {
  #page;
  #counts; // room → calls and read mark when the list last had a row of it; none before its first snapshot
  #ends = {}; // section → the sort key of its last row
  #timers = new Map();
  #told = new Map(); // room → notification

  /**
   * @param page `me()`; `get(room)`, its row in the user's rooms; `isSeen(row)`, whether they look at it;
   * `onOpen(room)`; and `kept` remembers whether the user wants it
   */
  constructor(page) {
    this.#page = page;
    $('notify').addEventListener('click', () => this.#toggle());
    $('menu').addEventListener('beforetoggle', () => this.#show());
    this.#show();
  }

  // Whether the user wants it, and the browser lets us

  get #isOn() {
    return globalThis.Notification?.permission === 'granted' && this.#page.kept.get('notify') === 'on';
  }

  #show() {
    const button = $('notify');
    const isBlocked = globalThis.Notification?.permission === 'denied';
    button.hidden = !globalThis.Notification || !isSecureContext;
    button.disabled = isBlocked;
    button.textContent = isBlocked ? 'Notifications are blocked by the browser' : 'Notify me of mentions and direct messages';
    button.ariaPressed = String(this.#isOn);
  }

  async #toggle() {
    const on = !this.#isOn;
    this.#page.kept.set('notify', on ? 'on' : 'off');
    if (on && Notification.permission === 'default') await Notification.requestPermission();
    this.#show();
  }

  // Calls

  /**
   * Takes the user's rooms after a change, and the rows of new invitations. The state at the start of the page raises no
   * notification.
   */
  take(snapshot, invitations) {
    const before = this.#counts;
    const rows = snapshot.sections.flatMap(({ rows }) => rows);
    const isNews = (row) => {
      if (row.section === 'invited') return invitations.includes(row);
      const was = before.get(row.id);
      // At the end come rows that were left out.
      if (!was) return callsOf(row) && !(row.sort < this.#ends[row.section]);
      // As many messages may have come as were read on another device. A room marked as unread by the user is no call.
      if (row.read > was.read && row.last?.id !== was.last?.id && row.last?.time >= (was.last?.time ?? 0)) return callsOf(row);
      return callsOf(row) > was.calls && !(row.read < was.read);
    };
    if (before) for (const row of rows) if (isNews(row)) this.#await(row.id);
    this.#counts = new Map([...(before ?? []), ...rows.map((row) => [row.id, { calls: callsOf(row), read: row.read, last: row.last }])]);
    this.#ends = Object.fromEntries(snapshot.sections.map(({ id, rows: [last] }) => [id, last?.sort]));
  }

  #await(room) {
    clearTimeout(this.#timers.get(room));
    this.#timers.set(room, setTimeout(() => this.#tell(room), PAUSE));
  }

  #tell(room) {
    const row = this.#page.get(room);
    if (!this.#isOn || !this.#calls(row)) return;
    const { title, body } = this.#wording(row);
    // Another page of this browser says the same of the same message, once for all.
    const told = new Notification(title, { body, tag: `${room} ${row.last?.id}` });
    told.onclick = () => {
      focus();
      told.close();
      this.#page.onOpen(room);
    };
    this.#told.get(room)?.close();
    this.#told.set(room, told);
  }

  #calls(row) {
    if (!row || row.muted || this.#page.isSeen(row) || this.#isOwn(row)) return 0;
    return row.section === 'archived' ? row.mentions : callsOf(row);
  }

  /** Returns whether the last message of a direct room is the user's own, said on another device. */
  #isOwn({ id, last }) {
    return kindOf(id) === 'direct' && last?.author === this.#page.me();
  }

  /** The last message, if that is what calls the user. */
  #wording(row) {
    const { id, last, mentions, section } = row;
    const me = this.#page.me();
    const label = labelOf(row);
    if (section === 'invited') return { title: invitationOf(row), body: '' };
    if (kindOf(id) === 'direct' && last) return { title: row.people?.length > 1 ? `${called(last.author)}, to ${label}` : called(last.author), body: last.text };
    if (last && last.author !== me && (mentionsIn(last.text, [me]).includes(me) || everyoneIn(last.text, [me]))) return { title: `${called(last.author)} in ${label}`, body: last.text };
    return { title: label, body: mentions > 1 ? `${mentions.toLocaleString()} messages mention you.` : 'A message mentions you.' };
  }

  /** Closes the notifications of rooms that were read since. */
  settle() {
    for (const [room, told] of this.#told) {
      const row = this.#page.get(room);
      if (this.#calls(row)) continue;
      told.close();
      this.#told.delete(room);
    }
  }
}

/** The number of those things: mentions; of a direct room all that is unread; an invitation is one. */
function callsOf({ id, section, unread, mentions }) {
  if (section === 'invited') return 1;
  return kindOf(id) === 'direct' ? unread : mentions;
}
