/**
 * The drafts of the user on all of their devices. The storage of this browser comes first, and its tabs share it; the server has a copy.
 *
 * Of each room three drafts are compared: the one here, the server's, and `base`, the last one that was the same in both places. If one of
 * the two has changed since, the other follows. If both have, the one here stays, and the other text goes behind it. A draft that another
 * device writes within the time of a round trip to the server may replace one unseen: the last one counts there.
 */

import { mentionsIn } from './diffroom.js';
import { contentOf, draftOf, isSameContent, messageOf, withMessage, withOther } from './drafts.js';
import { spoken } from './markdown.js';

const LIST = 'me/drafts';
const PAUSE = 1_000; // ms after the last key press after which a draft is written
const PATIENCE = 5_000; // the same in tabs other than the one in which the user types; and after which the list shows what was written
const QUIET = 3_000; // ms after the last key press for which no text of another device replaces the one in the field
const MOST_WRITTEN = 20; // drafts that were written and are not in the list yet, of a room

/** The clock of all tabs, in milliseconds, and timers. */
const browser = {
  now: () => Date.now(),
  after: (delay, action) => setTimeout(action, delay),
  cancel: (timer) => clearTimeout(timer),
};

const sizeOf = (text) => new TextEncoder().encode(text).length; // bytes

export class SharedDrafts {
  #page;
  #drafts;
  #env;
  #list;
  #followed; // the client whose list that is
  #isCurrent = false; // whether the list is as of this connection
  #isWhole = false; // whether all of the server's databases have answered
  #timers = new Map(); // room → the timer after which its drafts are compared
  #typed = new Map(); // room → when the user has typed in this tab last

  /**
   * @param drafts those of this browser
   * @param page `chat()`, `limits()`; `people(room)`, the names in a room if it is on the screen; `isAtField(room)`, whether the user may be
   * about to type there; `onChange(room)` when a draft was changed elsewhere; `onConflict(room)` when a text of another device has gone
   * behind a draft
   * @param env tests bring their own
   */
  constructor(drafts, page, env = browser) {
    this.#drafts = drafts;
    this.#page = page;
    this.#env = env;
  }

  /** Listens to other tabs, and for the user going elsewhere. */
  listen(fields) {
    addEventListener('storage', ({ key }) => this.handleOtherTab(key));
    addEventListener('pagehide', () => this.flush());
    document.addEventListener('visibilitychange', () => document.hidden && this.flush());
    for (const field of fields) field.addEventListener('blur', () => this.flush());
  }

  /** Follows the drafts on the user's other devices. An older server has none: then they stay in this browser. */
  follow(chat) {
    if (this.#followed === chat) return;
    this.#followed = chat;
    this.#list = chat.subscribe(LIST, { onChange: ({ changes }) => this.#apply(changes), onError: () => {} });
  }

  /** There is another connection: the list comes anew. */
  begin() {
    this.#isCurrent = false;
  }

  of(room) {
    return this.#drafts.of(room);
  }

  /** Returns what the user has written in a room and not sent, but for an edit. */
  textOf(room) {
    return (messageOf(this.of(room)).text ?? '').trim();
  }

  /** Keeps the draft of a room, which the user has changed here. */
  write(room, draft) {
    const typed = this.#env.now();
    this.#typed.set(room, typed);
    this.#drafts.noteSync(room, { typed });
    this.#drafts.write(room, draft);
    this.#schedule(room, PAUSE);
  }

  /** Keeps the draft of a room with other words for the same. */
  reword(room, draft) {
    this.#drafts.write(room, draft);
  }

  /** Writes at once what the user has changed in this tab. */
  flush() {
    for (const room of [...this.#timers.keys()].filter((room) => this.#isTypedHere(room))) {
      this.#synchronize(room);
      this.#push(room);
    }
  }

  // Waiting

  #schedule(room, wait) {
    this.#env.cancel(this.#timers.get(room));
    this.#timers.set(room, this.#env.after(wait, () => this.#synchronize(room)));
  }

  #isTypedHere(room) {
    return this.#typed.get(room) === this.#drafts.syncOf(room).typed;
  }

