/** The browser's notifications: of what calls the user in a room, or in a thread that they follow, and do not look at. */

import { isBlocked } from './blocks.js';
import { everyoneIn, mentionsIn, textOf, threadRoot } from './diffroom.js';
import { $ } from './elements.js';
import { called } from './faces.js';
import { roomOf } from './kinds.js';
import { invitationOf, kindOf, labelOf } from './labels.js';
import { spoken, withoutMarks } from './markdown.js';
import { ring } from './sound.js';

const MOST = 3; // rooms with a notification of their own
const GATHER = 200; // ms in which those that come together gather
const PAUSE = 2_000; // ms in which a message can be read, here or on another device, before it is notified of

export class Notifier {
  #page;
  #counts = new Map(); // room → calls and read mark when its list last had a row of it
  #ends = new Map(); // list → {section → the sort key of its last row}; none before its first snapshot
  #timers = new Map();
  #told = new Map(); // room → notification, which may be of several
  #due = new Set(); // rooms of which the user is to be notified next
  #isImpossible = false; // whether the browser shows no notifications of a page, as on a phone

  /**
   * @param page `me()`; `get(room)`, its row in the user's rooms or threads; `isSeen(row)`, whether they look at it;
   * `onOpen(room)`; and `kept` remembers whether the user wants it
   */
  constructor(page) {
    this.#page = page;
    $('notify').addEventListener('click', () => this.set(!this.isOn));
    $('menu').addEventListener('beforetoggle', () => this.#show());
    // A click on one that outlives its page leads nowhere, and the next user of the browser may see it.
    addEventListener('pagehide', () => [...this.#told.values()].forEach((told) => told.close()));
    this.#show();
  }

  // Whether the user wants it, and the browser lets us

  get isOn() {
    return !this.#isImpossible && globalThis.Notification?.permission === 'granted' && this.#page.kept.get('notify') === 'on';
  }

  /** Why the browser shows no notifications; nothing if it does. */
  get problem() {
    if (this.#isImpossible || !globalThis.Notification || !isSecureContext) return 'This browser shows no notifications of a page';
    return Notification.permission === 'denied' ? 'Notifications are blocked by the browser' : '';
  }

  #show() {
    const button = $('notify');
    const { problem } = this;
    button.hidden = !globalThis.Notification || !isSecureContext;
    button.disabled = Boolean(problem);
    button.textContent = problem || 'Notify me of mentions and direct messages';
    button.ariaPressed = String(this.isOn);
  }

  /** The user wants notifications, or no more. */
  async set(on) {
    this.#page.kept.set('notify', on ? 'on' : 'off');
    if (on && Notification.permission === 'default') await Notification.requestPermission();
    this.#show();
  }

  // The rooms of whose messages the user wants to be notified, of each

  get #loud() {
    return new Set((this.#page.kept.get(`loud ${this.#page.me()}`) ?? '').split(' ').filter(Boolean));
  }

  /** A thread is as loud as its room. */
  isLoud(room) {
    return this.#loud.has(roomOf(room));
  }

  setLoud(room, isLoud) {
    const rooms = this.#loud;
    if (isLoud) rooms.add(room);
    else rooms.delete(room);
    this.#page.kept.set(`loud ${this.#page.me()}`, [...rooms].join(' '));
  }

  // Calls

  /** The number of what calls the user in a room: mentions; all that is unread in a direct room, and in one that they have chosen. */
  callsOf(row) {
    return row.section !== 'invited' && this.isLoud(row.id) ? row.unread : callsOf(row);
  }

  /**
   * Takes the user's rooms or threads after a change, and the rows of new invitations. The state at the start of the page raises no
   * notification.
   */
  take(snapshot, invitations = []) {
    const ends = this.#ends.get(snapshot.list);
    const rows = snapshot.sections.flatMap(({ rows }) => rows);
    const isNews = (row) => {
      if (row.section === 'invited') return invitations.includes(row);
      const was = this.#counts.get(row.id);
      // Where a blocked user has said the last, only mentions call: they are by others.
      const [calls, before] = isBlocked(row.last?.author) ? [row.mentions, was?.mentions] : [this.callsOf(row), was?.calls];
      // At the end come rows that were left out.
      if (!was) return calls && !(row.sort < ends[row.section]);
      // As many messages may have come as were read on another device. A room marked as unread by the user is no call.
      if (row.read > was.read && row.last?.id !== was.last?.id && row.last?.time >= (was.last?.time ?? 0)) return calls;
      return calls > before && !(row.read < was.read);
    };
    if (ends) for (const row of rows) if (isNews(row)) this.#await(row.id);
    for (const row of rows) this.#counts.set(row.id, { calls: this.callsOf(row), mentions: row.mentions, read: row.read, last: row.last });
    this.#ends.set(snapshot.list, Object.fromEntries(snapshot.sections.map(({ id, rows: [last] }) => [id, last?.sort])));
  }

  #await(room) {
    clearTimeout(this.#timers.get(room));
    this.#timers.set(room, setTimeout(() => this.#tell(room), PAUSE));
  }

  #tell(room) {
    if (!this.#due.size) setTimeout(() => this.#tellAll(), GATHER);
    this.#due.add(room);
  }

  /** Notifies of the rooms that are due: of each or, if many have a notification then, of all of them in one. */
  #tellAll() {
    const due = [...this.#due].filter((room) => this.#calls(this.#page.get(room)));
    this.#due.clear();
    if (due.length && this.#page.kept.get('sound') === 'on') ring(this.#page.kept);
    if (!this.isOn) return;
    const all = [...new Set([...this.#told.keys(), ...due])];
    if (due.length && all.length > MOST) return this.#raise(all, this.#summary(all));
    for (const room of due) this.#raise([room], this.#wording(this.#page.get(room)));
  }

  /** Shows a notification about rooms. A click on it goes to the last one. */
  #raise(rooms, { title, body }) {
    const last = rooms.at(-1);
    const of = (room) => `${room} ${this.#page.get(room)?.last?.id}`;
    const told = this.#make(title, { body, tag: rooms.length > 1 ? 'diffroom' : of(last) }); // another page of this browser says the same, once for all
    if (!told) return;
    told.onclick = () => {
      focus();
      told.close();
      this.#page.onOpen(last);
    };
    for (const room of rooms) {
      const before = this.#told.get(room);
      if (before !== told) before?.close();
      this.#told.set(room, told);
    }
  }

  /** Notifies of something outside of the rooms, if the user wants that. Returns the notification, if there is one; a click on it closes it and calls `onOpen`. */
  call({ title, ...options }, onOpen) {
    if (this.#page.kept.get('sound') === 'on') ring(this.#page.kept);
    const told = this.isOn ? this.#make(title, options) : undefined;
    if (!told) return undefined;
    told.onclick = () => {
      focus();
      told.close();
      onOpen();
    };
    addEventListener('pagehide', () => told.close());
    return told;
  }

  #make(title, options) {
    try {
      return new Notification(title, options);
    } catch {
      this.#isImpossible = true;
      this.#show();
      return undefined;
    }
  }

  #summary(rooms) {
    const labels = rooms.map((room) => this.#page.get(room)).filter(Boolean).map((row) => labelOf(row)).reverse();
    const rest = labels.length - MOST;
    const places = rooms.some(threadRoot) ? 'rooms and threads' : 'rooms';
    return { title: `${rooms.length} ${places} have messages for you`, body: `${labels.slice(0, MOST).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}` };
  }

  #calls(row) {
    if (!row || row.muted || this.#page.isSeen(row) || this.#isOwn(row)) return 0;
    return row.section === 'archived' ? row.mentions : this.callsOf(row);
  }

  /** Returns whether the last message of a room in which each one calls is the user's own, said on another device. */
  #isOwn({ id, last, mentions }) {
    return (kindOf(id) === 'direct' || (this.isLoud(id) && !mentions)) && last?.author === this.#page.me();
  }

  /** The last message, if that is what calls the user. */
  #wording(row) {
    const { id, last, mentions, section } = row;
    const me = this.#page.me();
    const label = labelOf(row);
    const place = threadRoot(id) ? `a thread of ${labelOf({ ...row, id: roomOf(id) })}` : label;
    const body = last && withoutMarks(textOf(last));
    if (section === 'invited') return { title: invitationOf(row), body: '' };
    if (last?.damaged) return { title: label, body };
    const calls = mentions > 1 ? `${mentions.toLocaleString()} messages mention you.` : 'A message mentions you.';
    if (isBlocked(last?.author)) return { title: label, body: mentions ? calls : '' };
    if (kindOf(id) === 'direct' && last && place === label) return { title: row.people?.length > 1 ? `${called(last.author)}, to ${label}` : called(last.author), body };
    if (last && last.author !== me && (mentionsIn(spoken(last.text), [me]).includes(me) || everyoneIn(spoken(last.text), [me]))) return { title: `${called(last.author)} in ${place}`, body };
    if (last && !mentions) return { title: `${called(last.author)} in ${place}`, body };
    return { title: label, body: calls };
  }

  /** Closes the notifications of rooms that were read since. */
  settle() {
    for (const [room, told] of this.#told) {
      const row = this.#page.get(room);
      if (this.#calls(row)) continue;
      this.#told.delete(room);
      if (![...this.#told.values()].includes(told)) told.close();
    }
  }
}

/** The number of those things: mentions; of a direct room all that is unread; an invitation is one. */
function callsOf({ id, section, unread, mentions }) {
  if (section === 'invited') return 1;
  return kindOf(id) === 'direct' ? unread : mentions;
}