  /** Returns the rest of some milliseconds since a time. The clock may have been set back. */
  #restOf(span, time) {
    const past = this.#env.now() - time;
    return past < 0 ? 0 : Math.max(Math.ceil(span - past), 0);
  }

  /** Returns the milliseconds for which the user may be in the middle of writing. */
  #busyFor(room) {
    return this.#page.isAtField(room) || !this.#isTypedHere(room) ? this.#restOf(QUIET, this.#drafts.syncOf(room).typed) : 0;
  }

  /** Another tab has changed a draft, and writes it. It may end before that. */
  handleOtherTab(key) {
    const room = this.#drafts.roomOf(key);
    if (!room) return;
    this.#page.onChange(room);
    this.#schedule(room, PATIENCE);
  }

  // Comparing

  #apply({ deleted, inserted, moved, reloaded, reconfigured }) {
    const changed = [...deleted, ...[...inserted, ...moved, ...reloaded, ...reconfigured].map(({ id }) => id)];
    const isWhole = !this.#list.snapshot().missing;
    const rooms = new Set(this.#isCurrent && this.#isWhole === isWhole ? changed : [...changed, ...this.#drafts.rooms]);
    [this.#isCurrent, this.#isWhole] = [true, isWhole];
    for (const room of rooms) this.#synchronize(room);
  }

  /** Returns the server's draft of a room; `null` if there is none, and nothing if that is not known now. */
  #there(room) {
    if (!this.#isCurrent || this.#page.chat().state !== 'online') return undefined;
    const row = this.#list.get(room);
    if (row) return { text: row.text, replyTo: row.replyTo, mentions: row.mentions };
    return this.#list.snapshot().missing ? undefined : null;
  }

  /** The list has the drafts that were written some time ago; the others are lost. */
  #forgetWritten(room) {
    const there = this.#there(room);
    const { base, written } = this.#drafts.syncOf(room);
    const isThere = written.some((content) => isSameContent(content, there));
    this.#drafts.noteSync(room, { base: isThere ? there : base, written: [] });
  }

  /** Compares the drafts of a room, and lets the one that has not changed follow the other. */
  #synchronize(room) {
    this.#env.cancel(this.#timers.get(room));
    this.#timers.delete(room);
    if (this.#there(room) === undefined) return;
    const isTypedHere = this.#isTypedHere(room);
    const wait = this.#restOf(isTypedHere ? PAUSE : PATIENCE, this.#drafts.syncOf(room).typed);
    if (wait && !isTypedHere) return void this.#schedule(room, wait);
    if (!isTypedHere) this.#awaitOtherTab(room);
    const busyFor = this.#merge(room);
    if (busyFor || wait) return void this.#schedule(room, wait || busyFor);
    this.#push(room);
  }

  /** Another tab may have ended with what it was about to write. */
  #awaitOtherTab(room) {
    const { written, wroteAt } = this.#drafts.syncOf(room);
    const rest = this.#restOf(PATIENCE, wroteAt);
    if (written.length && rest) this.#schedule(room, rest);
    else if (written.length) this.#forgetWritten(room);
  }

  /** Lets the draft here follow the server's. Returns the milliseconds for which that has to wait. */
  #merge(room) {
    const there = this.#there(room);
    const here = contentOf(this.of(room));
    const { base, written, dropped } = this.#drafts.syncOf(room);
    const at = written.findIndex((content) => isSameContent(content, there));
    if (at >= 0) this.#drafts.noteSync(room, { base: there, written: written.slice(at + 1) });
    else if (isSameContent(here, there)) this.#drafts.noteSync(room, { base: there, ...(!there && !written.length && { typed: 0 }) });
    if (at >= 0 || isSameContent(here, there) || isSameContent(base, there)) return 0;
    const isChanged = !isSameContent(here, base) && !(dropped && isSameContent(here, dropped));
    // A draft on its way replaces the server's, which would not be seen again.
    if (isChanged || written.length) return this.#keepBoth(room, there);
    if (!there && this.#isFull) return this.#keepDropped(room, here);
    const busyFor = this.#busyFor(room);
    return busyFor || this.#adopt(room, there);
  }

  #adopt(room, there) {
    const draft = this.of(room);
    const message = messageOf(draft);
    this.#drafts.write(room, withMessage(draft, there ? { ...draftOf(there, message), aside: message.aside } : (message.aside ?? {})));
    this.#drafts.noteSync(room, { base: there, dropped: undefined });
    this.#page.onChange(room);
    return 0;
  }

  /** Both have changed. */
  #keepBoth(room, there) {
    const draft = this.of(room);
    const message = messageOf(draft);
    const both = there ? withOther(message, draftOf(there, message)) : message;
    this.#drafts.noteSync(room, { base: there });
    if (both === message) return 0;
    this.#drafts.write(room, withMessage(draft, both));
    this.#page.onChange(room);
    if (message.text) this.#page.onConflict(room);
    return 0;
  }

  get #isFull() {
    return this.#list.snapshot().count >= this.#page.limits().drafts;
  }

  /** The server has dropped the oldest of too many drafts. It stays here, and is not written before it changes. */
  #keepDropped(room, here) {
    this.#drafts.noteSync(room, { base: null, written: [], dropped: here });
    return 0;
  }

  /** Writes the draft here to the server, if that has not got it. */
  #push(room) {
    const there = this.#there(room);
    const { base, written, dropped } = this.#drafts.syncOf(room);
    if (there === undefined || !isSameContent(there, base)) return;
    const here = contentOf(this.of(room));
    const isWritten = isSameContent(here, written.length ? written.at(-1) : base);
    if (isWritten || (here && isSameContent(here, dropped)) || sizeOf(here?.text) > this.#page.limits().text) return;
    this.#drafts.noteSync(room, { written: [...written, here].slice(-MOST_WRITTEN), wroteAt: this.#env.now(), dropped: undefined });
    const stored = this.#page.chat().draft(room, here && { ...here, mentions: this.#mentionsIn(room, here) });
    stored.then(
      () => this.#env.after(PATIENCE, () => this.#forgetStored(room, here)),
      () => this.#retract(room, here),
    );
  }

  /** The list shows what was written, or a later draft of another device, which has taken its place unseen. */
  #forgetStored(room, content) {
    const { written } = this.#drafts.syncOf(room);
    if (!written.length || !isSameContent(written.at(-1), content)) return;
    this.#forgetWritten(room);
    this.#synchronize(room);
  }

  #mentionsIn(room, { text, mentions = [] }) {
    const names = mentionsIn(spoken(text), [...this.#page.people(room), ...mentions]);
    return names.length ? names : undefined;
  }

  /** A draft was not stored. It is written again with the next key press or connection. */
  #retract(room, content) {
    const { written } = this.#drafts.syncOf(room);
    const at = written.findIndex((other) => isSameContent(other, content));
    this.#drafts.noteSync(room, { written: written.filter((_, index) => index !== at) });
  }
}
